/* The C program of the reflection test alone: runs the problems of a file that `reflection_test FILE` wrote, maybe on another machine. Results have the
 * bytes that they had there, but for what depends on the processor. */
#include <string.h>

#include "driver.h"

int main(int argc, char** argv) {
  FILE* in = argc == 2 ? fopen(argv[1], "r") : NULL;
  if (!in) {
    fprintf(stderr, "usage: alone FILE, which reflection_test writes\n");
    return 2;
  }
  char word[8] = "";
  long problems = 0;
  while (fscanf(in, "%7s", word) == 1) problems += strcmp(word, "problem") == 0;
  rewind(in);
  const int failures = drive(in, 1);
  fclose(in);
  printf("%ld problems, %d results differ\n", problems, failures);
  return failures != 0 || problems == 0;
}
