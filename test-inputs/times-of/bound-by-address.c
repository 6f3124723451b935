// The bound of the shared loop is mapped by its address: the kernel reads it from memory, which may hold another value there. How many iterations it has
// is handed to the launch: 2^24, and 134 MB move, not what 128 iterations move, which takes less than a microsecond. (2^20 would stay in L2.) That takes 44.7 us
// at 3 TB a second, and no more than the 10.5 us beside for which a team's warps wait.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D 'load4([n])=16777216' | %FileCheck %s
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D 'load4([n])=16777216' --as-at-launch | %FileCheck %s
// RUN: env IPDA_GPU=h200 %clang -O2 -g -w %x86-offload %load -Wl,-rpath,%llvm-lib -DPROGRAM %s -o %t
// RUN: env IPDA_LOG=calls %t 2>&1 | %FileCheck %s --check-prefix=LAUNCH
// LAUNCH: twice at {{.*}} (trips(i) = 1048576, bytes(b) = 4194304): on the
// LAUNCH-NOT: runs 128 iterations

// CHECK: twice
// CHECK: kernel {{(4[5-9]|5[0-4])\.[0-9]+}} us
void twice(float *b, int n) {
#pragma omp target teams distribute parallel for map(to : n) map(tofrom : b[0 : n])
  for (int i = 0; i < n; ++i)
    b[i] *= 2;
}

#ifdef PROGRAM
static float b[1 << 20];
int main(void) { twice(b, 1 << 20); }
#endif
