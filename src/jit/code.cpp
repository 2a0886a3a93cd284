#include "jit/code.hpp"

#include <elf.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

namespace adj {

namespace {

constexpr std::string_view kText = ".text.", kShared = ".nv.shared.";

// Sections of an ELF file, by name. All offsets are checked, so that a corrupt file causes no access out of bounds.
class Sections {
 public:
  struct Section {
    std::string_view name, bytes;
    std::uint64_t size;  // bytes of the section in memory; for .nv.shared the file has none of them
    std::uint32_t type, link;
  };

  static std::optional<Sections> read(std::string_view file) {
    Elf64_Ehdr header;
    if (file.size() < sizeof header) return std::nullopt;
    std::memcpy(&header, file.data(), sizeof header);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_CUDA) return std::nullopt;
    if (header.e_shoff > file.size() || (file.size() - header.e_shoff) / sizeof(Elf64_Shdr) < header.e_shnum) return std::nullopt;
    std::vector<Elf64_Shdr> raw(header.e_shnum);
    if (!raw.empty()) std::memcpy(raw.data(), file.data() + header.e_shoff, raw.size() * sizeof(Elf64_Shdr));
    Sections sections;
    // The architecture is in the lowest byte of the flags up to version 7 of the format, in the second one from version 8 on.
    sections.cc_ = static_cast<int>(header.e_flags >> (header.e_ident[EI_ABIVERSION] >= 8 ? 8 : 0) & 0xff);
    for (const Elf64_Shdr& s : raw) {
      const bool stored = s.sh_type != SHT_NOBITS && s.sh_type != SHT_NULL;
      if (stored && (s.sh_offset > file.size() || s.sh_size > file.size() - s.sh_offset)) return std::nullopt;
      sections.all_.push_back({{}, stored ? file.substr(s.sh_offset, s.sh_size) : std::string_view(), s.sh_size, s.sh_type, s.sh_link});
    }
    if (header.e_shstrndx >= sections.all_.size()) return std::nullopt;
    const std::string_view names = sections.all_[header.e_shstrndx].bytes;
    for (std::size_t i = 0; i < raw.size(); ++i) sections.all_[i].name = text(names, raw[i].sh_name);
    return sections;
  }

  int cc() const { return cc_; }
  const std::vector<Section>& all() const { return all_; }
  const Section* find(std::string_view prefix, std::string_view name) const {
    for (const Section& s : all_)
      if (s.name.starts_with(prefix) && s.name.substr(prefix.size()) == name) return &s;
    return nullptr;
  }
  // The index of a symbol in the symbol table.
  std::optional<std::uint32_t> symbol(std::string_view name) const {
    for (const Section& s : all_) {
      if (s.type != SHT_SYMTAB || s.link >= all_.size()) continue;
      for (std::uint32_t i = 0; i < s.bytes.size() / sizeof(Elf64_Sym); ++i) {
        Elf64_Sym symbol;
        std::memcpy(&symbol, s.bytes.data() + i * sizeof symbol, sizeof symbol);
        if (text(all_[s.link].bytes, symbol.st_name) == name) return i;
      }
    }
    return std::nullopt;
  }

