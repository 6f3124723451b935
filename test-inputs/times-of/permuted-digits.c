// The digits of one number, as frames, bands, rows and places in them, change places in an address: threads go through bands of rows that lie in frames row by
// row, all bands of a row after each other. Each row has three planes, which are as far apart as all bands of a row are long: no thread comes to what another
// plane's load has, though bands follow each other there and planes do. All three are read, and written apart: 6 * 8 * 16 * 1024 * 64 * 4 bytes are 201.33 MB.
//
// In `next_row` the second load is as far on, but there it is the row behind, which other threads read as theirs: 33.559 MB are read, with the last row, and
// 67.109 written, 100.67 MB.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D frames=8 -D bands=16 -D rows=1024 -D width=64 --details | %FileCheck %s
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D frames=8 -D bands=16 -D rows=1024 -D width=64 > %t.numbers
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D frames=8 -D bands=16 -D rows=1024 -D width=64 --as-at-launch > %t.launch
// RUN: python3 %S/same_kernels.py %t.numbers %t.launch

// CHECK: planes
// CHECK: memory bytes 201.33 MB
void planes(float *red, float *green, float *blue, const float *in, int frames, int bands, int rows, int width) {
#pragma omp target teams distribute parallel for map(to : in[0 : 3 * frames * bands * rows * width])                           \
    map(from : red[0 : frames * bands * rows * width], green[0 : frames * bands * rows * width])                               \
    map(from : blue[0 : frames * bands * rows * width])
  for (int t = 0; t < frames * bands * rows * width; t++) {
    int frame = t / (bands * rows * width), rest = t % (bands * rows * width);
    int band = rest / (rows * width);
    rest = rest % (rows * width);
    int row = rest / width, x = rest % width;
    int at = ((frame * rows + row) * 3 * bands + band) * width + x;
    red[t] = in[at];
    green[t] = in[at + bands * width];
    blue[t] = in[at + 2 * bands * width];
  }
}

// CHECK: next_row
// CHECK: memory bytes 100.67 MB
void next_row(float *here, float *there, const float *in, int frames, int bands, int rows, int width) {
#pragma omp target teams distribute parallel for map(to : in[0 : (frames * rows + 1) * bands * width])                         \
    map(from : here[0 : frames * bands * rows * width], there[0 : frames * bands * rows * width])
  for (int t = 0; t < frames * bands * rows * width; t++) {
    int frame = t / (bands * rows * width), rest = t % (bands * rows * width);
    int band = rest / (rows * width);
    rest = rest % (rows * width);
    int row = rest / width, x = rest % width;
    int at = ((frame * rows + row) * bands + band) * width + x;
    here[t] = in[at];
    there[t] = in[at + bands * width];
  }
}
