#include "jit/cubin.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace adj {

namespace {

constexpr std::string_view kText = ".text.", kShared = ".nv.shared.";

// The sections of an ELF file by name; nothing outside the file is read, whatever it says.
class Sections {
 public:
  struct Section {
    std::string_view name, bytes;
    std::uint64_t size;  // bytes of the section in memory; those of .nv.shared are not in the file
    std::uint32_t type, link;
  };

  static std::optional<Sections> read(std::string_view file) {
    Elf64_Ehdr header;
    if (file.size() < sizeof header) return std::nullopt;
    std::memcpy(&header, file.data(), sizeof header);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) return std::nullopt;
    if (header.e_shoff > file.size() || (file.size() - header.e_shoff) / sizeof(Elf64_Shdr) < header.e_shnum) return std::nullopt;
    std::vector<Elf64_Shdr> raw(header.e_shnum);
    if (!raw.empty()) std::memcpy(raw.data(), file.data() + header.e_shoff, raw.size() * sizeof(Elf64_Shdr));
    Sections sections;
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

  const std::vector<Section>& all() const { return all_; }
  const Section* find(std::string_view prefix, std::string_view name) const {
    for (const Section& s : all_)
      if (s.name.starts_with(prefix) && s.name.substr(prefix.size()) == name) return &s;
    return nullptr;
  }
  // The number of a symbol in the symbol table.
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
  std::vector<Section> all_;
};

Error unreadable(std::string_view what) { return fail(ADJ_ERROR_CORRUPT, "the machine code of a kernel cannot be read: {}", what); }

}  // namespace

Result<std::vector<std::string>> kernels_of(std::string_view cubin) {
  const auto sections = Sections::read(cubin);
  if (!sections) return unreadable("not a whole 64-bit ELF file");
  std::vector<std::string> names;
  for (const auto& section : sections->all())
    if (section.name.starts_with(kText)) names.emplace_back(section.name.substr(kText.size()));
  return names;
}

Result<KernelResources> read_resources(std::string_view cubin, std::string_view kernel) {
  const auto sections = Sections::read(cubin);
  if (!sections) return unreadable("not a whole 64-bit ELF file");
  const auto* code = sections->find(kText, kernel);
  const auto* info = sections->find(".nv.info", "");
  const auto symbol = sections->symbol(kernel);
  if (!code || !info || !symbol) return unreadable(fmt::format("it says nothing of a kernel {}", kernel));
  KernelResources resources;
  resources.code_bytes = code->size;
  if (const auto* shared = sections->find(kShared, kernel)) resources.static_shared_bytes = shared->size;
  // .nv.info is a list of attributes: a byte for the format, one for the code, two for the length of what follows in format 4.
  // The least stack counts what the kernel calls as well, its frame does not.
  constexpr std::uint8_t kSized = 4, kFrameSize = 0x11, kLeastStack = 0x12, kRegisterCount = 0x2f;
  int registers = -1, local_bytes = -1;
  for (std::string_view rest = info->bytes; rest.size() >= 4;) {
    const auto format = static_cast<std::uint8_t>(rest[0]), attribute = static_cast<std::uint8_t>(rest[1]);
    std::uint16_t length;
    std::memcpy(&length, rest.data() + 2, sizeof length);
    rest.remove_prefix(4);
    if (format != kSized) continue;
    if (length > rest.size()) break;
    if (std::uint32_t words[2]; length >= sizeof words) {  // a symbol and its value
      std::memcpy(words, rest.data(), sizeof words);
      if (words[0] == *symbol && attribute == kRegisterCount) registers = static_cast<int>(words[1]);
      if (words[0] == *symbol && (attribute == kFrameSize || attribute == kLeastStack))
        local_bytes = std::max(local_bytes, static_cast<int>(words[1]));
    }
    rest.remove_prefix(length);
  }
  if (registers < 0 || local_bytes < 0) return unreadable(fmt::format("it does not state the registers and the stack frame of {}", kernel));
  resources.registers = registers;
  resources.local_bytes = local_bytes;
  return resources;
}

}  // namespace adj
