// RUN: %clang -O2 -fopenmp -Wall -Wextra -Werror %s -o %t -lm && %t | %FileCheck %s
// RUN: %S/../plugin/by-versions.sh %plugin %llvm-lib %t %clang -O2 %s
// CHECK: steps: 6
// CHECK: means: -1.097246e+00
// CHECK: centroids: -1.532106e+00
// CHECK: last move: 1.160324e-01
// CHECK: inertia: 6.184454e+02
// CHECK: shared distances: 3.343255e+02
// CHECK: layouts agree: 1
// CHECK: histograms: 2.799600e+03
// CHECK: label of the last point: 0
//
// Steps of k-means clustering: points are normalised by feature, each goes to the cluster whose centroid is nearest, centroids move
// to the mean of their points. Points are kept by point and by feature; half the distances between centroids bound what has to be
// compared; histograms of the features, with ghost bins, are smoothed for a last look at the data.
//
// ARGS: n_points: 37
// ARGS: n_features: 11
// ARGS: n_clusters: 13
// ARGS: k: 13
// ARGS: set: { struct: { n_points: 37, n_features: 11, n_clusters: 13, clip: 2.5 } }
// ARGS: low: -2
// ARGS: high: 2
// ARGS: decay: 0.5
// ARGS: seed: 5
// ARGS: b_min: 1
// ARGS: b_max: 23
// ARGS: width: 27
// ARGS: points: { type: f64, count: 407, fill: { modulo: 17 } }
// ARGS: by_feature: { type: f64, count: 407, fill: { modulo: 19 } }
// ARGS: mean: { type: f64, count: 11, fill: { modulo: 3 } }
// ARGS: scale: { type: f64, count: 11, fill: { constant: 2 } }
// ARGS: centroids: { type: f64, count: 143, fill: { modulo: 13 } }
// ARGS: moved: { type: f64, count: 143, fill: { modulo: 7 } }
// ARGS: half: { type: f64, count: 169, fill: { modulo: 5 } }
// ARGS: distance: { type: f64, count: 481, fill: { modulo: 23 } }
// ARGS: distance_t: { type: f64, count: 481, fill: { modulo: 29 } }
// ARGS: share: { type: f64, count: 481, fill: { modulo: 4 } }
// ARGS: label: { type: i32, count: 37, fill: { modulo: 13 } }
// ARGS: count: { type: i32, count: 13, fill: { modulo: 6 } }
// ARGS: histogram: { type: f64, count: 297, fill: { modulo: 9 } }
// ARGS: smooth: { type: f64, count: 297, fill: { modulo: 8 } }
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define GHOSTS 2
#define FAR 1e30
#define POINT(i, f) points[(i) * n_features + (f)]
#define CENTROID(c, f) centroids[(c) * n_features + (f)]
#define BIN(h, f, b) h[(f) * width + ((b) - (b_min - GHOSTS))]

struct data {
  int n_points, n_features, n_clusters;
  double clip;
  double *points, *by_feature;
};

static inline double square(double x) { return x * x; }

// The squared distance of two rows, each of one point.
static inline double apart(const double *restrict a, const double *restrict b, int length) {
  double sum = 0;
  for (int f = 0; f < length; ++f)
    sum += square(a[f] - b[f]);
  return sum;
}

// Clusters that overlap a little, without a table of random numbers.
static void generate(size_t n_points, size_t n_features, size_t n_clusters, unsigned seed, double *points) {
#pragma omp target teams distribute parallel for collapse(2) map(from : points[0 : n_points * n_features])
  for (size_t i = 0; i < n_points; ++i)
    for (size_t f = 0; f < n_features; ++f) {
      unsigned key = (unsigned)(i * n_features + f) * 2654435761u + seed;
      key ^= key >> 15;
      key *= 2246822519u;
      key ^= key >> 13;
      double noise = (double)(key & 0xffffu) / 65536.0 - 0.5;
      points[i * n_features + f] = 3.0 * sin(1.3 * (double)(i % n_clusters) + 0.7 * (double)f * (double)(i % n_clusters)) + 4.0 * noise;
    }
}

