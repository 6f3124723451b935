// RUN: %clang++ -O2 -fopenmp -Wall -Wextra -Werror %s -o %t -lm && %t | %FileCheck %s
// RUN: %S/../plugin/by-versions.sh %plugin %llvm-lib %t %clang++ -O2 %s
// CHECK: luminance: 5.49726e+03
// CHECK: mean: 5.50351e+03
// CHECK: peak: 9.02940e-01
// CHECK: edges: 3.97497e+03
// CHECK: sharp: 5.53627e+03
// CHECK: histogram: 4.36240e+04
// CHECK: tones: 5.29281e+06
// CHECK: small: 1.40052e+03
// CHECK: turned: 5.49928e+03
// CHECK: dots: 5.50077e+03
// CHECK: integral: 7.78869e+06
// CHECK: brightest: 1.16590e+02
//
// The frames of a film, one after the other: luminance of packed pixels, a median against noise, a separable blur, edges, a sharpened picture over a
// border of two pixels, a histogram, tones, a smaller picture for the index, a picture of dots for print, and sums over rectangles.
//
// ARGS: width: 37
// ARGS: height: 23
// ARGS: radius: 2
// ARGS: pitch: 41
// ARGS: x_min: 1
// ARGS: x_max: 37
// ARGS: y_min: 1
// ARGS: y_max: 23
// ARGS: amount: 0.5
// ARGS: gamma: 0.5
// ARGS: gain: 2
// ARGS: small_width: 21
// ARGS: small_height: 13
// ARGS: scale_x: 1.75
// ARGS: scale_y: 1.75
// ARGS: share: 0.25
// ARGS: peak: 0
// ARGS: frame: 1
// ARGS: rgb: { type: i8, count: 2553, fill: { modulo: 101 } }
// ARGS: out: { type: i8, count: 2553, fill: zero }
// ARGS: luma: { type: f32, count: 851, fill: { modulo: 11 } }
// ARGS: from: { type: f32, count: 851, fill: { modulo: 13 } }
// ARGS: to: { type: f32, count: 851, fill: { modulo: 7 } }
// ARGS: weights: { type: f32, values: [1, 4, 6, 4, 1] }
// ARGS: image: { struct: { width: 37, height: 23, pitch: 41, data: { type: f32, count: 943, fill: { modulo: 17 } } } }
// ARGS: data: { type: f32, count: 943, fill: zero }
// ARGS: edges: { type: f32, count: 943, fill: zero }
// ARGS: padded: { type: f32, count: 1107, fill: { modulo: 19 } }
// ARGS: sharp: { type: f32, count: 1107, fill: zero }
// ARGS: bins: { type: i32, count: 64, fill: zero }
// ARGS: small: { type: f32, count: 273, fill: zero }
// ARGS: turned: { type: f32, count: 851, fill: zero }
// ARGS: dots: { type: f32, count: 851, fill: { modulo: 3 } }
// ARGS: sums: { type: f64, count: 851, fill: { modulo: 5 } }
// ARGS: row_peak: { type: f32, count: 23, fill: zero }
// ARGS: mean: { type: f32, count: 851, fill: { modulo: 29 } }
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define BINS 64
#define PADDED(f, x, y) f[((y) - (y_min - 2)) * pitch + ((x) - (x_min - 2))]

struct Image {
  unsigned width, height;
  size_t pitch;
  float *data;
};

static inline int clamped(int i, int last) { return std::min(std::max(i, 0), last); }

static void luminance(size_t width, size_t height, const unsigned char *rgb, float *luma) {
#pragma omp target teams distribute parallel for collapse(2) map(to : rgb[0 : 3 * width * height]) map(from : luma[0 : width * height])
  for (size_t y = 0; y < height; ++y)
    for (size_t x = 0; x < width; ++x) {
      const unsigned char *pixel = rgb + 3 * (y * width + x);
      luma[y * width + x] = (0.2126f * pixel[0] + 0.7152f * pixel[1] + 0.0722f * pixel[2]) / 255.0f;
    }
}

// The middle of each pixel and its neighbours left and right, then of those above and below.
static void median(int width, int height, const float *luma, float *to, float *from) {
  auto middle = [](float a, float b, float c) { return std::max(std::min(a, b), std::min(std::max(a, b), c)); };
  int x, y;

#pragma omp target teams distribute parallel for private(x) collapse(2) map(to : luma[0 : width * height]) map(from : to[0 : width * height])
  for (y = 0; y < height; y++)
    for (x = 0; x < width; x++)
      to[y * width + x] = middle(luma[y * width + std::max(x - 1, 0)], luma[y * width + x], luma[y * width + std::min(x + 1, width - 1)]);

#pragma omp target teams loop collapse(2) private(x, y) map(to : to[0 : width * height]) map(from : from[0 : width * height])
  for (y = 0; y < height; y++)
    for (x = 0; x < width; x++)
      from[y * width + x] = middle(to[std::max(y - 1, 0) * width + x], to[y * width + x], to[std::min(y + 1, height - 1) * width + x]);
}

