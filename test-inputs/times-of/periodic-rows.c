// One loop goes through all places of a periodic field, of which each takes the value of the one before or behind it in its row, as its row's number is odd or
// even: conditions say which, and conversions of indices are around those that say where a row ends. But at ends of rows, neighbours take from neighbours: 32
// floats are 4 sectors, and the field has 4096 * 4096 * 4 = 67.109 MB, once. Where a list says from where each place takes, it is anyone's sector: 32.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D rows=4096 -D row=4096 -D odd=1 --details | %FileCheck %s
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D rows=4096 -D row=4096 -D odd=1 > %t.numbers
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D rows=4096 -D row=4096 -D odd=1 --as-at-launch > %t.launch
// RUN: python3 %S/same_kernels.py %t.numbers %t.launch

// CHECK: by_colour
// CHECK: field load 4 1 67.109 MB
// CHECK: taken store 4 1 67.109 MB
void by_colour(const float *field, float *taken, int odd, long rows, long row) {
#pragma omp target teams distribute parallel for map(to : field[0 : rows * row]) map(from : taken[0 : rows * row])
  for (long t = 0; t < rows * row; t++) {
    int i = t / row, j = t % row;
    int behind = j + 1 < row ? j + 1 : 0, before = j - 1 >= 0 ? j - 1 : row - 1;
    int at = odd ? (i % 2 ? behind : before) : (i % 2 ? before : behind);
    taken[i * row + j] = field[i * row + at];
  }
}

// CHECK: by_list
// CHECK: field load 32 1
void by_list(const float *field, float *taken, const int *from, long rows, long row) {
#pragma omp target teams distribute parallel for map(to : field[0 : rows * row], from[0 : rows * row])                         \
    map(from : taken[0 : rows * row])
  for (long t = 0; t < rows * row; t++) {
    int i = t / row, j = t % row;
    int at = from[i * row + j];
    taken[i * row + j] = field[i * row + at];
  }
}
