// REQUIRES: libomp-device-bc, cuda
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform --schedules %s | %FileCheck %s --check-prefix=JUDGE
// RUN: %ipda-oracle transform --schedules --optimised %s | %FileCheck %s --check-prefix=JUDGE
// RUN: %ipda-oracle transform --optimised --mapping 2 %s | %FileCheck %s --check-prefix=OTHER
// RUN: %ipda-oracle transform --optimised --mapping 4 %s | %FileCheck %s --check-prefix=OTHER
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g -w %nvptx -c %load %s -o %t.o && %ipda predict %t.yaml -D heads=8 -D rows=510 -D width=64 --cpu xeon-6148 --gpu h100-sxm | %FileCheck %s --check-prefix=TIME
//
// A clause collapsed all loops but the last one, as people write it who count threads. Neither order of a row of lanes is better than the other, a tile
// of the last loop of the clause and the one inside is.
//
// JUDGE: 3 kernels, 3 transformed; of these new code ran in 3, {{.*}} both in 3,
// JUDGE: tiles of lanes in 3
// JUDGE: {{[1-9][0-9]*}} launches compared, 0 wrong
// OTHER: 3 kernels, 3 transformed; of these new code ran in 3,
// OTHER: {{[1-9][0-9]*}} launches compared, 0 wrong
// TIME: scores
// TIME: device, loops as written {{.*}} latency
// TIME: device, loops collapsed and tiled
// TIME-NEXT: kernel {{.*}} integer units
#define Q(h, i, t) q[((h) * rows + (i)) * width + (t)]
#define K(h, i, t) k[((h) * rows + (i)) * width + (t)]

void scores(int heads, int rows, int width, float scale, const float *restrict q, const float *restrict k, float *restrict s) {
#pragma omp target teams distribute parallel for collapse(2) map(to : q[0 : heads * rows * width], k[0 : heads * rows * width]) \
    map(from : s[0 : heads * rows * rows])
  for (int h = 0; h < heads; h++)
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < rows; j++) {
        float sum = 0;
        for (int t = 0; t < width; t++)
          sum += Q(h, i, t) * K(h, j, t);
        s[(h * rows + i) * rows + j] = sum * scale;
      }
}
// CHECK: region 'scores'
// CHECK: transformation possible threads h, i j lanes 4x8 sectors 33.03 to 12.01 of

// Heads behind rows, with what is stored before the loop inside.
void swap_axes(int images, int rows, int columns, const double *restrict from, double *restrict to) {
#pragma omp target teams distribute parallel for collapse(2) map(to : from[0 : images * rows * columns]) \
    map(tofrom : to[0 : images * rows * columns])
  for (int image = 0; image < images; ++image)
    for (int row = 1; row < rows - 1; ++row) {
      to[image * rows * columns + row] = 0;
      for (int column = 1; column <= columns - 2; ++column)
        to[(image * columns + column) * rows + row] = from[(image * rows + row) * columns + column];
    }
}
// CHECK: region 'swap_axes'
// CHECK: transformation possible threads image, row column lanes 4x8 sectors 41.01 to 25 of

// The last loop of the clause has two iterations: a tile of the other two is as good.
void of_two(int h, int n, int m, int d, const double *restrict x, const double *restrict w, double *restrict out) {
#pragma omp target teams distribute parallel for collapse(3) map(to : x[0 : n * d], w[0 : h * m * d]) map(tofrom : out[0 : 2 * h * n * m])
  for (int b = 0; b < h; b++)
    for (int i = 0; i < n; i++)
      for (int half = 0; half < 2; half++)
        for (int j = 0; j < m; j++) {
          double s = 0;
          for (int t = half; t < d; t += 2)
            s += x[i * d + t] * w[(b * m + j) * d + t];
          out[((b * n + i) * 2 + half) * m + j] += s;
        }
}
// CHECK: region 'of_two'
// CHECK: transformation possible threads b i half lanes 4x8x1 sectors 21.46 to 12.13 of
