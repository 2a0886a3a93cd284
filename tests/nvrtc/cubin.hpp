// What a cubin says of its kernels: entries, registers, stack frame and static shared memory.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

struct KernelResources {
  int registers = -1;
  int frame_bytes = -1;   // local memory: spills and run-time indexed arrays
  std::uint64_t static_shared = 0, code_bytes = 0;
};

// Kernels of a cubin by name.
inline std::map<std::string, KernelResources> read_cubin(std::string_view bytes) {
  auto at = [&](std::uint64_t offset, std::uint64_t size) {
    if (offset > bytes.size() || size > bytes.size() - offset) throw std::runtime_error("cubin: truncated");
    return bytes.data() + offset;
  };
  auto read = [&]<class T>(T& value, std::uint64_t offset) { std::memcpy(&value, at(offset, sizeof value), sizeof value); };
  Elf64_Ehdr header;
  read(header, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) throw std::runtime_error("cubin: not an ELF file");
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  for (std::size_t i = 0; i < sections.size(); ++i) read(sections[i], header.e_shoff + i * header.e_shentsize);
  auto string = [&](const Elf64_Shdr& table, std::uint32_t offset) { return std::string(at(table.sh_offset + offset, 1)); };
  const Elf64_Shdr& names = sections.at(header.e_shstrndx);

  std::map<std::string, KernelResources> kernels;
  std::map<std::uint32_t, std::string> symbols;  // index in the symbol table -> name
  constexpr std::string_view kText = ".text.", kShared = ".nv.shared.", kReserved = ".nv.shared.reserved.";
  for (const Elf64_Shdr& s : sections) {
    const std::string name = string(names, s.sh_name);
    if (name.starts_with(kText)) kernels[name.substr(kText.size())].code_bytes = s.sh_size;
    if (name.starts_with(kShared) && !name.starts_with(kReserved)) kernels[name.substr(kShared.size())].static_shared = s.sh_size;
    if (s.sh_type == SHT_SYMTAB)
      for (std::uint32_t i = 0; i < s.sh_size / sizeof(Elf64_Sym); ++i) {
        Elf64_Sym symbol;
        read(symbol, s.sh_offset + i * sizeof symbol);
        symbols[i] = string(sections.at(s.sh_link), symbol.st_name);
      }
  }
  // .nv.info is a list of attributes: format, code, and for format 4 a length and {symbol, value} words.
  constexpr std::uint8_t kSized = 4, kFrameSize = 0x11, kRegisterCount = 0x2f;
  for (const Elf64_Shdr& s : sections) {
    if (string(names, s.sh_name) != ".nv.info") continue;
    for (std::uint64_t offset = s.sh_offset; offset + 4 <= s.sh_offset + s.sh_size;) {
      std::uint8_t format, code;
      std::uint16_t size;
      read(format, offset);
      read(code, offset + 1);
      read(size, offset + 2);
      offset += 4;
      if (format != kSized) continue;
      if (size >= 8 && (code == kFrameSize || code == kRegisterCount)) {
        std::uint32_t symbol, value;
        read(symbol, offset);
        read(value, offset + 4);
        if (auto kernel = kernels.find(symbols[symbol]); kernel != kernels.end())
          (code == kFrameSize ? kernel->second.frame_bytes : kernel->second.registers) = static_cast<int>(value);
      }
      offset += size;
    }
  }
  return kernels;
}
