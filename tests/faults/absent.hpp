// Makes one function absent from every library, and one library unknown to the loader. Included by tests that are linked with --wrap=dlsym,--wrap=dlopen.
#pragma once

#include <dlfcn.h>

#include <cstring>

// The linker sends the calls of dlsym here.
extern "C" void* __real_dlsym(void* handle, const char* name);
inline const char* absent_symbol = "";
// Not instrumented: a sanitizer looks its functions up before it is ready.
extern "C" inline __attribute__((used, no_sanitize("address", "undefined"))) void* __wrap_dlsym(void* handle, const char* name) {
  if (!*absent_symbol || std::strcmp(name, absent_symbol) != 0) return __real_dlsym(handle, name);
  return nullptr;
}
extern "C" void* __real_dlopen(const char* file, int mode);
inline const char* absent_library = "";  // the name of a file: those outside of /tmp are absent
extern "C" inline __attribute__((used, no_sanitize("address", "undefined"))) void* __wrap_dlopen(const char* file, int mode) {
  const char* const name = file && std::strrchr(file, '/') ? std::strrchr(file, '/') + 1 : file;
  const bool absent = *absent_library && file && std::strcmp(name, absent_library) == 0 && std::strncmp(file, "/tmp/", 5) != 0;
  return __real_dlopen(absent ? "/nonexistent/library.so" : file, mode);
}