template <typename T> static void blur_rows(int width, int height, int radius, const T *weights, const T *from, T *to) {
#pragma omp target teams distribute parallel for collapse(2) map(to : weights[0 : 2 * radius + 1], from[0 : width * height])          \
    map(from : to[0 : width * height])
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      T sum = 0;
      for (int k = -radius; k <= radius; ++k)
        sum += weights[k + radius] * from[y * width + clamped(x + k, width - 1)];
      to[y * width + x] = sum;
    }
}

template <typename T> static void blur_columns(int width, int height, int radius, const T *weights, const T *from, T *to) {
#pragma omp target teams distribute parallel for collapse(2) map(to : weights[0 : 2 * radius + 1], from[0 : width * height])          \
    map(from : to[0 : width * height])
  for (int x = 0; x < width; ++x)
    for (int y = 0; y < height; ++y) {
      T sum = 0;
      for (int k = -radius; k <= radius; ++k)
        sum += weights[k + radius] * from[clamped(y + k, height - 1) * width + x];
      to[y * width + x] = sum;
    }
}

// Rows of an image are `pitch` apart.
static void fill_image(const Image &image, const float *luma) {
  unsigned width = image.width, height = image.height;
  size_t pitch = image.pitch;
  float *data = image.data;
#pragma omp target teams distribute parallel for collapse(2) map(to : luma[0 : width * height]) map(from : data[0 : pitch * height])
  for (unsigned y = 0; y < height; ++y)
    for (unsigned x = 0; x < pitch; ++x)
      data[y * pitch + x] = x < width ? luma[y * width + x] : 0.0f;
}

static void sobel(const Image &image, float *edges) {
#pragma omp target teams distribute parallel for collapse(2)                                                                           \
    map(to : image.width, image.height, image.pitch, image.data[0 : image.pitch * image.height])                                       \
    map(from : edges[0 : image.pitch * image.height])
  for (unsigned y = 0; y < image.height; ++y)
    for (unsigned x = 0; x < image.width; ++x) {
      const float *f = image.data;
      size_t up = (y > 0 ? y - 1 : 0) * image.pitch, here = y * image.pitch, down = std::min(y + 1, image.height - 1) * image.pitch;
      unsigned left = std::max(x, 1u) - 1, right = std::min(x + 1, image.width - 1);
      float gx = f[up + right] + 2 * f[here + right] + f[down + right] - f[up + left] - 2 * f[here + left] - f[down + left];
      float gy = f[down + left] + 2 * f[down + x] + f[down + right] - f[up + left] - 2 * f[up + x] - f[up + right];
      edges[here + x] = std::sqrt(gx * gx + gy * gy);
    }
}

// The picture over a border that repeats its outermost pixels, and what an unsharp mask makes of it.
static void sharpen(int x_min, int x_max, int y_min, int y_max, float amount, const float *luma, float *padded, float *sharp) {
  int pitch = x_max - x_min + 5, width = x_max - x_min + 1, size = pitch * (y_max - y_min + 5);
  int x, y;
#pragma omp target map(to : luma[0 : width * (y_max - y_min + 1)]) map(tofrom : padded[0 : size], sharp[0 : size])
#pragma omp parallel private(x, y)
  {
#pragma omp for collapse(2)
    for (y = y_min - 2; y <= y_max + 2; y++)
      for (x = x_min - 2; x <= x_max + 2; x++) {
        int from_x = std::min(std::max(x, x_min), x_max) - x_min, from_y = std::min(std::max(y, y_min), y_max) - y_min;
        PADDED(padded, x, y) = luma[from_y * width + from_x];
      }

#pragma omp for collapse(2)
    for (y = y_min; y <= y_max; y++)
      for (x = x_min; x <= x_max; x++) {
        float around = (PADDED(padded, x - 2, y) + PADDED(padded, x + 2, y) + PADDED(padded, x, y - 2) + PADDED(padded, x, y + 2)) / 12 +
                       (PADDED(padded, x - 1, y) + PADDED(padded, x + 1, y) + PADDED(padded, x, y - 1) + PADDED(padded, x, y + 1)) / 6;
        PADDED(sharp, x, y) = std::max(0.0f, PADDED(padded, x, y) + amount * (PADDED(padded, x, y) - around));
      }
  }
}

