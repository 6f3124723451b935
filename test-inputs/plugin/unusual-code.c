// Code that is rare in kernels: whatever is made of it, nothing crashes, no region is lost, and the result does not change.
// RUN: %same-result %clang -O0 -g -fopenmp --offload-arch=gfx90a -nogpulib --offload-device-only -S -w %remarks %s 2>&1 | %FileCheck %s
// RUN: %same-result %clang -O2 -fopenmp --offload-arch=gfx90a -nogpulib --offload-device-only -S -w %remarks %s 2>&1 | %FileCheck %s
// RUN: %same-result %clang -O2 -fopenmp --offload-arch=sm_90 -nogpulib --offload-host-only -S -w %remarks %s 2>&1 | %FileCheck %s

#define FOR_EACH_I _Pragma("omp target teams distribute parallel for map(tofrom : x[0 : n])") for (int i = 0; i < n; ++i)

void *malloc(__SIZE_TYPE__);
void free(void *);
int printf(const char *, ...);

struct flags {
  unsigned ready : 3, count : 5;
};
union number {
  float real;
  int bits;
};
struct record {
  float values[100];
};
typedef float four_floats __attribute__((vector_size(16)));

void assembly(int n, float *x) {
  FOR_EACH_I {
    __asm__ volatile("" ::: "memory");
    x[i] += 1.0f;
  }
}
void volatile_access(int n, volatile float *x) { FOR_EACH_I x[i] += 1.0f; }
void wide_integer(int n, __int128 *x) { FOR_EACH_I x[i] *= 3; }
void complex_number(int n, _Complex double *x) { FOR_EACH_I x[i] *= x[i]; }
void bit_field(int n, struct flags *x) { FOR_EACH_I x[i].count++; }
void union_members(int n, union number *x) {
  FOR_EACH_I {
    x[i].bits++;
    x[i].real *= 2.0f;
  }
}
void vectors(int n, four_floats *x) { FOR_EACH_I x[i] *= x[i]; }
void whole_records(int n, struct record *x) { FOR_EACH_I x[i] = x[(i + 1) % n]; }
void computed_jump(int n, int *x) {
  FOR_EACH_I {
    static void *const labels[] = {&&even, &&odd};
    goto *labels[x[i] & 1];
  even:
    x[i] = 1;
    continue;
  odd:
    x[i] = 2;
  }
}
void many_ways(int n, int *x) {
  FOR_EACH_I switch (x[i]) {
  case 1:
    x[i] = 4;
    break;
  case 2:
    x[i + 1] = 3;
  case 9:
    x[2 * i] = 1;
    break;
  default:;
  }
}
void trap(int n, int *x) {
  FOR_EACH_I if (x[i] < 0) __builtin_trap();
  else x[i]++;
}
void endless(int n, volatile int *x) {
  FOR_EACH_I for (;;) x[i]++;
}
void null_pointer(int n, float *x) { FOR_EACH_I *(volatile int *)0 = 1; }
void address_from_memory(int n, long *x) { FOR_EACH_I *(float *)(x[i] + 8) = 1.0f; }
void pointer_difference(int n, float *x) {
  float *end = x + n;
  FOR_EACH_I {
    float *p = x + i;
    p[end - p] = 1.0f;
  }
}
void bit_tricks(int n, int *x) {
  FOR_EACH_I {
    x[i << 2] = x[i >> 1];
    x[(unsigned)i >> 3] = x[i & 15];
    x[i ^ 5] = x[i | 3];
    x[1 << (i & 7)] = x[i % 3];
  }
}
void powers(int n, int *x) { FOR_EACH_I x[i * i] = x[i * i * i]; }
void deep_nest(int n, float *x) {
  FOR_EACH_I for (int a = 0; a < n; a++) for (int b = a; b < n; b++) for (int c = b; c < a; c++) for (int d = c; d < b; d++)
      for (int e = d; e < c; e++) x[i + a * b * c * d * e] = 1.0f;
}
void heap(int n, float *x) {
  FOR_EACH_I {
    float *copy = malloc(n * sizeof *copy);
    copy[i] = x[i];
    x[i] = copy[n - i];
    free(copy);
  }
}
void output(int n, float *x) { FOR_EACH_I printf("%d\n", i); }
void no_iteration(float *x) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : 1])
  for (int i = 0; i < 0; ++i)
    x[i] = 1.0f;
}
void narrow_counter(signed char n, float *x) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : 100])
  for (signed char i = 0; i < n; i += 3)
    x[i] = 1.0f;
}
void wide_counter(float *x) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : 1])
  for (long i = -0x7fffffffffffffffL; i < 0x7fffffffffffffffL; i += 0x100000000L)
    x[i * 0x7fffffffffffL] = 1.0f;
}
void pointer_counter(int n, float *x) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n])
  for (float *p = x; p < x + n; p += 2)
    *p = 1.0f;
}

// CHECK-NOT: internal error
// CHECK-COUNT-24: target region in '{{[a-z_]+}}',
// CHECK-NOT: {{internal error|target region in '[a-z_]+',}}
