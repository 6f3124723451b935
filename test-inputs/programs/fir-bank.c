// RUN: %clang -O2 -fopenmp -Wall -Wextra -Werror %s -o %t -lm && %t | %FileCheck %s
// RUN: %S/../plugin/by-versions.sh %plugin %llvm-lib %t %clang -O2 %s
// CHECK: taps: 2.58864e+00
// CHECK: filtered: 2.56925e-01
// CHECK: mixed: 7.71786e-01
// CHECK: envelope: 6.34997e+00
// CHECK: spectra: 5.57951e+00
// CHECK: decimated: 3.94815e-01
// CHECK: power: 3.29701e-01
// CHECK: energy: 3.36065e-01
//
// A bank of filters, one per channel of a recording: windowed taps, convolution with a mirrored boundary, mixing of channels, smoothing over ghost
// samples, resonators and envelopes along the samples, spectra of overlapping blocks (rows of 64 samples, padded to 65), decimation, and powers.
//
// ARGS: channels: 12
// ARGS: samples: 139
// ARGS: stride: 145
// ARGS: taps: 9
// ARGS: blocks: 4
// ARGS: rows: 48
// ARGS: width: 139
// ARGS: n_min: 3
// ARGS: n_max: 137
// ARGS: h: { type: f32, count: 108, fill: { modulo: 5 } }
// ARGS: x: { type: f32, count: 1740, fill: { modulo: 7 } }
// ARGS: y: { type: f32, count: 1740, fill: { modulo: 5 } }
// ARGS: mixed: { type: f32, count: 1740, fill: { modulo: 11 } }
// ARGS: gain: { type: f32, count: 144, fill: { modulo: 3 } }
// ARGS: wide: { type: f32, count: 1668, fill: { modulo: 13 } }
// ARGS: soft: { type: f32, count: 1668, fill: { modulo: 17 } }
// ARGS: slope: { type: f32, count: 1668, fill: { modulo: 3 } }
// ARGS: a: { type: f32, count: 3120, fill: { modulo: 9 } }
// ARGS: spectrum: { type: f32, count: 1584, fill: zero }
// ARGS: power: { type: f64, count: 12, fill: { modulo: 4 } }
// ARGS: pcm: { type: i16, count: 1668, fill: { modulo: 19 } }
// ARGS: part: 0
// ARGS: s: { struct: { channels: 12, samples: 139, stride: 145, factor: 3, fine: { type: f32, count: 1740, fill: { modulo: 7 } }, coarse: { type: f32, count: 552 } } }
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 64
#define PADDED 65
#define HOP 24
#define BINS 33
#define PI 3.14159265f
#define FULL_SCALE 32768.0f

// A sample of a channel, and one of a channel with two ghost samples at both ends.
#define AT(f, c, n) f[(c) * stride + (n)]
#define WIDE(f, c, n) f[(c) * width + ((n) - (n_min - 2))]

struct decimator {
  int channels, samples, stride, factor;
  float *fine, *coarse;
};

// The range of samples that is smoothed.
static int n_min, n_max;

static inline int mirrored(int n, int last) {
  n = n < 0 ? -n : n;
  return n > last ? 2 * last - n : n;
}

static inline float hann(int n, int length) { return 0.5f - 0.5f * cosf(2 * PI * (float)n / (float)length); }

// Band-pass taps: channel c keeps frequencies around (c + 1) / (2 * (channels + 1)).
static void design(int channels, int taps, float *h) {
#pragma omp target teams distribute parallel for collapse(2) map(from : h[0 : channels * taps])
  for (int c = 0; c < channels; ++c)
    for (int t = 0; t < taps; ++t) {
      float at = (float)(t - taps / 2), width = 0.5f / (float)(channels + 1);
      float low = at == 0 ? 2 * width : sinf(2 * PI * width * at) / (PI * at);
      float centre = 0.5f * (float)(c + 1) / (float)(channels + 1);
      h[c * taps + t] = 2 * low * cosf(2 * PI * centre * at) * hann(t + 1, taps + 1);
    }
}

