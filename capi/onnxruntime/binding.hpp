// Reads the stanzas of src/ops/onnx, which the library answers for each row of its registry: how a node of ONNX becomes a call. src/ops/onnx/README.md has
// the grammar. What is not understood is refused with the line.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace adjoint::onnxruntime {

using Words = std::vector<std::string>;

// How the dimensions of a tensor are multiplied into those of an argument. before, at and after are those of the attribute `axis`.
enum class Fold {
  whole,     // as they are
  flat,      // [all]
  flat1,     // [all, 1]
  inner,     // [1, 1, all]
  last,      // [the rest, last]
  last1,     // [the rest, last, 1]
  axis,      // [before, at, after]
  tail,      // [before, at and after]
  tail1,     // [before, at and after, 1]
  rowwise,   // [all / columns, columns], columns being those of the first input's tail
  channels,  // [first, second, the rest]
  rows,      // [first, the rest]
  rows2,     // [first, second, the rest]
  loss,      // rows where reduction is none, else flat
  loss1,     // flat1 where reduction is none, else flat
  gathered   // [before, the dimensions of the second input, after]
};
inline constexpr std::pair<std::string_view, Fold> kFolds[] = {
    {"flat", Fold::flat}, {"flat1", Fold::flat1}, {"inner", Fold::inner}, {"last", Fold::last},       {"last1", Fold::last1},
    {"axis", Fold::axis}, {"tail", Fold::tail},   {"tail1", Fold::tail1}, {"rowwise", Fold::rowwise}, {"channels", Fold::channels},
    {"rows", Fold::rows}, {"rows2", Fold::rows2}, {"loss", Fold::loss},   {"loss1", Fold::loss1},     {"gathered", Fold::gathered}};

// A piece of the shape of an output. Pieces are concatenated.
struct Piece {
  enum Kind { number, dimensions, values, scalar, loss, bits, bytes, count, sum, concat, split, each } kind = scalar;
  std::int64_t value = 0;               // number
  std::size_t input = 0, second = 0;    // places among the inputs
  std::int64_t first = 0, last = 1 << 20;  // of dimensions and loss: [first:last], negative ones counted from the end
};

struct Port {
  std::string name, type;               // of ONNX: type is a variable, an element type by our name, "any"
  Words arguments;                      // ours; none where nothing is passed
  std::string field;                    // the value of the tensor is this field or number
  bool host = false;                    // the value is read in ordinary memory
  bool optional = false, variadic = false, sequence = false;
  bool group = false;                   // one of the ports that repeat together, as often as the node has tensors for
  bool paired = false;                  // the first tensors of a variadic input, as many as there are outputs; the others are only waited for
  Fold fold = Fold::whole;
  std::optional<double> standard;       // the value of an input that is absent
  std::string dims_field;               // a field that gets the dimensions
  std::int64_t from = 0;                // the first value that counts
  int only_for = -1;                    // passed only where this output is there
  int only_while = -1;                  // passed unless the value of this input is there and 0
  std::vector<Piece> shape;             // of an output
  int over = -1;                        // the input whose buffer the output may have
  int begins = -1;                      // the input whose values the output has before the call
  Words value;                          // an output that is a sum of values of inputs; an absent one is 1
};

struct Attribute {
  enum Kind { integer, real, text, integers, reals } kind = integer;  // reals: one for each group of ports
  std::string name, standard;           // standard: the default of the schema; "" where there is none
  bool required = false;
  std::string field, choice;            // choice: field gets it where the attribute is not 0
  std::string schema_type;              // the type variable that the attribute tells
  bool inverted = false, fold_axis = false, random = false, refused = false;
  Words only;                           // the values that are served
};

struct Flag {
  std::string field;
  int output = 0;
  std::int64_t there = 1, absent = 0;
};

struct Binding {
  std::string op, domain, session;
  Words types;
  std::vector<std::pair<std::string, Words>> also;
  std::vector<std::pair<std::string, std::string>> settings, same;
  std::vector<Port> inputs, outputs;
  std::vector<Attribute> attributes;
  std::vector<Flag> flags;
};

