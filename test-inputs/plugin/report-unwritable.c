// A report that cannot be written: one warning, and the compilation goes on. A symbolic link is followed, and what is no regular file
// is not replaced by one.
// RUN: rm -rf %t && mkdir %t && echo "" > %t/file
// RUN: env IPDA_REPORT=%t/missing/report.yaml %clang -O2 %x86-offload %load -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: test -s %t.o
// RUN: env IPDA_REPORT=%t/file/ %clang-device %s -o %t.s 2>&1 | %FileCheck %s
// RUN: test -s %t.s
// RUN: ln -s target.yaml %t/link.yaml && touch %t/target.yaml
// RUN: env IPDA_REPORT=%t/link.yaml %clang-device %s -o %t.s
// RUN: test -h %t/link.yaml
// RUN: %FileCheck %s --check-prefix=REPORT < %t/target.yaml
// RUN: ln -s /dev/stdout %t/stdout.yaml
// RUN: env IPDA_REPORT=%t/stdout.yaml %clang-device %s -o %t.s | %FileCheck %s --check-prefix=REPORT
// RUN: test -h %t/stdout.yaml

void clear(int n, float *x) {
#pragma omp target teams distribute parallel for map(from : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = 0.0f;
}

// CHECK: warning: ipda: {{(there is no report: cannot write|cannot create the report folder)}} {{.*}}{{(missing/report.yaml|file/)}}
// CHECK-NOT: warning: ipda
// REPORT: function: clear