static void transpose(const struct data *set) {
  const double *points = set->points;
  double *by_feature = set->by_feature;
  int n_features = set->n_features;
#pragma omp target teams distribute parallel for collapse(2) map(to : set[0 : 1], points[0 : set->n_points * n_features])      \
    map(from : by_feature[0 : set->n_points * n_features])
  for (int f = 0; f < n_features; ++f)
    for (int i = 0; i < set->n_points; ++i)
      by_feature[f * set->n_points + i] = points[i * n_features + f];
}

// Mean and spread of each feature, then all points by them, without what lies too far outside.
static void normalise(int n_points, int n_features, double low, double high, const double *by_feature, double *points, double *mean,
                      double *scale) {
  int i, f;
// wrong: collapse(2): all points add to the mean of their feature
#pragma omp target teams distribute parallel for private(i, f) map(to : by_feature[0 : n_points * n_features])                 \
    map(tofrom : mean[0 : n_features])
  for (f = 0; f < n_features; f++)
    for (i = 0; i < n_points; i++)
      mean[f] += by_feature[f * n_points + i] / n_points;

#pragma omp target teams distribute parallel for private(i, f) map(to : by_feature[0 : n_points * n_features])                 \
    map(to : mean[0 : n_features]) map(from : scale[0 : n_features])
  for (f = 0; f < n_features; f++) {
    double sum = 0;
    for (i = 0; i < n_points; i++)
      sum += square(by_feature[f * n_points + i] - mean[f]);
    scale[f] = sqrt(sum / n_points);
  }

#pragma omp target teams distribute parallel for collapse(2) private(i, f) map(tofrom : points[0 : n_points * n_features])     \
    map(to : mean[0 : n_features], scale[0 : n_features])
  for (i = 0; i < n_points; i++)
    for (f = 0; f < n_features; f++) {
      double value = scale[f] > 0 ? (POINT(i, f) - mean[f]) / scale[f] : 0;
      if (value < low)
        POINT(i, f) = low;
      else if (value > high)
        POINT(i, f) = high;
      else
        POINT(i, f) = value;
    }
}

// Points are taken in turn as first centroids, a little moved.
static void begin(const struct data *set, double *centroids) {
  int n_points = set->n_points, n_features = set->n_features, n_clusters = set->n_clusters;
  const double *points = set->points;
#pragma omp target parallel for collapse(2) map(to : points[0 : n_points * n_features])                                        \
    map(from : centroids[0 : n_clusters * n_features])
  for (int c = 0; c < n_clusters; ++c)
    for (int f = 0; f < n_features; ++f)
      CENTROID(c, f) = POINT(c * (n_points / n_clusters), f) + 0.01 * (c - f);
}

// From each point to each centroid, by point.
static void distances(int n_points, int n_features, int n_clusters, const double *points, const double *centroids,
                      double *distance) {
#pragma omp target teams distribute parallel for collapse(2) map(to : points[0 : n_points * n_features])                       \
    map(to : centroids[0 : n_clusters * n_features]) map(from : distance[0 : n_points * n_clusters])
  for (int i = 0; i < n_points; ++i)
    for (int c = 0; c < n_clusters; ++c)
      distance[i * n_clusters + c] = apart(points + i * n_features, centroids + c * n_features, n_features);
}

// The same by cluster, from points by feature: neighbours along i are neighbours in memory.
static void distances_by_cluster(long n_points, long n_features, long n_clusters, const double *by_feature, const double *centroids,
                                 double *distance_t) {
#pragma omp target teams map(to : by_feature[0 : n_points * n_features], centroids[0 : n_clusters * n_features])               \
    map(from : distance_t[0 : n_clusters * n_points])
#pragma omp distribute parallel for collapse(2)
  for (long c = 0; c < n_clusters; ++c)
    for (long i = 0; i < n_points; ++i) {
      double sum = 0;
      for (long f = 0; f < n_features; ++f)
        sum += square(by_feature[f * n_points + i] - CENTROID(c, f));
      distance_t[c * n_points + i] = sum;
    }
}

