// Structures that grow between versions: checks of size, tag and chain, and copies from a caller's shorter or longer structure.
#pragma once

#include <cstring>

#include "base/error.hpp"

namespace adj {

// Structures larger than this are taken for garbage rather than for a future version.
constexpr std::uint64_t kLargestStruct = 1 << 16;

// Description of the structure with this tag, such as "the arguments of softmax_forward"; empty for an unknown tag.
std::string owner_of(adj_tag tag);
// Name of the initialiser of the structure with this tag, such as "ADJ_SOFTMAX_FORWARD_ARGS_INIT"; empty for an unknown tag.
std::string initialiser_of(adj_tag tag);
// Error for a structure with the wrong tag. expected = 0: any descriptor would have done.
Error wrong_tag(const char* what, adj_tag tag, adj_tag expected);

// Bytes of the structure with this tag in the first version of the interface that has it: the least struct_size that is accepted. 0 for an
// unknown tag. From the release of an interface on its sizes are recorded (tests/abi/layout-1.golden) and no longer follow from sizeof.
std::uint64_t first_size(adj_tag tag);

// Checks a caller's structure against ours (`size` bytes). The first version of every structure is the shortest legal one.
inline Result<void> check_header(const adj_header* header, adj_tag tag, std::uint64_t first_size, std::uint64_t size, const char* what) {
  if (!header) return fail(ADJ_ERROR_INVALID_ARGUMENT, "{} is null", what);
  if (header->tag != tag) return wrong_tag(what, header->tag, tag);
  if (header->struct_size < first_size)
    return fail(ADJ_ERROR_STRUCT_SIZE, "{}: header.struct_size = {}, expected at least {}", what, header->struct_size, first_size);
  if (header->struct_size > kLargestStruct) return fail(ADJ_ERROR_STRUCT_SIZE, "{}: header.struct_size = {}, expected {}", what, header->struct_size, size);
  if (header->reserved != 0) return fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: header.reserved = {}, expected 0", what, header->reserved);
  // The pointer is not followed: in memory that was not initialised it may be invalid.
  if (header->next) return fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: header.next = {}, expected null: no structure is chained in this version", what, header->next);
  const auto* bytes = reinterpret_cast<const unsigned char*>(header);
  for (std::uint64_t i = size; i < header->struct_size; ++i)
    if (bytes[i] != 0)
      return fail(ADJ_ERROR_STRUCT_SIZE, "{}: header.struct_size = {} is longer than the {} bytes this library knows, and byte {} is not zero", what,
                  header->struct_size, size, i);
  return {};
}

// The member at an offset of a structure, read as T whatever its declared type is.
template <class T>
T read(const void* base, std::uint64_t offset) {
  T value;
  std::memcpy(&value, static_cast<const char*>(base) + offset, sizeof value);
  return value;
}

// Copies a checked structure over `out`, which holds defaults. Members that a shorter structure of the caller lacks keep their defaults.
inline void copy_struct(void* out, const adj_header* in, std::uint64_t size) {
  std::memcpy(out, in, std::min(in->struct_size, size));
  static_cast<adj_header*>(out)->struct_size = size;
}

}  // namespace adj
