// Machine code for tests: an ELF file with the parts that src/jit/code.cpp reads, and no instructions.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

struct MadeResources {
  std::uint32_t registers, frame, stack;  // stack: bytes with those of the functions that are called
  std::uint64_t shared;                   // static, in bytes
};

struct MadeKernel {
  std::string name;
  std::vector<std::uint32_t> parameters;  // bytes of each
  std::optional<MadeResources> resources{};
};

// version: of the format, 7 (CUDA 12, older architectures) or 8. large: parameters are stated in the form for more than 4 KB.
inline std::string make_cubin(int cc, const std::vector<MadeKernel>& kernels, int version = 8, bool large = false) {
  struct Section {
    std::string name, bytes;
    std::uint32_t type = SHT_PROGBITS, link = 0;
    std::uint64_t reserved = 0;  // bytes of a section that the file does not store
  };
  std::vector<Section> sections{{"", "", SHT_NULL}, {".shstrtab", ""}};
  // Another symbol before those of the kernels.
  std::string symbols(2 * sizeof(Elf64_Sym), '\0'), symbol_names("\0other\0", 7), all_info;
  symbols[sizeof(Elf64_Sym)] = 1;
  for (const MadeKernel& kernel : kernels) {
    std::string info;
    auto put = [&](auto value) { info.append(reinterpret_cast<const char*>(&value), sizeof value); };
    std::uint32_t end = 0;
    std::vector<std::uint32_t> offsets;
    for (std::uint32_t bytes : kernel.parameters) {
      end = (end + bytes - 1) / bytes * bytes;
      offsets.push_back(end);
      end += bytes;
    }
    put(std::uint32_t{0xff1b03});  // an attribute without bytes of its own
    for (std::size_t i = kernel.parameters.size(); i-- > 0;) {  // the last parameter first, as compilers write them
      put(static_cast<std::uint8_t>(4)), put(static_cast<std::uint8_t>(large ? 0x45 : 0x17)), put(static_cast<std::uint16_t>(12));
      put(std::uint32_t{0}), put(static_cast<std::uint16_t>(i)), put(static_cast<std::uint16_t>(offsets[i]));
      put(large ? kernel.parameters[i] : kernel.parameters[i] << 18 | 0x1f000);
    }
    sections.push_back({".nv.info." + kernel.name, info});
    sections.push_back({".text." + kernel.name, std::string(16, '\0')});
    if (!kernel.resources) continue;
    const auto state = [&](std::uint8_t attribute, std::uint32_t value) {
      const std::uint32_t words[] = {std::uint32_t{attribute} << 8 | 0x080004, static_cast<std::uint32_t>(symbols.size() / sizeof(Elf64_Sym)), value};
      all_info.append(reinterpret_cast<const char*>(words), sizeof words);
    };
    state(0x2f, kernel.resources->registers), state(0x11, kernel.resources->frame), state(0x12, kernel.resources->stack);
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<std::uint32_t>(symbol_names.size());
    symbols.append(reinterpret_cast<const char*>(&symbol), sizeof symbol);
    symbol_names += kernel.name + '\0';
    if (kernel.resources->shared) sections.push_back({".nv.shared." + kernel.name, "", SHT_NOBITS, 0, kernel.resources->shared});
  }
  if (!all_info.empty()) {
    sections.push_back({".nv.info", all_info});
    sections.push_back({".strtab", symbol_names, SHT_STRTAB});
    sections.push_back({".symtab", symbols, SHT_SYMTAB, static_cast<std::uint32_t>(sections.size() - 1)});
  }
  std::string names;
  std::vector<std::uint32_t> at;
  for (const Section& s : sections) {
    at.push_back(static_cast<std::uint32_t>(names.size()));
    names += s.name + '\0';
  }
  sections[1].bytes = names;

  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_ABIVERSION] = static_cast<unsigned char>(version);
  header.e_machine = EM_CUDA;
  header.e_flags = static_cast<std::uint32_t>(version >= 8 ? cc << 8 | 0x06000004 : cc | 0x500500);
  header.e_shnum = static_cast<std::uint16_t>(sections.size());
  header.e_shstrndx = 1;
  std::string body;
  std::vector<Elf64_Shdr> rows;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    Elf64_Shdr row{};
    row.sh_name = at[i];
    row.sh_type = sections[i].type;
    row.sh_link = sections[i].link;
    row.sh_offset = sizeof header + body.size();
    row.sh_size = sections[i].bytes.size() + sections[i].reserved;
    rows.push_back(row);
    body += sections[i].bytes;
  }
  header.e_shoff = sizeof header + body.size();
  std::string file(reinterpret_cast<const char*>(&header), sizeof header);
  file += body;
  file.append(reinterpret_cast<const char*>(rows.data()), rows.size() * sizeof(Elf64_Shdr));
  return file;
}
