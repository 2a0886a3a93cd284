#include "bench/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "cli/words.hpp"

namespace bench {

namespace {

const adj::OpInfo& op_of(const cli::Descriptor& descriptor) { return *adj::find_op(std::string_view(descriptor.op_name())); }

std::string argument(const adj::OpInfo& op, const std::string& name) {
  std::vector<std::string> names;
  for (const adj::ArgumentInfo& argument : op.arguments) {
    if (name == argument.name) return name;
    names.emplace_back(argument.name);
  }
  throw cli::Misuse(fmt::format("{} has no argument '{}'{}", op.name, name, cli::suggestion(name, names)), "its arguments: " + cli::join(names));
}

Setting setting(const adj::OpInfo& op, const std::string& word) {
  const std::size_t colon = word.find(':');
  const std::string name = argument(op, word.substr(0, colon)), value = word.substr(colon + 1);
  if (value == "in") return {Setting::only_read, name};
  if (value == "positive") return {Setting::positive, name};
  const bool below = value.starts_with('<');
  double number = 0;
  const char *begin = value.data() + below, *end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(begin, end, number);
  const bool whole = error == std::errc{} && stop == end && std::isfinite(number);
  if (below && (!whole || number < 1 || number != std::floor(number)))
    throw cli::Misuse(fmt::format("'{}': '{}' is not a positive integer", word, value.substr(1)));
  if (whole) return {below ? Setting::below : Setting::value, name, number};
  return {Setting::same, name, 0, argument(op, value)};
}

}  // namespace

const adj::OpInfo& ProblemWords::op() const { return op_of(*descriptor); }

ProblemWords problem_words(const std::vector<std::string>& words) {
  ProblemWords result{cli::join(words, " "), std::make_shared<cli::Descriptor>(words.at(0)), {}, {}};
  const adj::OpInfo& op = result.op();
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.starts_with('+')) result.given.push_back(argument(op, word.substr(1)));
    else if (word.find('=') != std::string::npos) result.descriptor->set(word);
    else if (word.find(':') != std::string::npos) result.settings.push_back(setting(op, word));
    else throw cli::Misuse(fmt::format("'{}' is none of FIELD=VALUE, +ARGUMENT, ARGUMENT:VALUE", word));
  }
  // Checks the descriptor as select does, before contents are made for it.
  const adj_stream host = adj_stream_host();
  adj_error* report = nullptr;
  const adj_status status = adj_plan_explain(&host, result.descriptor->header(), nullptr, &report);
  cli::check(status, cli::ErrorPtr(report));
  return result;
}

harness::Case verified_case(const ProblemWords& words, std::uint64_t seed) {
  auto problem = std::make_shared<harness::Problem>(*words.descriptor->header());
  const adj::OpInfo& op = words.op();
  harness::Rng rng(seed);
  for (std::size_t i = 0; i < op.arguments.size(); ++i) {
    const char* name = op.arguments[i].name;
    if (problem->specs()[i].presence == adj::Presence::optional && std::find(words.given.begin(), words.given.end(), name) == words.given.end()) {
      problem->omit(name);
      continue;
    }
    for (harness::Data& data : problem->contents()[i].data)
      if (adj::is_float(data.dtype)) harness::fill_normal(data, rng);
      else if (data.dtype == ADJ_BOOL) harness::fill_integers(data, rng, 0, 1);
    if (op.arguments[i].kind == adj::ArgumentKind::random) problem->random(name, seed, 0);
  }
  for (const Setting& s : words.settings) {
    std::vector<harness::Data>& list = problem->list(s.name.c_str());
    switch (s.kind) {
      case Setting::only_read: break;
      case Setting::positive:
        for (harness::Data& data : list)
          for (std::int64_t i = 0; i < data.numel(); ++i) data.set(i, std::fabs(data.get(i)));
        break;
      case Setting::below:
        for (harness::Data& data : list) harness::fill_integers(data, rng, 0, static_cast<std::int64_t>(s.number) - 1);
        break;
      case Setting::value: problem->scalar(s.name.c_str(), s.number); break;
      case Setting::same: problem->share(s.name.c_str(), s.other.c_str()); break;
    }
  }
  harness::Case c{words.line, problem, {}};
  // Magnitudes are functions of any problem of the operator: the functions from the operator's own cases serve here.
  for (const harness::Case& own : harness::cases_of(op.id)(problem->signature(), harness::Level::quick, seed))
    if (own.magnitudes) {
      c.magnitudes = own.magnitudes;
      break;
    }
  return c;
}

}  // namespace bench