static void histogram(unsigned width, unsigned height, const float *luma, unsigned *bins) {
#pragma omp target teams distribute parallel for collapse(2) map(to : luma[0 : width * height]) map(tofrom : bins[0 : BINS])
  for (unsigned y = 0; y < height; ++y)
    for (unsigned x = 0; x < width; ++x) {
      unsigned bin = std::min((unsigned)(luma[y * width + x] * BINS), BINS - 1u);
#pragma omp atomic update
      bins[bin]++;
    }
}

static void tones(size_t width, size_t height, float gain, float gamma, const unsigned char *rgb, unsigned char *out) {
#pragma omp target parallel for collapse(3) map(to : rgb[0 : 3 * width * height]) map(from : out[0 : 3 * width * height])
  for (size_t y = 0; y < height; ++y)
    for (size_t x = 0; x < width; ++x)
      for (size_t c = 0; c < 3; ++c) {
        size_t i = (y * width + x) * 3 + c;
        float value = gain * (float)rgb[i] / 255.0f;
        out[i] = (unsigned char)(255.0f * std::min(std::pow(value / (1 + value), gamma), 1.0f));
      }
}

static void resize(int width, int height, const float *luma, int small_width, int small_height, float *small) {
  float scale_x = (float)width / (float)small_width, scale_y = (float)height / (float)small_height;
#pragma omp target teams map(to : luma[0 : width * height]) map(from : small[0 : small_width * small_height])
#pragma omp distribute parallel for collapse(2)
  for (int y = 0; y < small_height; ++y)
    for (int x = 0; x < small_width; ++x) {
      float at_x = ((float)x + 0.5f) * scale_x - 0.5f, at_y = ((float)y + 0.5f) * scale_y - 0.5f;
      float x_floor = std::floor(at_x), y_floor = std::floor(at_y), part_x = at_x - x_floor, part_y = at_y - y_floor;
      int x0 = clamped((int)x_floor, width - 1), x1 = clamped((int)x_floor + 1, width - 1);
      int y0 = clamped((int)y_floor, height - 1), y1 = clamped((int)y_floor + 1, height - 1);
      float above = luma[y0 * width + x0] * (1 - part_x) + luma[y0 * width + x1] * part_x;
      float below = luma[y1 * width + x0] * (1 - part_x) + luma[y1 * width + x1] * part_x;
      small[y * small_width + x] = above * (1 - part_y) + below * part_y;
    }
}

// A quarter turn: column x becomes a row.
static void turn(unsigned long width, unsigned long height, const float *luma, float *turned) {
#pragma omp target teams distribute parallel for collapse(2) map(to : luma[0 : width * height]) map(from : turned[0 : width * height])
  for (unsigned long y = 0; y < height; ++y)
    for (unsigned long x = 0; x < width; ++x)
      turned[x * height + (height - 1 - y)] = luma[y * width + x];
}

// Black and white dots; what a dot is too dark or too bright is passed on to the right.
static void diffuse(int width, int height, float *dots) {
// wrong: collapse(2): the error of a pixel changes its neighbour
#pragma omp target teams distribute parallel for map(tofrom : dots[0 : width * height])
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width - 1; ++x) {
      float value = dots[y * width + x], dot = value < 0.5f ? 0.0f : 1.0f;
      dots[y * width + x] = dot;
      dots[y * width + x + 1] += value - dot;
    }
}

// Sums over all pixels above and to the left.
static void integral(size_t width, size_t height, const float *luma, double *sums) {
#pragma omp target teams distribute parallel for collapse(2) map(to : luma[0 : width * height]) map(from : sums[0 : width * height])
  for (size_t y = 0; y < height; ++y)
    for (size_t x = 0; x < width; ++x)
      sums[y * width + x] = luma[y * width + x];

// wrong: collapse(2): a row is summed from left to right
#pragma omp target teams distribute parallel for map(tofrom : sums[0 : width * height])
  for (size_t y = 0; y < height; ++y)
    for (size_t x = 1; x < width; ++x)
      sums[y * width + x] += sums[y * width + x - 1];

// wrong: collapse(2): a column is summed downwards
#pragma omp target teams distribute parallel for map(tofrom : sums[0 : width * height])
  for (size_t x = 0; x < width; ++x)
    for (size_t y = 1; y < height; ++y)
      sums[y * width + x] += sums[(y - 1) * width + x];
}

static void brightest(unsigned width, unsigned height, const float *luma, float *row_peak) {
// wrong: collapse(2): all pixels of a row change one element
#pragma omp target teams distribute parallel for map(to : luma[0 : width * height]) map(tofrom : row_peak[0 : height])
  for (unsigned y = 0; y < height; ++y)
    for (unsigned x = 0; x < width; ++x)
      row_peak[y] = std::max(row_peak[y], luma[y * width + x]);
}

