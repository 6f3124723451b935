// Places that are computed in floating point go on evenly with loops. By how much is not known from the code; they are taken to go through their array once,
// which is what images that become larger or smaller do: 4096 columns of the source for 8192 of the result, so that lanes are half an element apart, and 32 of
// them touch 32 * 4 / 2 = 64 bytes, 2 sectors; all of it is 4 * 4096 * 4096 = 67.1 MB, and with the result's 4 * 8192 * 8192 335.5 MB go through memory.
// - `nearest`: the element at or before a place;
// - `bilinear`: four around a place, which are two and two side by side, at edges the last one: again each element comes once;
// - `samples`: a line, of which a quarter as many elements are there: 32 lanes touch 32 bytes, a sector;
// - `descending`: the same from the end of the line on.
// What is no such place stays one that may be anywhere, 32 sectors for 32 lanes:
// - `scattered`: a sine goes up and down;
// - `curved`: by two factors that both grow, neighbours go ever further.
// What a launch predicts is the same.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D h=8192 -D w=8192 -D sh=4096 -D sw=4096 -D n=67108864 -D m=16777216 \
// RUN:   --width 200 --details | %FileCheck %s
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D h=8192 -D w=8192 -D sh=4096 -D sw=4096 -D n=67108864 -D m=16777216 > %t.numbers
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D h=8192 -D w=8192 -D sh=4096 -D sw=4096 -D n=67108864 -D m=16777216 \
// RUN:   --as-at-launch > %t.launch
// RUN: python3 %S/same_kernels.py %t.numbers %t.launch
#include <math.h>

#define PIXELS for (int i = 0; i < h; ++i) for (int j = 0; j < w; ++j)

// CHECK: [1] nearest
// CHECK: memory bytes {{ *}}335.5{{[0-9]*}} MB
// CHECK: src {{ *}}load {{ *}}2 {{ *}}1 {{ *}}67.1{{[0-9]*}} MB
// CHECK: indices that are computed in floating point go evenly through their array
void nearest(const float *src, float *dst, int h, int w, int sh, int sw, float scale_y, float scale_x) {
#pragma omp target teams distribute parallel for collapse(2) map(to : src[0 : sh * sw]) map(from : dst[0 : h * w])
  PIXELS {
    int y = (int)(i * scale_y), x = (int)floorf(j * scale_x);
    dst[i * w + j] = src[y * sw + x];
  }
}

// CHECK: [2] bilinear
// CHECK: memory bytes {{ *}}335.{{[56][0-9]*}} MB
// CHECK: src {{ *}}load {{ *}}2 {{ *}}2 {{ *}}67.1{{[0-9]*}} MB
void bilinear(const float *src, float *dst, int h, int w, int sh, int sw) {
  float fy = (float)sh / h, fx = (float)sw / w;
#pragma omp target teams distribute parallel for collapse(2) map(to : src[0 : sh * sw]) map(from : dst[0 : h * w])
  PIXELS {
    float y = (i + 0.5f) * fy - 0.5f, x = (j + 0.5f) * fx - 0.5f;
    int y0 = (int)y, x0 = (int)x;
    int y1 = y0 + 1 < sh ? y0 + 1 : sh - 1, x1 = x0 + 1 < sw ? x0 + 1 : sw - 1;
    float b = y - y0, a = x - x0;
    float above = (1 - a) * src[y0 * sw + x0] + a * src[y0 * sw + x1];
    float below = (1 - a) * src[y1 * sw + x0] + a * src[y1 * sw + x1];
    dst[i * w + j] = (1 - b) * above + b * below;
  }
}

// CHECK: [3] samples
// CHECK: src {{ *}}load {{ *}}1 {{ *}}1 {{ *}}67.1{{[0-9]*}} MB
void samples(const float *src, float *dst, int n, int m, double step) {
#pragma omp target teams distribute parallel for map(to : src[0 : m]) map(from : dst[0 : n])
  for (int i = 0; i < n; ++i)
    dst[i] = src[(long)(i * step)];
}

// CHECK: [4] descending
// CHECK: src {{ *}}load {{ *}}1 {{ *}}1 {{ *}}67.1{{[0-9]*}} MB
void descending(const float *src, float *dst, int n, int m, double step) {
#pragma omp target teams distribute parallel for map(to : src[0 : m]) map(from : dst[0 : n])
  for (int i = 0; i < n; ++i)
    dst[i] = src[(long)(m - 1 - (n - 1 - i) / step)];
}

// CHECK: [5] scattered
// CHECK: src {{ *}}load {{ *}}32 {{ *}}1 {{.*}}
void scattered(const float *src, float *dst, int n, int m) {
#pragma omp target teams distribute parallel for map(to : src[0 : m]) map(from : dst[0 : n])
  for (int i = 0; i < n; ++i)
    dst[i] = src[(int)(fabsf(sinf(i)) * (m - 1))];
}

// CHECK: [6] curved
// CHECK: src {{ *}}load {{ *}}{{3[12](\.[0-9]+)?}} {{ *}}1 {{.*}}
void curved(const float *src, float *dst, int n, int m, float step) {
#pragma omp target teams distribute parallel for map(to : src[0 : m]) map(from : dst[0 : n])
  for (int i = 0; i < n; ++i)
    dst[i] = src[(int)(i * step * i)];
}
