// Evaluates predictions as launches do: reads one after the other, and prints the bits of both results and of the variables, a line for each. All that it
// reads are numbers of 64 bits: the bytes of a program, how many prepared numbers, entries and sizes there are, these, and the host's threads.
#include "../../support/program.h"

#include <stdio.h>
#include <stdlib.h>

static uint64_t number(void) {
  uint64_t value;
  if (fread(&value, sizeof value, 1, stdin) != 1)
    exit(0);
  return value;
}

static uint64_t *numbers(uint64_t count) {
  uint64_t *values = malloc((count + 1) * sizeof *values);
  for (uint64_t at = 0; at < count; ++at)
    values[at] = number();
  return values;
}

int main(void) {
  for (;;) {
    uint64_t length = number(), prepared_count = number(), entry_count = number();
    uint8_t *program = malloc(length + 1);
    if (fread(program, 1, length, stdin) != length)
      return 1;
    uint64_t *prepared = numbers(prepared_count), *values = numbers(entry_count);
    int64_t *sizes = (int64_t *)numbers(entry_count);
    struct ipda_launch launch = {3, (uint32_t)entry_count, values, 0, sizes};
    struct ipda_times times = __ipda_evaluate(program, prepared, &launch, (int32_t)number());
    uint64_t bits[2];
    __builtin_memcpy(bits, &times, sizeof bits);
    printf("%llx %llx", (unsigned long long)bits[0], (unsigned long long)bits[1]);
    for (uint32_t at = 0; at < captured_count(program); ++at) {
      double value = captured_number(program, at, &launch);
      __builtin_memcpy(bits, &value, sizeof value);
      printf(" %llx", (unsigned long long)bits[0]);
    }
    puts("");
    free(program), free(prepared), free(values), free(sizes);
  }
}