template <typename T> static double sum(const T *values, size_t count) {
  double all = 0;
  for (size_t i = 0; i < count; ++i)
    all += (double)values[i] * (double)(1 + i % 3);
  return all;
}

int main(int argc, char **argv) {
  int width = argc > 1 ? std::atoi(argv[1]) : 90, height = argc > 2 ? std::atoi(argv[2]) : 61, frames = argc > 3 ? std::atoi(argv[3]) : 4;
  if (width < 4 || height < 4 || frames < 1) {
    std::fprintf(stderr, "usage: %s width height frames\n", argv[0]);
    return 1;
  }
  const int radius = 2;
  int pixels = width * height, pitch = width + 4, bordered = pitch * (height + 4);
  int small_width = (width + 1) / 2, small_height = (height + 1) / 2, small_pixels = small_width * small_height;
  std::vector<unsigned char> rgb_of(3 * pixels), out_of(3 * pixels);
  std::vector<float> luma_of(pixels), from_of(pixels), to_of(pixels), dots_of(pixels), mean_of(pixels), turned_of(pixels);
  std::vector<float> image_of(pitch * height), edges_of(pitch * height), padded_of(bordered), sharp_of(bordered);
  std::vector<float> small_of(small_pixels), row_peak_of(height);
  std::vector<double> sums_of(pixels);
  unsigned bins[BINS] = {0};
  float weights[2 * radius + 1] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
  unsigned char *rgb = rgb_of.data(), *out = out_of.data();
  float *luma = luma_of.data(), *from = from_of.data(), *to = to_of.data(), *dots = dots_of.data(), *mean = mean_of.data();
  float *turned = turned_of.data(), *edges = edges_of.data(), *padded = padded_of.data(), *sharp = sharp_of.data();
  float *small = small_of.data(), *row_peak = row_peak_of.data();
  double *sums = sums_of.data();
  Image image = {(unsigned)width, (unsigned)height, (size_t)pitch, image_of.data()};
  float peak = 0, share = 0.25f;

#pragma omp target data map(alloc : rgb[0 : 3 * pixels], to[0 : pixels], from[0 : pixels], padded[0 : bordered])                       \
    map(tofrom : luma[0 : pixels], out[0 : 3 * pixels], mean[0 : pixels], sharp[0 : bordered], bins[0 : BINS])                          \
    map(to : weights[0 : 2 * radius + 1])
  for (int frame = 0; frame < frames; ++frame) {
    for (int i = 0; i < 3 * pixels; ++i)
      rgb[i] = (unsigned char)((i % (3 * width) * (5 + frame) + i / (3 * width) * 7 + i * i % 31) % 256);
#pragma omp target update to(rgb[0 : 3 * pixels])
    luminance(width, height, rgb, luma);
    median(width, height, luma, to, from);
    blur_rows(width, height, radius, weights, from, to);
    blur_columns(width, height, radius, weights, to, from);
    histogram(width, height, from, bins);
    tones(width, height, 1.5f, 0.45f, rgb, out);
    sharpen(1, width, 1, height, 0.75f, from, padded, sharp);

    // The mean of the last frames, the newest counting most.
#pragma omp target teams distribute parallel for collapse(2) map(to : from[0 : pixels]) map(tofrom : mean[0 : pixels])
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        mean[y * width + x] = frame == 0 ? from[y * width + x] : (1 - share) * mean[y * width + x] + share * from[y * width + x];

#pragma omp target teams distribute parallel for collapse(2) reduction(max : peak) map(to : mean[0 : pixels]) map(tofrom : peak)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        peak = std::max(peak, mean[y * width + x]);
  }

  fill_image(image, mean);
  sobel(image, edges);
  resize(width, height, mean, small_width, small_height, small);
  turn(width, height, mean, turned);
  std::copy(mean, mean + pixels, dots);
  diffuse(width, height, dots);
  integral(width, height, luma, sums);
  brightest(width, height, luma, row_peak);

  std::printf("luminance: %.5e\n", sum(luma, pixels));
  std::printf("mean: %.5e\n", sum(mean, pixels));
  std::printf("peak: %.5e\n", (double)peak);
  std::printf("edges: %.5e\n", sum(edges, pitch * height));
  std::printf("sharp: %.5e\n", sum(sharp, bordered));
  std::printf("histogram: %.5e\n", sum(bins, BINS));
  std::printf("tones: %.5e\n", sum(out, 3 * pixels));
  std::printf("small: %.5e\n", sum(small, small_pixels));
  std::printf("turned: %.5e\n", sum(turned, pixels));
  std::printf("dots: %.5e\n", sum(dots, pixels));
  std::printf("integral: %.5e\n", sum(sums, pixels));
  std::printf("brightest: %.5e\n", sum(row_peak, height));
  return 0;
}