 private:
  static std::string_view text(std::string_view table, std::uint32_t offset) {
    if (offset >= table.size()) return {};
    table.remove_prefix(offset);
    return table.substr(0, table.find('\0'));
  }
  int cc_ = 0;
  std::vector<Section> all_;
};

Error unreadable(std::string_view what) { return fail(ADJ_ERROR_CORRUPT, "the machine code of a kernel cannot be read: {}", what); }
Error no_cubin() { return unreadable("not a whole 64-bit ELF file for CUDA"); }

// Calls take(attribute, value) for each sized attribute of a section .nv.info. An attribute begins with a byte for the format, a byte for
// its code and two bytes. In format 4 the two bytes are the length of the value that follows; in other formats they are the value.
template <class Take>
void each_attribute(std::string_view section, Take take) {
  constexpr std::uint8_t kSized = 4;
  while (section.size() >= 4) {
    const auto format = static_cast<std::uint8_t>(section[0]), attribute = static_cast<std::uint8_t>(section[1]);
    std::uint16_t length;
    std::memcpy(&length, section.data() + 2, sizeof length);
    section.remove_prefix(4);
    if (format != kSized) continue;
    if (length > section.size()) return;
    take(attribute, section.substr(0, length));
    section.remove_prefix(length);
  }
}

Result<std::vector<KernelParameter>> read_parameters(std::string_view info, std::string_view kernel) {
  // Codes of the attribute that describes a parameter. The second is for kernels with more than 4 KB of parameters.
  constexpr std::uint8_t kParameter = 0x17, kLargeParameter = 0x45;
  struct Value {
    std::uint32_t index;
    std::uint16_t ordinal, offset;
    std::uint32_t packed;  // size in bytes, beside other bits: bits 18 to 31 under kParameter, bits 0 to 15 under kLargeParameter
  };
  std::vector<Value> values;
  each_attribute(info, [&](std::uint8_t attribute, std::string_view bytes) {
    if ((attribute != kParameter && attribute != kLargeParameter) || bytes.size() < sizeof(Value)) return;
    Value& value = values.emplace_back();
    std::memcpy(&value, bytes.data(), sizeof value);
    value.packed = attribute == kParameter ? value.packed >> 18 : value.packed & 0xffff;
  });
  std::sort(values.begin(), values.end(), [](const Value& a, const Value& b) { return a.ordinal < b.ordinal; });
  std::vector<KernelParameter> parameters;
  for (const Value& value : values) {
    if (value.ordinal != parameters.size()) return unreadable(fmt::format("it does not state parameter {} of {}", parameters.size(), kernel));
    parameters.push_back({value.offset, value.packed});
  }
  return parameters;
}

// ---- PTX

Error no_ptx(std::string_view what) { return fail(ADJ_ERROR_CORRUPT, "the PTX of a kernel cannot be read: {}", what); }

// Splits a PTX text into words: a name, number or directive; one of the signs ( ) [ ] { } , ; @ by itself; or a whole string.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}
  std::string_view next() {  // empty at the end
    skip();
    if (rest_.empty()) return {};
    std::size_t length = 1;
    if (rest_[0] == '"') {
      length = std::min(rest_.find('"', 1), rest_.size() - 1) + 1;
    } else if (kSigns.find(rest_[0]) == std::string_view::npos) {
      const std::string_view word = rest_.substr(0, rest_.find_first_of(kEnds));
      length = std::max<std::size_t>(1, std::min({word.size(), word.find("//"), word.find("/*")}));
    }
    const std::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return word;
  }

 private:
  static constexpr std::string_view kSigns = "()[]{},;@", kBlanks = " \t\r\n\v\f", kEnds = "()[]{},;@\" \t\r\n\v\f";
  void skip() {
    for (;;) {
      rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlanks), rest_.size()));
      std::string_view end;
      if (rest_.starts_with("//")) end = "\n";
      else if (rest_.starts_with("/*")) end = "*/";
      else return;
      const std::size_t at = rest_.find(end, 2);
      rest_.remove_prefix(at == std::string_view::npos ? rest_.size() : at + end.size());
    }
  }
  std::string_view rest_;
};

// The number at the end of a word such as ".f32", "sm_90" or "16"; -1 when there is none.
int trailing_number(std::string_view word) {
  const std::size_t at = word.find_last_not_of("0123456789");
  if (at != std::string_view::npos) word.remove_prefix(at + 1);
  int value = -1;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc{} ? value : -1;
}

// Reads one parameter behind its word ".param" and returns the comma or the parenthesis that ends it. Its form is
// [.align 8] .b8 [.ptr .global .align 4] name [24]
Result<std::string_view> read_parameter(Words& words, std::vector<KernelParameter>& parameters) {
  constexpr int kMostElements = 1 << 20;  // more than any kernel can have; keeps sizes within 32 bits
  int align = 0, element = 0, count = 1;
  bool pointer = false;
  for (std::string_view word = words.next();; word = words.next()) {
    if (word == "," || word == ")") {
      if (element <= 0 || count < 0 || count > kMostElements) return no_ptx(fmt::format("it does not state the type of parameter {}", parameters.size()));
      const auto bytes = static_cast<std::uint32_t>(element) * static_cast<std::uint32_t>(count);
      const auto step = static_cast<std::uint32_t>(std::max(align, element));
      const std::uint32_t end = parameters.empty() ? 0 : parameters.back().offset + parameters.back().bytes;
      parameters.push_back({(end + step - 1) / step * step, bytes});
      return word;
    }
    if (word.empty() || word == "{") return no_ptx("a list of parameters does not end");
    if (word == ".ptr") {
      pointer = true;  // the words up to the name describe the memory that it points to
    } else if (word == ".align") {
      const int bytes = trailing_number(words.next());
      if (!pointer) align = bytes;
    } else if (word == "[") {
      count = trailing_number(words.next());
    } else if (word[0] == '.' && !pointer) {
      element = word == ".f16x2" ? 4 : word.ends_with("ref") ? 8 : trailing_number(word) / 8;
    }
  }
}

}  // namespace