// Interleaved samples of a sound card to a row per channel.
static void deinterleave(int channels, int samples, int stride, const short *pcm, float *x) {
  int c, n;
#pragma omp target teams distribute parallel for private(n) collapse(2) map(to : pcm[0 : channels * samples])                     \
    map(from : x[0 : channels * stride])
  for (c = 0; c < channels; c++)
    for (n = 0; n < samples; n++)
      AT(x, c, n) = (float)pcm[n * channels + c] / FULL_SCALE;
}

static void convolve(int channels, int samples, int stride, int taps, const float *restrict h, const float *restrict x, float *restrict y) {
  int c, n, t;
#pragma omp target teams distribute parallel for collapse(2) private(n, t)                                                          \
    map(to : h[0 : channels * taps], x[0 : channels * stride]) map(from : y[0 : channels * stride])
  for (c = 0; c < channels; c++)
    for (n = 0; n < samples; n++) {
      float sum = 0;
      for (t = 0; t < taps; t++)
        sum += h[c * taps + t] * AT(x, c, mirrored(n + t - taps / 2, samples - 1));
      AT(y, c, n) = sum;
    }
}

// Two-pole resonators, one per channel, in place.
static void resonate(int channels, int samples, int stride, float *y) {
// wrong: collapse(2): a sample needs the two before it
#pragma omp target teams distribute parallel for map(tofrom : y[0 : channels * stride])
  for (int c = 0; c < channels; ++c)
    for (int n = 2; n < samples; ++n)
      AT(y, c, n) = 0.25f * AT(y, c, n) + 0.9f * AT(y, c, n - 1) - 0.4f * AT(y, c, n - 2);
}

static void mix(int channels, int samples, int stride, const float *gain, const float *y, float *mixed) {
#pragma omp target teams map(to : gain[0 : channels * channels], y[0 : channels * stride]) map(from : mixed[0 : channels * stride])
  {
#pragma omp distribute parallel for collapse(2)
    for (int out = 0; out < channels; ++out)
      for (int n = 0; n < samples; ++n) {
        float sum = 0;
        for (int c = 0; c < channels; ++c)
          sum += gain[out * channels + c] * AT(y, c, n);
        AT(mixed, out, n) = sum;
      }
  }
}

// Rows with ghost samples: copied, mirrored at the ends, smoothed, and the steepness of what results.
static void smooth(int channels, int stride, const float *mixed, float *wide, float *soft, float *slope) {
  int width = n_max - n_min + 5;
  int c, n, g;

#pragma omp target teams distribute parallel for private(c, n) collapse(2) map(from : soft[0 : channels * width], slope[0 : channels * width])
  for (c = 0; c < channels; c++)
    for (n = n_min - 2; n <= n_max + 2; n++) {
      WIDE(soft, c, n) = 0;
      WIDE(slope, c, n) = 0;
    }

#pragma omp target teams distribute parallel for private(c, n) collapse(2) map(to : mixed[0 : channels * stride])                  \
    map(tofrom : wide[0 : channels * width])
  for (c = 0; c < channels; c++)
    for (n = n_min; n <= n_max; n++)
      WIDE(wide, c, n) = AT(mixed, c, n);

#pragma omp target teams distribute parallel for private(c, g) collapse(2) map(tofrom : wide[0 : channels * width])
  for (c = 0; c < channels; c++)
    for (g = 1; g <= 2; g++) {
      WIDE(wide, c, n_min - g) = WIDE(wide, c, n_min + g);
      WIDE(wide, c, n_max + g) = WIDE(wide, c, n_max - g);
    }

#pragma omp target map(to : wide[0 : channels * width]) map(tofrom : soft[0 : channels * width], slope[0 : channels * width])
#pragma omp parallel private(c, n)
  {
#pragma omp for collapse(2)
    for (c = 0; c < channels; c++)
      for (n = n_min; n <= n_max; n++)
        WIDE(soft, c, n) = (WIDE(wide, c, n - 2) + 4 * WIDE(wide, c, n - 1) + 6 * WIDE(wide, c, n) + 4 * WIDE(wide, c, n + 1) +
                            WIDE(wide, c, n + 2)) * 0.0625f;

#pragma omp for collapse(2)
    for (c = 0; c < channels; c++)
      for (n = n_min; n <= n_max; n++)
        WIDE(slope, c, n) = fabsf(WIDE(soft, c, n + 1) - WIDE(soft, c, n - 1)) * 0.5f;

// wrong: collapse(2): an envelope decays from sample to sample
#pragma omp for
    for (c = 0; c < channels; c++)
      for (n = n_min + 1; n <= n_max; n++)
        WIDE(slope, c, n) = fmaxf(WIDE(slope, c, n), 0.875f * WIDE(slope, c, n - 1));
  }
}

