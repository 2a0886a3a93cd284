/* Preloaded: counts how often plans are asked for, before the library is asked. The count is the value of adj_test_selections. */
#include <adjoint.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

__attribute__((visibility("default"))) atomic_long adj_test_selections;

adj_status adj_plan_acquire(const adj_stream* stream, const adj_header* descriptor, const adj_preference* preference, adj_plan** out, adj_error** error) {
  typedef adj_status (*acquire)(const adj_stream*, const adj_header*, const adj_preference*, adj_plan**, adj_error**);
  atomic_fetch_add(&adj_test_selections, 1);
  void* const found = dlsym(dlopen("libadjoint.so.1", RTLD_NOW), "adj_plan_acquire");
  acquire real;
  memcpy(&real, &found, sizeof real);
  return real(stream, descriptor, preference, out, error);
}
