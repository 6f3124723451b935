// REQUIRES: cuda, libomp-device-bc
// Registers, stack and shared memory of the finished device code, and the instructions of its loops, come from the embedded device object: for
// each processor, and as ptxas tells them itself.
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx-two %remarks %load -Xcuda-ptxas -v -c %s -o %t.o 2> %t.log
// RUN: sed -n 's/.*Used \([0-9]*\) registers.*/registers: \1/p' %t.log | sort > %t.expected
// RUN: sed -n 's/^ *registers: /registers: /p' %t.yaml | sort > %t.found
// RUN: diff %t.expected %t.found
// RUN: sed -n 's/.* \([0-9]*\) bytes smem.*/shared_bytes: \1/p' %t.log | sort > %t.expected
// RUN: sed -n 's/^ *shared_bytes: /shared_bytes: /p' %t.yaml | grep -v ' 0$' | sort > %t.found
// RUN: diff %t.expected %t.found
// RUN: %FileCheck %s --check-prefix=REMARK < %t.log
// RUN: %ipda report --details %t.yaml | %FileCheck %s --check-prefixes=CHECK,CUBIN
// An object that is no machine code yet does not tell; its loops are known all the same. Neither does one for the host's processor.
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g -foffload-lto %nvptx %load -c %s -o %t.o
// RUN: %ipda report --details %t.yaml | %FileCheck %s --check-prefixes=CHECK,BITCODE
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g -fopenmp --offload-arch=gfx90a -nogpulib %load -c %s -o %t.o
// RUN: %ipda report --details %t.yaml | %FileCheck %s --check-prefix=AMD
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %x86-offload %load -c %s -o %t.o
// RUN: %ipda report --details %t.yaml | %FileCheck %s --check-prefix=HOST

void norms(int n, int m, const double *a, float *x) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(from : x[0 : n])
  for (int i = 0; i < n; ++i) {
    double sum = 0.0;
#pragma clang loop unroll(disable)
    for (int j = 0; j < m; ++j)
      sum += a[j * n + i] / a[i];
    x[i] = __builtin_sqrt(sum);
  }
}

// Teams share what the threads of each get.
void rows(int n, int m, double *a) {
#pragma omp target teams distribute map(tofrom : a[0 : n * m])
  for (int i = 0; i < n; ++i) {
    double first = a[i * m];
#pragma omp parallel for
    for (int j = 0; j < m; ++j)
      a[i * m + j] -= first;
  }
}

// REMARK: remark: {{.*}}:[[#@LINE-21]]:1: a thread takes {{[0-9]+}} registers on sm_80, {{[0-9]+}} registers on sm_90

// CHECK: norms, {{.*}}host-knows-resources.c
// CUBIN: code sm_80: {{[0-9]+}} registers a thread, no stack, {{([0-9]+ bytes of shared memory a team|no shared memory)}}
// CUBIN: sm_90: {{[0-9]+}} registers a thread, no stack, {{([0-9]+ bytes of shared memory a team|no shared memory)}}
// BITCODE: code sm_90: what it needs is not known before linking
// CHECK: in a loop at line [[#@LINE-23]], depth {{[0-9]}}: {{.*}}load-global{{.*}}1 float64{{.*}}1 divide64
// CHECK: rows, {{.*}}host-knows-resources.c
// CUBIN: code sm_80: {{[0-9]+}} registers a thread, no stack, {{[1-9][0-9]*}} bytes of shared memory a team

// AMD: norms, {{.*}}host-knows-resources.c
// AMD: code gfx90a: what it needs is not known before linking
// AMD: 1 divide64

// HOST: norms, {{.*}}host-knows-resources.c
// HOST-NOT: code