// Windowed blocks, HOP samples apart.
static void cut(int channels, int blocks, int stride, const float *x, float *a) {
#pragma omp target teams distribute parallel for collapse(3) map(to : x[0 : channels * stride])                                     \
    map(from : a[0 : channels * blocks * PADDED])
  for (int c = 0; c < channels; ++c)
    for (int b = 0; b < blocks; ++b)
      for (int j = 0; j < BLOCK; ++j)
        a[(c * blocks + b) * PADDED + j] = AT(x, c, b * HOP + j) * hann(j, BLOCK);
}

// In every block its mean is taken away, then the powers of its frequencies are found.
static void transform(int rows, float *a, float *spectrum) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : rows * PADDED])
  for (int i = 0; i < rows; ++i) {
    float mean = 0;
    for (int j = 0; j < BLOCK; ++j)
      mean += a[i * 65 + j];
    mean /= BLOCK;
    for (int j = 0; j < BLOCK; ++j)
      a[i * 65 + j] -= mean;
  }

#pragma omp target teams loop collapse(2) map(to : a[0 : rows * PADDED]) map(from : spectrum[0 : rows * BINS])
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k < BINS; ++k) {
      float re = 0, im = 0;
      for (int j = 0; j < BLOCK; ++j) {
        float angle = 2 * PI * (float)(j * k % BLOCK) / BLOCK;
        re += a[i * 65 + j] * cosf(angle);
        im -= a[i * 65 + j] * sinf(angle);
      }
      spectrum[i * BINS + k] = re * re + im * im;
    }
}

static void decimate(struct decimator *s) {
#pragma omp target parallel for collapse(2) map(to : s[0 : 1]) map(to : s->fine[0 : s->channels * s->stride])                      \
    map(from : s->coarse[0 : s->channels * (s->samples / s->factor)])
  for (int c = 0; c < s->channels; ++c)
    for (int m = 0; m < s->samples / s->factor; ++m) {
      float sum = 0;
      for (int d = 0; d < s->factor; ++d)
        sum += s->fine[c * s->stride + m * s->factor + d];
      s->coarse[c * (s->samples / s->factor) + m] = sum / (float)s->factor;
    }
}

static void powers(int channels, int samples, int stride, const float *y, double *power) {
// wrong: collapse(2): all samples of a channel go into one sum
#pragma omp target teams distribute parallel for map(to : y[0 : channels * stride]) map(tofrom : power[0 : channels])
  for (int c = 0; c < channels; ++c)
    for (int n = 0; n < samples; ++n)
      power[c] += (double)AT(y, c, n) * (double)AT(y, c, n);
}

static double sum(const float *f, int rows, int columns, int stride) {
  double all = 0;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      all += (double)f[i * stride + j] * (1 + (i + j) % 3);
  return all;
}