// Half of what lies between two centroids: no point nearer to one than this is nearer to the other.
static void bounds(int n_clusters, int n_features, const double *centroids, double *half) {
  int c, o;
#pragma omp target teams distribute parallel for collapse(2) private(c, o) map(to : centroids[0 : n_clusters * n_features])    \
    map(from : half[0 : n_clusters * n_clusters])
  for (c = 0; c < n_clusters; c++)
    for (o = 0; o < n_clusters; o++) {
      if (c == o) {
        half[c * n_clusters + o] = FAR;
        continue;
      }
      half[c * n_clusters + o] = 0.5 * sqrt(apart(centroids + c * n_features, centroids + o * n_features, n_features));
    }
}

// The nearest cluster, then how much each point belongs to each cluster: wholly, in part, or not.
static int assign(int n_points, int n_clusters, const double *distance, const double *half, int *label, double *share) {
  int changed = 0;
#pragma omp target teams distribute parallel for map(to : distance[0 : n_points * n_clusters], half[0 : n_clusters * n_clusters])\
    map(tofrom : label[0 : n_points], changed) reduction(+ : changed)
  for (int i = 0; i < n_points; ++i) {
    int best = label[i];
    for (int c = 0; c < n_clusters; ++c) {
      if (half[best * n_clusters + c] > sqrt(distance[i * n_clusters + best]))
        continue;
      if (distance[i * n_clusters + c] < distance[i * n_clusters + best])
        best = c;
    }
    changed += best != label[i];
    label[i] = best;
  }

#pragma omp target teams distribute parallel for collapse(2) map(to : distance[0 : n_points * n_clusters], label[0 : n_points])\
    map(from : share[0 : n_points * n_clusters])
  for (int i = 0; i < n_points; ++i)
    for (int c = 0; c < n_clusters; ++c) {
      double d = distance[i * n_clusters + c], least = distance[i * n_clusters + label[i]];
      if (c == label[i])
        share[i * n_clusters + c] = 1;
      else if (d < 1.5 * least)
        share[i * n_clusters + c] = 0.25 * (1.5 * least - d) / (least + 1e-9);
      else
        share[i * n_clusters + c] = 0;
    }
  return changed;
}

// Sums over the points of each cluster, in one region: how many, where, and the mean instead of the sum.
static void move(int n_points, int n_features, int n_clusters, const double *points, const int *label, int *count, double *moved) {
  int i, c, f;
#pragma omp target map(to : points[0 : n_points * n_features], label[0 : n_points]) map(tofrom : count[0 : n_clusters])        \
    map(from : moved[0 : n_clusters * n_features])
  {
#pragma omp parallel for private(c)
    for (c = 0; c < n_clusters; c++)
      count[c] = 0;

// wrong: collapse(2): the points of a cluster all count in one place
#pragma omp parallel for private(c, i)
    for (c = 0; c < n_clusters; c++)
      for (i = 0; i < n_points; i++)
        if (label[i] == c)
          count[c] += 1;

#pragma omp parallel for collapse(2) private(c, f, i)
    for (c = 0; c < n_clusters; c++)
      for (f = 0; f < n_features; f++) {
        double sum = 0;
        for (i = 0; i < n_points; i++)
          if (label[i] == c)
            sum += POINT(i, f);
        moved[c * n_features + f] = sum;
      }

#pragma omp parallel for collapse(2) private(c, f)
    for (c = 0; c < n_clusters; c++)
      for (f = 0; f < n_features; f++) {
        if (count[c] == 0)
          continue;
        moved[c * n_features + f] /= count[c];
      }
  }
}