namespace grammar {

inline Words words_of(std::string_view line) {
  Words words;
  while (!line.empty()) {
    if (line[0] == ' ') {
      line.remove_prefix(1);
      continue;
    }
    const std::size_t end = line[0] == '"' ? line.find('"', 1) + 1 : std::min(line.find(' '), line.size());
    words.emplace_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return words;
}

inline Words split(std::string_view text, char by) {
  Words parts;
  for (;;) {
    const std::size_t end = text.find(by);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

class Reader {
 public:
  std::vector<Binding> read(std::string_view text) {
    for (const std::string& line : split(text, '\n')) {
      line_ = line;
      if (!line.empty()) take(words_of(line));
    }
    return std::move(made_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { throw std::invalid_argument("binding, line \"" + line_ + "\": " + why); }
  void expect(bool holds, const char* why) const {
    if (!holds) refuse(why);
  }

  void take(const Words& w) {
    if (w[0] == "op") {
      expect(w.size() == 4, "expected op NAME DOMAIN SESSION");
      made_.push_back({});
      now().op = w[1], now().domain = w[2] == "ai.onnx" ? "" : w[2], now().session = w[3];
      return;
    }
    expect(!made_.empty(), "a stanza begins with op");
    if (w[0] == "types") now().types.assign(w.begin() + 1, w.end());
    else if (w[0] == "also" && w.size() == 3) now().also.emplace_back(w[1], split(w[2], ','));
    else if (w[0] == "set") {
      for (std::size_t i = 1; i < w.size(); ++i) {
        const Words pair = split(w[i], '=');
        expect(pair.size() == 2, "expected FIELD=VALUE");
        now().settings.emplace_back(pair[0], pair[1]);
      }
    } else if (w[0] == "same" && w.size() == 3) now().same.emplace_back(w[1], w[2]);
    else if (w[0] == "in" && w.size() >= 4) now().inputs.push_back(port(w, false));
    else if (w[0] == "out" && w.size() >= 5) now().outputs.push_back(port(w, true));
    else if (w[0] == "attr" && w.size() >= 5) now().attributes.push_back(attribute(w));
    else if (w[0] == "flag" && (w.size() == 3 || w.size() == 5)) now().flags.push_back(flag(w));
    else refuse("expected op, types, also, set, in, out, attr, flag or same");
  }

  Binding& now() { return made_.back(); }

  int input(std::string_view name) { return place(now().inputs, name); }
  // An output may be named before its line.
  int output(const std::string& name) { return outputs_before(name); }
  int place(const std::vector<Port>& ports, std::string_view name) const {
    for (std::size_t i = 0; i < ports.size(); ++i)
      if (ports[i].name == name) return static_cast<int>(i);
    refuse("no port is called " + std::string(name));
  }
  int outputs_before(const std::string& name) const {
    for (std::size_t i = 0; i < made_.back().outputs.size(); ++i)
      if (made_.back().outputs[i].name == name) return static_cast<int>(i);
    return -1;
  }

  Port port(const Words& w, bool out) {
    Port p;
    p.name = w[1];
    if (p.name.back() == '?') p.optional = true, p.name.pop_back();
    else if (p.name.back() == '*') p.variadic = true, p.name.pop_back();
    p.type = w[2];
    if (w[3][0] == '=') p.host = true, p.field = w[3].substr(1);
    else if (w[3] != "-") p.arguments = split(w[3], ',');
    std::size_t i = 4;
    if (out && w[4] == "sequence") p.sequence = true;
    if (out) p.shape = p.sequence ? std::vector<Piece>{} : shape(w[i]), ++i;
    for (; i < w.size(); ++i) {
      const std::string& word = w[i];
      const auto fold = std::ranges::find(kFolds, std::string_view(word), &std::pair<std::string_view, Fold>::first);
      const auto next = [&]() -> const std::string& {
        expect(i + 1 < w.size(), "a word is missing at the end");
        return w[++i];
      };
      if (fold != std::end(kFolds)) p.fold = fold->second;
      else if (word[0] == '"') expect(p.arguments.empty() && i + 1 == w.size(), "a reason belongs at the end of a port that is not passed");
      else if (word == "sequence") p.sequence = true;
      else if (word == "paired") p.paired = true;
      else if (word == "group") p.group = true;
      else if (word == "without") next();  // for the rewrite alone
      else if (word == "default") p.standard = std::strtod(next().c_str(), nullptr);
      else if (word == "dims") p.dims_field = next();
      else if (word == "from") p.from = std::atoll(next().c_str());
      else if (word == "for") later_for_.emplace_back(now().inputs.size(), next());
      else if (word == "while") later_while_.emplace_back(now().inputs.size(), next());
      else if (word == "over") p.over = input(next());
      else if (word == "begins") p.begins = input(next());
      else if (word == "value") p.value = split(next(), '+');
      else refuse("the word " + word + " is not known");
    }
    for (const std::string& name : p.value) input(name);
    if (out) settle(p.name, static_cast<int>(now().outputs.size()));
    else settle_while(p.name, static_cast<int>(now().inputs.size()));
    return p;
  }

  void settle(const std::string& name, int place) {
    for (auto& [input, output] : later_for_)
      if (output == name && input < now().inputs.size()) now().inputs[input].only_for = place;
    std::erase_if(later_for_, [&](const auto& l) { return l.second == name; });
  }
  void settle_while(const std::string& name, int place) {
    for (auto& [input, other] : later_while_)
      if (other == name && input < now().inputs.size()) now().inputs[input].only_while = place;
    std::erase_if(later_while_, [&](const auto& l) { return l.second == name; });
  }

  std::vector<Piece> shape(const std::string& text) {
    std::vector<Piece> pieces;
    if (text == "()") return pieces;
    for (const std::string& word : split(text, '+')) pieces.push_back(piece(word));
    return pieces;
  }

  Piece piece(const std::string& word) {
    Piece p;
    if (word.find_first_not_of("0123456789") == std::string::npos) {
      p.kind = Piece::number, p.value = std::atoll(word.c_str());
      return p;
    }
    std::string name = word;
    p.kind = Piece::dimensions;
    if (name[0] == '=') p.kind = Piece::values, name.erase(0, 1);
    static constexpr std::pair<std::string_view, Piece::Kind> kinds[] = {{"loss", Piece::loss},   {"bits", Piece::bits}, {"bytes", Piece::bytes},
                                                                         {"count", Piece::count}, {"sum", Piece::sum},   {"concat", Piece::concat},
                                                                         {"split", Piece::split}, {"each", Piece::each}};
    if (const std::size_t colon = name.find(':'); colon != std::string::npos && name.find('[') > colon) {
      const auto found = std::ranges::find(kinds, std::string_view(name).substr(0, colon), &std::pair<std::string_view, Piece::Kind>::first);
      expect(found != std::end(kinds), "a shape of this kind is not known");
      p.kind = found->second, name.erase(0, colon + 1);
    }
    if (const std::size_t bracket = name.find('['); bracket != std::string::npos) {
      const Words range = split(std::string_view(name).substr(bracket + 1, name.size() - bracket - 2), ':');
      expect(name.back() == ']' && range.size() == 2, "expected [FIRST:LAST]");
      if (!range[0].empty()) p.first = std::atoll(range[0].c_str());
      if (!range[1].empty()) p.last = std::atoll(range[1].c_str());
      name.resize(bracket);
    }
    const Words names = split(name, ',');
    p.input = static_cast<std::size_t>(input(names[0]));
    if (names.size() > 1) p.second = static_cast<std::size_t>(input(names[1]));
    return p;
  }

  Attribute attribute(const Words& w) {
    static constexpr std::pair<std::string_view, Attribute::Kind> kinds[] = {
        {"int", Attribute::integer}, {"float", Attribute::real}, {"string", Attribute::text}, {"ints", Attribute::integers}, {"floats", Attribute::reals}};
    Attribute a;
    a.name = w[1];
    const auto kind = std::ranges::find(kinds, std::string_view(w[2]), &std::pair<std::string_view, Attribute::Kind>::first);
    expect(kind != std::end(kinds), "the kind is int, float, string, ints or floats");
    a.kind = kind->second;
    if (w[3] == "required") a.required = true;
    else if (w[3].starts_with("none")) a.standard = w[3].size() > 5 ? w[3].substr(5) : "";
    else a.standard = w[3];
    const std::string& target = w[4];
    if (target == "-") expect(w.size() == 6 && w[5][0] == '"', "an attribute that is ignored has a reason");
    else if (target == "refused") a.refused = true;
    else if (target == "only" || target == "rewrite") expect(w.size() == 6, "expected only VALUES"), a.only = split(w[5], ',');
    else if (target == "random") a.random = true;
    else if (target == "@axis") a.fold_axis = true;
    else if (target[0] == ':') a.schema_type = target.substr(1);
    else if (target[0] == '!') a.inverted = true, a.field = target.substr(1);
    else if (const std::size_t colon = target.find(':'); colon != std::string::npos) a.field = target.substr(0, colon), a.choice = target.substr(colon + 1);
    else a.field = target;
    return a;
  }

  Flag flag(const Words& w) {
    Flag f;
    f.field = w[1];
    const bool inverted = w[2][0] == '!';
    f.output = place_of_port(inverted ? w[2].substr(1) : w[2]);
    if (w.size() == 5) f.there = std::atoll(w[3].c_str()), f.absent = std::atoll(w[4].c_str());
    if (inverted) std::swap(f.there, f.absent);
    return f;
  }
  // An output, or an input as -1 - place.
  int place_of_port(const std::string& name) {
    if (const int found = output(name); found >= 0) return found;
    return -1 - input(name);
  }

  std::string line_;
  std::vector<Binding> made_;
  std::vector<std::pair<std::size_t, std::string>> later_for_, later_while_;  // inputs whose word names a port of a later line
};

}  // namespace grammar

inline std::vector<Binding> bindings_of(std::string_view text) { return grammar::Reader().read(text); }

}  // namespace adjoint::onnxruntime
