#include "scale.h"
#include <stdio.h>

enum { N = 50, M = 70 };

int main(void) {
  static float A[N * M], B[N * M];
  for (int i = 0; i < N * M; ++i)
    A[i] = i;
  scale(N, M, A, B);
  for (int i = 0; i < N * M; ++i)
    if (B[i] != 2 * A[i])
      return printf("B[%d] is wrong\n", i), 1;
  puts("right");
}