// Takes the new centroids and says how far the coordinate that moved most has moved.
static double take(int n_clusters, int n_features, const double *moved, double *centroids) {
  double most = 0;
#pragma omp target teams distribute parallel for collapse(2) map(to : moved[0 : n_clusters * n_features])                      \
    map(tofrom : centroids[0 : n_clusters * n_features], most) reduction(max : most)
  for (int c = 0; c < n_clusters; ++c)
    for (int f = 0; f < n_features; ++f) {
      most = fmax(most, fabs(moved[c * n_features + f] - CENTROID(c, f)));
      CENTROID(c, f) = moved[c * n_features + f];
    }
  return most;
}

// Histograms by feature: counted, continued at both ends, and smoothed; before that, features as a decaying mean along the points.
static void look(int n_points, int n_features, int b_min, int b_max, double low, double high, double decay, double *by_feature,
                 double *histogram, double *smooth) {
  int i, f, b;
  int width = b_max - b_min + 1 + 2 * GHOSTS;
// wrong: collapse(2): a mean goes on from the point before
#pragma omp target teams distribute parallel for private(i, f) map(tofrom : by_feature[0 : n_points * n_features])
  for (f = 0; f < n_features; f++)
    for (i = 1; i < n_points; i++)
      by_feature[f * n_points + i] += decay * (by_feature[f * n_points + i - 1] - by_feature[f * n_points + i]);

#pragma omp target teams distribute parallel for collapse(2) private(i, f, b) map(to : by_feature[0 : n_points * n_features])  \
    map(tofrom : histogram[0 : n_features * width])
  for (f = 0; f < n_features; f++)
    for (b = b_min; b <= b_max; b++) {
      double size = (high - low) / (b_max - b_min + 1), from = low + (b - b_min) * size;
      BIN(histogram, f, b) = 0;
      for (i = 0; i < n_points; i++)
        if (by_feature[f * n_points + i] >= from && by_feature[f * n_points + i] < from + size)
          BIN(histogram, f, b) += 1;
    }

#pragma omp target teams distribute parallel for collapse(2) private(f, b) map(tofrom : histogram[0 : n_features * width])
  for (f = 0; f < n_features; f++)
    for (b = 0; b < GHOSTS; b++) {
      BIN(histogram, f, b_min - 1 - b) = BIN(histogram, f, b_min + b);
      BIN(histogram, f, b_max + 1 + b) = BIN(histogram, f, b_max - b);
    }

#pragma omp target teams loop collapse(2) private(f, b) map(to : histogram[0 : n_features * width])                            \
    map(tofrom : smooth[0 : n_features * width])
  for (f = 0; f < n_features; f++)
    for (b = b_min; b <= b_max; b++)
      BIN(smooth, f, b) = 0.4 * BIN(histogram, f, b) + 0.2 * (BIN(histogram, f, b - 1) + BIN(histogram, f, b + 1)) +
                          0.1 * (BIN(histogram, f, b - 2) + BIN(histogram, f, b + 2));
}

static double *numbers(int count) {
  double *x = calloc(count, sizeof *x);
  if (!x)
    exit(1);
  return x;
}

static double total_of(const double *x, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i)
    sum += x[i] * (1 + i % 3);
  return sum;
}