int main(int argc, char **argv) {
  int channels = argc > 1 ? atoi(argv[1]) : 6;
  int samples = argc > 2 ? atoi(argv[2]) : 400;
  int taps = argc > 3 ? atoi(argv[3]) : 15;
  int steps = argc > 4 ? atoi(argv[4]) : 3;
  if (channels < 1 || samples < BLOCK || taps < 1 || taps > samples || steps < 1) {
    fprintf(stderr, "usage: %s channels samples taps steps\n", argv[0]);
    return 1;
  }
  int stride = samples + 6, blocks = (samples - BLOCK) / HOP + 1, rows = channels * blocks, factor = 3;
  n_min = 3;
  n_max = samples - 2;
  int width = n_max - n_min + 5;

  short *pcm = malloc(sizeof(short) * channels * samples);
  float *h = malloc(sizeof(float) * channels * taps), *gain = malloc(sizeof(float) * channels * channels);
  float *x = calloc(channels * stride, sizeof(float)), *y = calloc(channels * stride, sizeof(float));
  float *mixed = calloc(channels * stride, sizeof(float)), *wide = calloc(channels * width, sizeof(float));
  float *soft = calloc(channels * width, sizeof(float)), *slope = calloc(channels * width, sizeof(float));
  float *a = calloc(rows * PADDED, sizeof(float)), *spectrum = calloc(rows * BINS, sizeof(float));
  float *coarse = calloc(channels * (samples / factor), sizeof(float));
  double *power = calloc(channels, sizeof(double));
  double energy = 0;

  for (int i = 0; i < channels; ++i)
    for (int j = 0; j < channels; ++j)
      gain[i * channels + j] = i == j ? 1.0f : 0.25f / (float)(1 + abs(i - j));
  design(channels, taps, h);

#pragma omp target data map(to : h[0 : channels * taps], gain[0 : channels * channels])                                             \
    map(alloc : pcm[0 : channels * samples], x[0 : channels * stride])                                                              \
    map(tofrom : y[0 : channels * stride], mixed[0 : channels * stride], wide[0 : channels * width], soft[0 : channels * width])    \
    map(tofrom : slope[0 : channels * width], a[0 : rows * PADDED], spectrum[0 : rows * BINS], power[0 : channels])
  for (int step = 0; step < steps; ++step) {
    for (int n = 0; n < samples; ++n)
      for (int c = 0; c < channels; ++c)
        pcm[n * channels + c] = (short)(((n + step * samples) * (37 + 11 * c) + n * n % 251 * 5) % 4096 - 2048);
#pragma omp target update to(pcm[0 : channels * samples])
    deinterleave(channels, samples, stride, pcm, x);
    convolve(channels, samples, stride, taps, h, x, y);
    resonate(channels, samples, stride, y);
    mix(channels, samples, stride, gain, y, mixed);

    // The listener's volume, channel by channel, and an even part of what the other ear hears.
#pragma omp target teams distribute parallel for collapse(2) map(tofrom : mixed[0 : channels * stride])                             \
    map(to : x[0 : channels * stride])
    for (int c = 0; c < channels; ++c)
      for (int n = 0; n < samples; ++n)
        AT(mixed, c, n) = AT(mixed, c, n) / (float)(c + 1) + 0.125f * AT(x, channels - 1 - c, n);

    smooth(channels, stride, mixed, wide, soft, slope);
    cut(channels, blocks, stride, mixed, a);
    transform(rows, a, spectrum);
    powers(channels, samples, stride, y, power);

    double part = 0;
#pragma omp target teams distribute parallel for collapse(2) reduction(+ : part) map(to : soft[0 : channels * width])               \
    map(tofrom : part)
    for (int c = 0; c < channels; ++c)
      for (int n = n_min; n <= n_max; ++n)
        part += (double)WIDE(soft, c, n) * (double)WIDE(soft, c, n);
    energy += part;
  }

  struct decimator last = {channels, samples, stride, factor, mixed, coarse};
  decimate(&last);

  double all = 0;
  for (int c = 0; c < channels; ++c)
    all += power[c];
  printf("taps: %.5e\n", sum(h, channels, taps, taps));
  printf("filtered: %.5e\n", sum(y, channels, samples, stride));
  printf("mixed: %.5e\n", sum(mixed, channels, samples, stride));
  printf("envelope: %.5e\n", sum(slope, channels, width, width));
  printf("spectra: %.5e\n", sum(spectrum, rows, BINS, BINS));
  printf("decimated: %.5e\n", sum(coarse, channels, samples / factor, samples / factor));
  printf("power: %.5e\n", all);
  printf("energy: %.5e\n", energy);

  free(pcm), free(h), free(gain), free(x), free(y), free(mixed), free(wide), free(soft), free(slope);
  free(a), free(spectrum), free(coarse), free(power);
  return 0;
}