Result<KernelCode> read_cubin(std::string_view cubin) {
  const auto sections = Sections::read(cubin);
  if (!sections) return no_cubin();
  KernelCode code;
  code.cc = sections->cc();
  for (const auto& section : sections->all()) {
    if (!section.name.starts_with(kText)) continue;
    const std::string_view name = section.name.substr(kText.size());
    const auto* info = sections->find(".nv.info.", name);
    auto parameters = read_parameters(info ? info->bytes : std::string_view(), name);
    if (!parameters) return parameters.take_error();
    code.kernels.push_back({std::string(name), std::move(*parameters)});
  }
  return code;
}

Result<KernelCode> read_ptx(std::string_view text) {
  KernelCode code;
  Words words(text);
  if (words.next() != ".version") return no_ptx("it does not begin with .version");
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    if (word == ".target") {
      word = words.next();
      code.exact = word.ends_with('a');
      if (code.exact || word.ends_with('f')) word.remove_suffix(1);
      if (code.cc = trailing_number(word); !word.starts_with("sm_") || code.cc <= 0) return no_ptx("its .target is no architecture");
    } else if (word == ".entry") {
      KernelEntry& kernel = code.kernels.emplace_back();
      kernel.name = words.next();
      if (kernel.name.empty()) return no_ptx("an .entry has no name");
      std::string_view next = words.next();
      if (next != "(") continue;
      while ((next = words.next()) == ".param") {
        auto ended = read_parameter(words, kernel.parameters);
        if (!ended) return ended.take_error();
        if ((next = *ended) == ")") break;
      }
      if (next != ")") return no_ptx(fmt::format("the parameters of {} do not end", kernel.name));
    }
  }
  if (code.cc == 0) return no_ptx("it has no .target");
  return code;
}

Result<KernelResources> read_resources(std::string_view cubin, std::string_view kernel) {
  const auto sections = Sections::read(cubin);
  if (!sections) return no_cubin();
  const auto* code = sections->find(kText, kernel);
  const auto* info = sections->find(".nv.info", "");
  const auto symbol = sections->symbol(kernel);
  if (!code || !info || !symbol) return unreadable(fmt::format("it says nothing of a kernel {}", kernel));
  KernelResources resources;
  resources.code_bytes = code->size;
  if (const auto* shared = sections->find(kShared, kernel)) resources.static_shared_bytes = shared->size;
  // kFrameSize is the kernel's own stack frame. kLeastStack includes the functions that the kernel calls.
  constexpr std::uint8_t kFrameSize = 0x11, kLeastStack = 0x12, kRegisterCount = 0x2f;
  int registers = -1, local_bytes = -1;
  each_attribute(info->bytes, [&](std::uint8_t attribute, std::string_view value) {
    std::uint32_t words[2];  // a symbol and its value
    if (value.size() < sizeof words) return;
    std::memcpy(words, value.data(), sizeof words);
    if (words[0] != *symbol) return;
    if (attribute == kRegisterCount) registers = static_cast<int>(words[1]);
    if (attribute == kFrameSize || attribute == kLeastStack) local_bytes = std::max(local_bytes, static_cast<int>(words[1]));
  });
  if (registers < 0 || local_bytes < 0) return unreadable(fmt::format("it does not state the registers and the stack frame of {}", kernel));
  resources.registers = registers;
  resources.local_bytes = local_bytes;
  return resources;
}

}  // namespace adj
