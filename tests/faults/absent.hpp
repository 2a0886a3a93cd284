// Makes one function absent from every library. Included by tests that are linked with --wrap=dlsym.
#pragma once

#include <cstring>

// The linker sends the calls of dlsym here.
extern "C" void* __real_dlsym(void* handle, const char* name);
inline const char* absent_symbol = "";
// Not instrumented: a sanitizer looks its functions up before it is ready.
extern "C" inline __attribute__((used, no_sanitize("address", "undefined"))) void* __wrap_dlsym(void* handle, const char* name) {
  if (!*absent_symbol || std::strcmp(name, absent_symbol) != 0) return __real_dlsym(handle, name);
  return nullptr;
}
