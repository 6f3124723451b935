// REQUIRES: libomp-device-bc
// DEFINE: %{ask} = %compile-device %s | env IPDA_MAPPING
// RUN: %{ask}='i j lanes 2x16' %analyse | %FileCheck %s --check-prefix=TILE
// RUN: %{ask}='scale=i/2 j/16 i%%2 j%%16' %analyse | %FileCheck %s --check-prefix=TILE
// RUN: %{ask}='scale=i j/4 | j%%4' %analyse | %FileCheck %s --check-prefix=STRIPS
// RUN: %{ask}='other=i j,scale=j  i' %analyse | %FileCheck %s --check-prefix=ORDER
// RUN: %{ask}='scale=i/8 k | i%%8' %analyse | %FileCheck %s --check-prefix=NO-LOOP
// RUN: %{ask}='scale=i/8 j | i%%4' %analyse | %FileCheck %s --check-prefix=NO-DIGITS
// RUN: %{ask}='scale=| i j' %analyse | %FileCheck %s --check-prefix=NO-THREADS
// RUN: %{ask}='scale=i/8 | j i%%8' %analyse | %FileCheck %s --check-prefix=OUTSIDE
// RUN: %{ask}='scale=i | j/4 j%%4' %analyse | %FileCheck %s --check-prefix=NO-DIGIT
// RUN: %{ask}='scale=i%%length0 j | i/length0' %analyse | %FileCheck %s --check-prefix=LENGTH
// RUN: %{ask}='scale=i%%gang1 j | i/gang1' %analyse | %FileCheck %s --check-prefix=AXIS
// RUN: %{ask}='scale=i/x j | i%%x' %analyse | %FileCheck %s --check-prefix=NO-NUMBER
// RUN: %compile-amdgcn %s | env IPDA_MAPPING='scale=i%%thread j | i/thread' %analyse | %FileCheck %s --check-prefix=AMD
// DEFINE: %{force} = %compile-device %s | env IPDA_VERSION
// RUN: %{force}=1 %analyse | %FileCheck %s --check-prefix=OTHER
// RUN: %{force}=v8 %analyse | %FileCheck %s --check-prefix=LAST
// RUN: %{force}=lanes %analyse | %FileCheck %s --check-prefix=TILE
// RUN: %{force}=reordered %analyse | %FileCheck %s --check-prefix=NO-KIND
// RUN: %{force}=scale=0 %analyse | %FileCheck %s --check-prefix=WRITTEN
// RUN: %{force}=other=2,written %analyse | %FileCheck %s --check-prefix=WRITTEN
// RUN: %{force}=0 IPDA_MAPPING='j i' %analyse | %FileCheck %s --check-prefix=ORDER
// RUN: %{ask}='i k' %analyse | %FileCheck %s --check-prefix=NONE
// RUN: %{ask}='scale:2=j i' %analyse | %FileCheck %s --check-prefix=OTHER
// RUN: env IPDA_MAPPING=2 IPDA_VERSION=fast %clang-device %s -o %t.s 2>&1 | %FileCheck %s --check-prefix=BAD
// RUN: %{force}='sweep=1' %analyse | %FileCheck %s --check-prefix=ILLEGAL
// RUN: %ipda-oracle transform --mapping 1 %s | %FileCheck %s --check-prefix=JUDGE
// RUN: %ipda-oracle transform --mapping 2 %s | %FileCheck %s --check-prefix=JUDGE-TILE
// RUN: %ipda-oracle transform --mapping 8 %s | %FileCheck %s --check-prefix=JUDGE
// RUN: %ipda-oracle transform --mapping 9 %s | %FileCheck %s --check-prefix=BEYOND
//
// Whoever asks for a mapping gets it where it is right, whether or not it pays; what would change results is left, with the reason. Version 1 is the one that
// is made by default; the others are in the order of predicted times.
//
// ARGS: n: 21
// ARGS: m: 37

// TILE: region 'scale'
// TILE: transformation possible threads i j lanes 2x16
// STRIPS: region 'scale'
// STRIPS: transformation possible threads i j/4 | j%4 sectors 64 to {{32\.[0-9]+}} of 1021 to 261376 threads
// NO-LOOP: because '"i/8 k | i%8" is no mapping of its loops: there is no loop "k"'
// NO-DIGITS: because '"i/8 j | i%4" is no mapping of its loops: its parts are not the digits of the loops' numbers, each once'
// NO-THREADS: because '"| i j" is a mapping for which no code is made: nothing makes the number of a thread'
// OUTSIDE: transformation possible threads i/8 | j i%8 sectors
// OUTSIDE: if 'm < 2^31 - 2^20'
// NO-DIGIT: transformation possible threads i | j/4 j%4 sectors
// LENGTH: because '"i%length0 j | i/length0" is a mapping for which no code is made: no launch brings length0; write numbers for them, as in "i%8 j | i/8"'
// AXIS: because '"i%gang1 j | i/gang1" is a mapping for which no code is made: LLVM 19 launches teams and threads along one axis, and there is no gang1;
// AXIS-SAME: write numbers for them, as in "i%4 j | i/4"'
// NO-NUMBER: because '"i/x j | i%x" is no mapping of its loops: "x" is no number of iterations
// AMD: because '"i%thread j | i/thread" is a mapping for which no code is made: thread is read on NVIDIA's GPUs alone'
// ORDER: region 'scale'
// ORDER: transformation possible threads j i sectors
// OTHER: region 'scale'
// OTHER: transformation possible threads i j sectors
// NONE: region 'scale'
// NONE: transformation left
// NONE-NEXT: because 'there is no mapping "i k" of its loops; there are "i j", "j i", "i j lanes 2x16",
// NO-KIND: because '8 mappings are legal, and none is reordered, which is asked for'
// LAST: transformation possible threads j i
// WRITTEN: region 'scale'
// WRITTEN-NOT: threads i j
// WRITTEN: region 'sweep'
// BAD: warning: ipda: IPDA_MAPPING: "2" is no mapping; write for example main:42=i j lanes 4x8
// BAD: warning: ipda: IPDA_VERSION: "fast" is no version; write for example 0, written, main:42=2, or one of fused, reordered, lanes
// JUDGE: 2 kernels, 1 transformed
// JUDGE-NOT: tiles of lanes
// JUDGE: {{[1-9][0-9]*}} launches compared, 0 wrong
// JUDGE-TILE: tiles of lanes in 1
// JUDGE-TILE: {{[1-9][0-9]*}} launches compared, 0 wrong
// BEYOND: left alone 1: 8 mappings are legal, and number 9 is asked for
void scale(int n, int m, const float *a, float *b) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(from : b[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      b[i * m + j] = 2 * a[i * m + j];
}

// Each column needs the one before.
// ILLEGAL: region 'sweep'
// ILLEGAL: transformation left
// ILLEGAL-NEXT: because '0 mappings are legal, and number 1 is asked for'
// ILLEGAL-NEXT: because '{{.*}}flow dependence of b
void sweep(int n, int m, float *b) {
#pragma omp target teams distribute parallel for map(tofrom : b[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 1; j < m; ++j)
      b[i * m + j] = b[i * m + j - 1] * 2;
}
