// Threads that run digits of iteration numbers, as IPDA_MAPPING asks: what one number of a thread does, how many numbers there are, and which sectors a warp
// touches are those of the digits, and no longer those of the loops as written.
//
// `i/8 j | i%8`, n = 1000, m = 1024, l = 64: 125 blocks of eight rows and 1024 columns are 128,000 numbers, 4,000 of a warp's. The lanes of a warp have one
// block and 32 columns: in each of the 8 * 64 = 512 runs a is one sector, and 32 elements of b are 4; c is stored 8 times, 4 sectors each. n = 1001 has 126
// blocks, 1008 numbers of rows: 4,032 of a warp's, and 1001 of 1008 have a row: c is stored 8 * 1001 / 1008 = 7.944 times.
//
// `i/8 j/8 i%4 j%8 | i/4%2`, n = m = 1024: 32 neighbours are four rows of eight columns, and do the four rows below then. 128 * 128 * 32 numbers are 16,384 of
// a warp's. In both runs each row is a sector of a, which makes 4, and each column of four rows is one of b, which makes 8.
//
// `i%gang0 j%worker0 | i/gang0 j/worker0` under num_teams(64) and thread_limit(128), n = m = 1000, l = 64: a number for each thread, 8,192, 256 of a warp's. A
// team has each 64th row, 16 of them, and a thread each 128th column, 8: of 1024 * 1024 of them, 1000 * 1000 are there, so that c is stored 16 * 8 * (1000 /
// 1024)^2 = 122.07 times and a and b are loaded 64 times as often. A warp is in one row, and 32 columns are 4 sectors.
//
// In the twin a clause collapsed the loops to one, of whose number the digits are: that is not counted.
// REQUIRES: cuda
// RUN: env IPDA_MAPPING='blocks=i/8 j | i%%8,tiles=i/8 j/8 i%%4 j%%8 | i/4%%2,launch=i%%gang0 j%%worker0 | i/gang0 j/worker0,collapsed=i/8 j | i%%8' IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=1000 -D m=1024 -D l=64 --region blocks --details | %FileCheck %s --check-prefix=BLOCKS
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=1001 -D m=1024 -D l=64 --region blocks --details | %FileCheck %s --check-prefix=PADDED
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=1024 -D m=1024 --region tiles --details | %FileCheck %s --check-prefix=TILES
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=1000 -D m=1000 -D l=64 --region launch --details | %FileCheck %s --check-prefix=LAUNCH
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=1000 -D m=1000 --region collapsed | %FileCheck %s --check-prefix=COLLAPSED
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=1001 -D m=999 -D l=67 > %t.numbers
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=1001 -D m=999 -D l=67 --as-at-launch > %t.launch
// RUN: python3 %S/same_kernels.py %t.numbers %t.launch

// BLOCKS: device, loops mapped: {{.*}}
// BLOCKS: warp iterations 4000 iterations
// BLOCKS: a load 1 512 256 kB
// BLOCKS: b load 4 512 262.14 kB
// BLOCKS: c store 4 8 4.0960 MB
// PADDED: device, loops mapped: {{.*}}
// PADDED: warp iterations 4032 iterations
// PADDED: c store 4 7.94
void blocks(int n, int m, int l, const float *restrict a, const float *restrict b, float *restrict c) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * l], b[0 : l * m]) map(from : c[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      float sum = 0;
      for (int k = 0; k < l; ++k)
        sum += a[i * l + k] * b[k * m + j];
      c[i * m + j] = sum;
    }
}

// TILES: device, loops mapped: {{.*}}
// TILES: warp iterations 16384 iterations
// TILES: a load 4 2
// TILES: b store 8 2
void tiles(int n, int m, const float *restrict a, float *restrict b) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(from : b[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      b[j * n + i] = a[i * m + j];
}

// LAUNCH: device, loops mapped: {{.*}}
// LAUNCH: warp iterations 256 iterations
// LAUNCH: a load 1 7812
// LAUNCH: b load 4 7812
// LAUNCH: c store 4 122
void launch(int n, int m, int l, const float *restrict a, const float *restrict b, float *restrict c) {
#pragma omp target teams distribute parallel for num_teams(64) thread_limit(128) map(to : a[0 : n * l], b[0 : l * m]) map(from : c[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      float sum = 0;
      for (int k = 0; k < l; ++k)
        sum += a[i * l + k] * b[k * m + j];
      c[i * m + j] = sum;
    }
}

// COLLAPSED: device {{ *}}? {{ *}}its threads run by i/8 j | i%8, as IPDA_
void collapsed(int n, int m, const float *restrict a, float *restrict b) {
#pragma omp target teams distribute parallel for collapse(2) map(to : a[0 : n * m]) map(from : b[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      b[j * n + i] = a[i * m + j];
}
