// The arguments of a call: reading them at full size, and checking them against the plan.
#pragma once

#include <cstddef>
#include <cstring>

#include "plan/plan.hpp"
#include "plan/structs.hpp"

// Code for wide registers: loops over lists of thousands of entries. The loader chooses it by what the processor has, as glibc's does and musl's does not.
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define ADJ_WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define ADJ_WIDE
#endif

namespace adj {

constexpr std::size_t kLargestArgs = 4096;  // bytes of an argument structure; tests/unit checks every operator against it

template <class T>
const T& argument(const std::byte* args, const ArgumentInfo& info) {
  return *reinterpret_cast<const T*>(args + info.offset);
}

// A caller's arguments at full size: the caller's own structure when its size is ours, else a copy completed with defaults.
class ArgsView {
 public:
  Result<void> read(const OpInfo& op, const adj_header* args) {
    if (args && args->struct_size == op.args_size && args->tag == ADJ_ARGS_TAG(op.id) && !args->reserved && !args->next) {
      bytes_ = reinterpret_cast<const std::byte*>(args);
      return {};
    }
    char what[64];
    *fmt::format_to_n(what, sizeof what - 1, "{} args", op.name).out = '\0';
    if (auto ok = check_header(args, ADJ_ARGS_TAG(op.id), op.first_args_size, op.args_size, what); !ok) return ok;
    std::memcpy(copy_, op.default_args, op.args_size);
    copy_struct(copy_, args, op.args_size);
    bytes_ = copy_;
    return {};
  }
  const std::byte* get() const { return bytes_; }

 private:
  const std::byte* bytes_ = nullptr;
  alignas(16) std::byte copy_[kLargestArgs];
};

// True when a tensor of this shape is what the descriptor asks for: consecutive groups of dims multiply to the extents.
bool shape_fits(const ArgumentSpec& spec, std::span<const std::int64_t> dims);

// `thorough`: overlap between any two entries of lists as well, which takes n log n time.
Result<void> check_args(const Plan& plan, const std::byte* args, bool thorough);
// The stream must be of the kind and on the device that the plan was selected for.
Result<void> check_stream(const Plan& plan, const adj_stream& stream);
// `need`: bytes that the call uses.
Result<void> check_workspace(const Plan& plan, const adj_workspace& workspace, std::uint64_t need, const std::byte* args);

}  // namespace adj
