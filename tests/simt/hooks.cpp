// Functions that code compiled with -fsanitize=thread calls before each access. The sanitizer's own runtime is not linked: it knows nothing
// of our fibers. Kernels are compiled with memcpy and memset renamed to the two functions at the end.
#include <cstring>

#include "access.hpp"

extern "C" {

void __tsan_init();
void __tsan_func_entry(void*);
void __tsan_func_exit();
void __tsan_vptr_update(void**, void*);
void __tsan_vptr_read(void**);
void __tsan_read_range(const void* p, unsigned long n);
void __tsan_write_range(const void* p, unsigned long n);
void* adj_simt_memcpy(void* to, const void* from, std::size_t n);
void* adj_simt_memmove(void* to, const void* from, std::size_t n);
void* adj_simt_memset(void* to, int value, std::size_t n);

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

#define ADJ_HOOK(n)                                                       \
  void __tsan_read##n(const void* p);                                     \
  void __tsan_write##n(const void* p);                                    \
  void __tsan_unaligned_read##n(const void* p);                           \
  void __tsan_unaligned_write##n(const void* p);                          \
  void __tsan_volatile_read##n(const void* p);                            \
  void __tsan_volatile_write##n(const void* p);                           \
  void __tsan_read##n(const void* p) { simt::on_read(p, n); }             \
  void __tsan_write##n(const void* p) { simt::on_write(p, n); }           \
  void __tsan_unaligned_read##n(const void* p) { simt::on_read(p, n); }   \
  void __tsan_unaligned_write##n(const void* p) { simt::on_write(p, n); } \
  void __tsan_volatile_read##n(const void* p) { simt::on_read(p, n); }    \
  void __tsan_volatile_write##n(const void* p) { simt::on_write(p, n); }
ADJ_HOOK(1)
ADJ_HOOK(2)
ADJ_HOOK(4)
ADJ_HOOK(8)
ADJ_HOOK(16)
#undef ADJ_HOOK

void __tsan_read_range(const void* p, unsigned long n) { simt::on_read(p, n); }
void __tsan_write_range(const void* p, unsigned long n) { simt::on_write(p, n); }

void* adj_simt_memcpy(void* to, const void* from, std::size_t n) {
  simt::on_read(from, n);
  simt::on_write(to, n);
  return std::memcpy(to, from, n);
}
void* adj_simt_memmove(void* to, const void* from, std::size_t n) {
  simt::on_read(from, n);
  simt::on_write(to, n);
  return std::memmove(to, from, n);
}
void* adj_simt_memset(void* to, int value, std::size_t n) {
  simt::on_write(to, n);
  return std::memset(to, value, n);
}

}  // extern "C"
