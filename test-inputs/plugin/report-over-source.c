// A report is written over a report, an empty file, or nothing; a source that is named by mistake stays what it is, one sentence says so, and the
// compilation goes on. What is no file takes the report and stays what it is.
//
// RUN: rm -rf %t && mkdir %t && cp %s %t/a.c && cd %t
// DEFINE: %{compile} = %clang -O1 -fopenmp --offload-arch=sm_90 -nogpulib --offload-device-only -S -o a.s %load a.c
//
// RUN: env IPDA_REPORT=a.c %{compile} 2>&1 | %FileCheck %s --check-prefix=KEPT
// RUN: cmp %s %t/a.c && test -s %t/a.s
// KEPT: there is no report: a.c is not an ipda report, and stays as it is: name another file, or remove it first
//
// The same by the file of options, by a link, and of anything else that is no report; a file with a comment in front is none that the plugin wrote.
// RUN: echo 'report: a.c' > %t/ipda.yaml && %{compile} 2>&1 | %FileCheck %s --check-prefix=KEPT && rm %t/ipda.yaml && cmp %s %t/a.c
// RUN: ln -s a.c %t/link && env IPDA_REPORT=link %{compile} 2>&1 | %FileCheck %s --check-prefix=LINK && cmp %s %t/a.c && test -L %t/link
// RUN: printf '# ipda_report: 5\n' > %t/other && cp %t/other %t/before && env IPDA_REPORT=other %{compile} 2>&1 | %FileCheck %s --check-prefix=OTHER
// RUN: cmp %t/other %t/before
// LINK: link is not an ipda report
// OTHER: other is not an ipda report
//
// Twins: nothing yet, an empty file, a report, and links to these.
// RUN: env IPDA_REPORT=r.yaml %{compile} 2>&1 | %FileCheck %s --allow-empty --check-prefix=SILENT
// RUN: cp %t/r.yaml %t/first && env IPDA_REPORT=r.yaml %{compile} 2>&1 | %FileCheck %s --allow-empty --check-prefix=SILENT
// RUN: cmp %t/r.yaml %t/first && grep -q '^source: a.c' %t/r.yaml
// RUN: truncate -s 0 %t/r.yaml && ln -s r.yaml %t/to-report && env IPDA_REPORT=to-report %{compile} 2>&1 | %FileCheck %s --allow-empty --check-prefix=SILENT
// RUN: cmp %t/r.yaml %t/first && test -L %t/to-report
// RUN: ln -s new.yaml %t/to-nothing && env IPDA_REPORT=to-nothing %{compile} 2>&1 | %FileCheck %s --allow-empty --check-prefix=SILENT
// RUN: cmp %t/new.yaml %t/first && test -L %t/to-nothing
//
// SILENT-NOT: {{.}}
//
// Pipes and devices.
// RUN: mkfifo %t/pipe && bash -c 'exec 3<>pipe; IPDA_REPORT=pipe timeout 60 "$@" && dd bs=65536 count=1 <&3 > taken 2>dd.log' - %{compile}
// RUN: grep -q '^source: a.c' %t/taken && test -p %t/pipe
// RUN: env IPDA_REPORT=/dev/null %{compile} 2>&1 | %FileCheck %s --allow-empty --check-prefix=SILENT
// RUN: test -c /dev/null
// RUN: env IPDA_REPORT=/dev/stdout %{compile} > %t/printed && grep -q '^source: a.c' %t/printed
void scale(int n, float *a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
  for (int i = 0; i < n; ++i)
    a[i] *= 2;
}
