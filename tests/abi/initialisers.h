#include <stddef.h>
#include <stdint.h>

typedef struct initialiser {
  int32_t op;
  const char* name;
  const void* descriptor;
  const void* args;
  size_t descriptor_size, args_size;
} initialiser;
