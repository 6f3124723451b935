// Where clang makes no code, the plugin has nothing to say.
// RUN: %clang -fsyntax-only -fopenmp --offload-arch=sm_90 -nogpulib %remarks %load %s > %t.out 2>&1
// RUN: %clang -E -fopenmp --offload-arch=sm_90 -nogpulib --offload-host-only %remarks %load %s -o %t.i >> %t.out 2>&1
// RUN: test ! -s %t.out