int main(int argc, char **argv) {
  struct data data = {.n_points = 200, .n_features = 7, .n_clusters = 6, .clip = 2.5}, *set = &data;
  set->n_points = argc > 1 ? atoi(argv[1]) : set->n_points;
  set->n_features = argc > 2 ? atoi(argv[2]) : set->n_features;
  int steps = argc > 3 ? atoi(argv[3]) : 6;
  int n_points = set->n_points, n_features = set->n_features, n_clusters = set->n_clusters, k = n_clusters;
  int b_min = 1, b_max = 20, width = b_max - b_min + 1 + 2 * GHOSTS, made = 0, changed = 1;
  double *points = numbers(n_points * n_features), *by_feature = numbers(n_points * n_features), *mean = numbers(n_features);
  double *scale = numbers(n_features), *centroids = numbers(k * n_features), *moved = numbers(k * n_features);
  double *half = numbers(k * k), *distance = numbers(n_points * k), *distance_t = numbers(n_points * k), *share = numbers(n_points * k);
  double *histogram = numbers(n_features * width), *smooth = numbers(n_features * width);
  int *label = calloc(n_points, sizeof *label), *count = calloc(k, sizeof *count);
  double inertia = 0, most = 0, shared = 0, difference = 0;
  if (!label || !count)
    return 1;
  set->points = points;
  set->by_feature = by_feature;

#pragma omp target data map(to : data) map(tofrom : points[0 : n_points * n_features], by_feature[0 : n_points * n_features])  \
    map(tofrom : mean[0 : n_features], smooth[0 : n_features * width], centroids[0 : k * n_features])                          \
    map(alloc : scale[0 : n_features], moved[0 : k * n_features], half[0 : k * k], histogram[0 : n_features * width])          \
    map(alloc : distance[0 : n_points * k], distance_t[0 : n_points * k], share[0 : n_points * k])                             \
    map(to : label[0 : n_points]) map(tofrom : count[0 : k])
  {
    generate(n_points, n_features, n_clusters, 12345u, points);
    transpose(set);
    normalise(n_points, n_features, -set->clip, set->clip, by_feature, points, mean, scale);
    transpose(set);
    begin(set, centroids);
    for (int step = 0; step < steps && changed; ++step) {
      distances(n_points, n_features, n_clusters, points, centroids, distance);
      bounds(n_clusters, n_features, centroids, half);
      changed = assign(n_points, n_clusters, distance, half, label, share);
      move(n_points, n_features, n_clusters, points, label, count, moved);
      most = take(n_clusters, n_features, moved, centroids);
      ++made;
    }
    distances(n_points, n_features, n_clusters, points, centroids, distance);
    distances_by_cluster(n_points, n_features, n_clusters, by_feature, centroids, distance_t);

#pragma omp target teams distribute parallel for collapse(2) map(to : points[0 : n_points * n_features], label[0 : n_points])  \
    map(to : centroids[0 : k * n_features]) map(tofrom : inertia) reduction(+ : inertia)
    for (int i = 0; i < n_points; ++i)
      for (int f = 0; f < n_features; ++f)
        inertia += square(POINT(i, f) - CENTROID(label[i], f));

#pragma omp target teams distribute parallel for collapse(2) map(to : distance[0 : n_points * k], distance_t[0 : n_points * k])\
    map(to : share[0 : n_points * k]) map(tofrom : shared, difference) reduction(+ : shared) reduction(max : difference)
    for (int i = 0; i < n_points; ++i)
      for (int c = 0; c < k; ++c) {
        shared += share[i * k + c] * sqrt(distance[i * k + c]);
        difference = fmax(difference, fabs(distance[i * k + c] - distance_t[c * n_points + i]));
      }
#pragma omp target update from(label[0 : n_points])
    look(n_points, n_features, b_min, b_max, -set->clip, set->clip, 0.3, by_feature, histogram, smooth);
  }

  printf("steps: %d\n", made);
  printf("means: %.6e\n", total_of(mean, n_features));
  printf("centroids: %.6e\n", total_of(centroids, k * n_features));
  printf("last move: %.6e\n", most);
  printf("inertia: %.6e\n", inertia);
  printf("shared distances: %.6e\n", shared);
  printf("layouts agree: %d\n", difference < 1e-9);
  printf("histograms: %.6e\n", total_of(smooth, n_features * width));
  printf("label of the last point: %d\n", label[n_points - 1]);

  double *all[] = {points, by_feature, mean, scale, centroids, moved, half, distance, distance_t, share, histogram, smooth};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
    free(all[i]);
  free(label), free(count);
}
