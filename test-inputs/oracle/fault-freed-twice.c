// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %arguments > %t.yaml
// RUN: %not %ipda-trace %t.bc --args %t.yaml 2>&1 | %FileCheck %s
//
// Memory that is given back twice.
// ARGS: n: 5

void *malloc(unsigned long);
void free(void *);

void use(int n, int *x) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < n; ++i) {
    int *own = (int *)malloc(8);
    own[1] = x[i];
    x[i] = own[1] + 1;
    free(own);
    free(own);
  }
}

// CHECK: {{.*}}fault-freed-twice.c:19:5: the kernel frees memory at {{.+}} a second time
