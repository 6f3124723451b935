// In a whole build the device's code is what people read of: here #ifdef makes the host's another one, and the host's ABI hands a structure of two
// floats over in one register. The names are those of the host's debug information, which the device's code does not have; the remarks come
// from the device's compilation, which has the source at hand. What launches take is the host's word.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang++ -O2 -g %nvptx %remarks %load -c %s -o %t.o 2> %t.remarks
// RUN: %FileCheck %s --check-prefix=REMARK --input-file %t.remarks
// RUN: %ipda report %t.yaml --width 300 | %FileCheck %s
//
// The optimisation record, which both compilations write to one file, has everything.
// RUN: %clang++ -O2 -g %nvptx %load -c %s -o %t.o -fsave-optimization-record -foptimization-record-file=%t.record
// RUN: %FileCheck %s --check-prefix=RECORD --input-file %t.record
//
// What travelled is not in the object: with no debug information, which has ptxas' input, the image is at most a step and a symbol larger.
// RUN: env IPDA_REPORT=%t.yaml %clang++ -O2 %nvptx %load -c %s -o %t.reported.o
// RUN: %clang++ -O2 %nvptx %load -c %s -o %t.silent.o
// RUN: bash -c 'test $(wc -c < %t.reported.o) -le $(($(wc -c < %t.silent.o) + 512))'
//
// Of two devices the first is reported, and the other where it differs.
// RUN: env IPDA_REPORT=%t.two.yaml %clang++ -O2 -g %nvptx-two %load -c %s -o %t.o
// RUN: %ipda report %t.two.yaml --width 300 | %FileCheck %s --check-prefix=TWO

void scale(float *a, int n) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * 64])
  for (int i = 0; i < n; ++i)
#ifdef __NVPTX__
    a[i * 64] *= 2;
#else
    a[i] *= 2;
#endif
}

// REMARK: device-tells-of-its-code.cpp:[[#@LINE-9]]:1: remark: target region in 'scale', SPMD mode
// REMARK-NEXT: #pragma omp target
// REMARK: device-tells-of-its-code.cpp:[[#@LINE-8]]:15: remark: load from a (4 bytes): neighbouring threads are 256 bytes apart
// REMARK-NEXT: a[i * 64]
// REMARK-NEXT: ^
// RECORD: Name: Access
// RECORD: Name: Uncoalesced
// RECORD: Name: Registers
// CHECK: host compilation for x86_64-pc-linux-gnu, with accesses as the code for sm_90 has them; counted for the GPU h100-sxm
// CHECK: scale,
// CHECK: :15 load a 4 i 256 uncoalesced 32
// CHECK: launches stay on the device: the device's version is not known to compute what the host's does
// CHECK: code sm_90: {{[0-9]+}} registers a thread

struct pair {
  float x, y;
};

void move(pair *v, const float *w, int n) {
#pragma omp target teams distribute parallel for map(tofrom : v[0 : n]) map(to : w[0 : n])
  for (int i = 0; i < n; ++i) {
    pair t = v[i];
    t.x += w[i];
    t.y -= w[i];
    v[i] = t;
  }
}

// CHECK: move,
// CHECK: store v 4 i 8 strided
// CHECK: store v 4 i 8 strided
// CHECK: accesses 5 to global memory

void only_late(float *a, int n) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * 8])
  for (int i = 0; i < n; ++i)
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
    a[i] *= 2;
#else
    a[i * 8] *= 2;
#endif
}

// REMARK: a thread takes {{[0-9]+}} registers on sm_90
// TWO: with accesses as the code for sm_80 has them, and what differs on sm_90; counted for the GPU a100
// TWO: only_late,
// TWO: load a 4 i 4 coalesced
// TWO: on sm_90 counted for the GPU h100-sxm with warps of 32 threads
// TWO: load a: uncoalesced, stride 32, 32 sectors a warp
