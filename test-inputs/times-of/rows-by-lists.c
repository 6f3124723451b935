// An image by columns, of which a list says which pixel of the same column is above. What the list adds to `rows * j` is less than a column, as the last column
// has no more behind it: 49 columns, which 163,840 threads go through at a time, are 0.8 MB, of which each sector is met by some of the threads. So all of the
// 4096 * 4096 floats are read once and written once, 134 MB, and the list stays in caches. (As if each thread drew from all of the image, 604 MB.)
// The twin draws from all of it: 16,777,216 sectors of 32 bytes, 537 MB, but for 6 of 67 MB that Volta's L2 keeps, up to 10 % of them; with 67 MB of the list, which is
// as long, and 67 MB written, 620 to 671 MB.
// REQUIRES: cuda
// RUN: env IPDA_TRANSFORM=off IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu v100 --cpu epyc-milan --resident -D rows=4096 -D cols=4096 --details | %FileCheck %s
// RUN: %ipda predict %t.yaml --gpu v100 --cpu epyc-milan --resident -D rows=4096 -D cols=4096 > %t.numbers
// RUN: %ipda predict %t.yaml --gpu v100 --cpu epyc-milan --resident -D rows=4096 -D cols=4096 --as-at-launch > %t.launch
// RUN: python3 %S/same_kernels.py %t.numbers %t.launch

// CHECK: [1] within_columns
// CHECK: memory bytes 13{{[3-7]\.?[0-9]*}} MB
void within_columns(int rows, int cols, const float *restrict image, const int *restrict above, float *restrict step) {
#pragma omp target teams distribute parallel for map(to : image[0 : rows * cols], above[0 : rows]) map(from : step[0 : rows * cols])
  for (int k = 0; k < rows * cols; k++) {
    int i = k % rows, j = k / rows;
    step[k] = 0.5f * image[above[i] + rows * j];
  }
}

// CHECK: [2] anywhere
// CHECK: memory bytes 6{{[2-7][0-9]\.?[0-9]*}} MB
void anywhere(int rows, int cols, const float *restrict image, const int *restrict above, float *restrict step) {
#pragma omp target teams distribute parallel for map(to : image[0 : rows * cols], above[0 : rows * cols]) map(from : step[0 : rows * cols])
  for (int k = 0; k < rows * cols; k++)
    step[k] = 0.5f * image[above[k]];
}
