// Launches take their times, without a library or a file. The prediction chooses the device, which takes a fifth of a second in place of a millisecond:
// of its launches the program's first does not count, and the least of the next three does. By that the host is expected to take less: it is tried, and
// goes on. The host's first launch does not count either, so that there is a second trial.
// RUN: %clang -O2 -w -c -x c %S/learned-runtime.inc -o %t.runtime.o
// RUN: env IPDA_GPU=h200 IPDA_CPU=epyc-milan %clang -O2 -g -w %x86-offload %load -Wl,-rpath,%llvm-lib %s %t.runtime.o -o %t
// DEFINE: %{run} = env OMP_NUM_THREADS=1 %t 200
// RUN: env IPDA_OFFLOAD=model IPDA_LOG=calls %{run} 2>&1 | %FileCheck %s --implicit-check-not=": on the "
// RUN: env IPDA_OFFLOAD=model IPDA_LOG=summary %{run} 2>&1 | %FileCheck %s --check-prefix=SUMMARY
// Where that is switched off, where the user chooses, where a launch does not wait for its end, and where the device is as fast as predicted, it stays.
// RUN: env IPDA_OFFLOAD=model IPDA_LEARN=off IPDA_LOG=calls %{run} 2>&1 | %FileCheck %s --check-prefix=STAYS --implicit-check-not="on the host;"
// RUN: env IPDA_OFFLOAD=always IPDA_LOG=calls %{run} 2>&1 | %FileCheck %s --check-prefix=STAYS --implicit-check-not="on the host;"
// RUN: env IPDA_OFFLOAD=model IPDA_REPRODUCIBLE=1 IPDA_LOG=summary %{run} 2>&1 | %FileCheck %s --check-prefix=FIXED --implicit-check-not=" host "
// RUN: env IPDA_OFFLOAD=model IPDA_LOG=calls OMP_NUM_THREADS=1 %t 0 2>&1 | %FileCheck %s --check-prefix=STAYS --implicit-check-not="on the host;"
// RUN: env IPDA_OFFLOAD=model IPDA_LOG=calls %{run} nowait 2>&1 | %FileCheck %s --check-prefix=LEFT --implicit-check-not="on the host;" --implicit-check-not=": took"
// Words that mean nothing; a file is the library's to keep. There the next program finds what this one has learned.
// RUN: env IPDA_OFFLOAD=model IPDA_LEARN=yes %{run} 2>&1 | %FileCheck %s --check-prefix=MISSPELT
// RUN: env IPDA_OFFLOAD=model IPDA_LEARN=here.txt %{run} 2>&1 | %FileCheck %s --check-prefix=NO-FILE
// RUN: rm -f %t.learned
// RUN: env IPDA_OFFLOAD=model IPDA_LEARN=%t.learned LD_PRELOAD=%ipda-rt IPDA_LIBCUDA=/none %{run}
// RUN: %FileCheck %s --check-prefix=FILE --input-file %t.learned
// RUN: env IPDA_OFFLOAD=model IPDA_LEARN=%t.learned LD_PRELOAD=%ipda-rt IPDA_LIBCUDA=/none IPDA_LOG=calls %{run} 2>&1 | %FileCheck %s --check-prefix=KNOWN --implicit-check-not="on the device;"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern long device_takes;

// Steps that need each other: the host takes some hundredths of a second.
static void smooth(int n, float *x) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 20; ++k)
      x[i] = x[i] * 0.5f + 1;
}
static void smooth_later(int n, float *x) {
#pragma omp target parallel for map(tofrom : x[0 : n]) nowait
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 200; ++k)
      x[i] = x[i] * 0.5f + 1;
#pragma omp taskwait
}

int main(int count, char **words) {
  enum { N = 1000000 };
  static float x[N];
  device_takes = 1000000 * atol(words[1]);
  for (int launch = 0; launch < 9; ++launch)
    if (count > 2)
      smooth_later(N / 10, x);
    else
      smooth(N, x);
  fprintf(stderr, "done\n");
}

// CHECK-COUNT-4: smooth at {{.*}} (n = 1000000): on the device; predicted {{[^ ]+}} s on the host, {{[^ ]+}} s there, within factors of {{[0-9.]+}} and {{[0-9.]+}}{{(, in doubt.*)?$}}
// CHECK-COUNT-2: smooth at {{.*}} (n = 1000000): on the host; predicted {{.*}} s there, within factors of {{[0-9.]+}} and {{[0-9.]+}}, to try it for what launches took
// CHECK: smooth at {{.*}}: took {{.*}} s on the host, {{.*}} times the predicted
// CHECK-COUNT-3: smooth at {{.*}} (n = 1000000): on the host; predicted {{.*}} s there, within factors of {{[0-9.]+}} and {{[0-9.]+}}, for what launches took
// CHECK: done

// SUMMARY: done
// SUMMARY-NEXT: ipda: region where launches predicted measured measured/predicted
// SUMMARY-NEXT: ipda: smooth at {{[^ ]+}} host 5 {{[^ ]+}} s {{[^ ]+}} s {{[^ ]+}} won {{[^ ]+}} s
// SUMMARY-NEXT: ipda: smooth at {{[^ ]+}} device 4 {{[^ ]+}} s 0.2{{[^ ]*}} s {{[^ ]+}} lost {{[^ ]+}} s

// STAYS-COUNT-9: smooth at {{.*}} (n = 1000000): on the device;
// STAYS: done
// FIXED: smooth at {{[^ ]+}} device 9 
// LEFT-COUNT-9: smooth_later at {{.*}} (n = 100000{{.*}}): on the device;
// LEFT: done
// MISSPELT: ipda: IPDA_LEARN=yes: not on, off, or a file with a / or . in its name; it is taken as if it had not been set
// NO-FILE: ipda: IPDA_LEARN=here.txt: without libipda_rt.so nothing is kept in a file
// FILE: ipda learned 2
// FILE-NEXT: 3	{{[0-9.]+}}	3	{{[0-9.e-]+}}	{{[0-9]+}}	open	h200, epyc-milan
// KNOWN-COUNT-9: smooth at {{.*}}: on the host;
// KNOWN: done
