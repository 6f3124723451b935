// RUN: %clang -O2 -fopenmp -Wall -Wextra -Werror %s -o %t -lm && %t | %FileCheck %s
// RUN: %S/../plugin/by-versions.sh %plugin %llvm-lib %t %clang -O2 %s
// CHECK: packed: 6.28517e+21
// CHECK: distances: 4.30307e+05
// CHECK: classes: 1.60700e+03
// CHECK: best: 3.17500e+03
// CHECK: hits: 2765
// CHECK: similarities: 9.45166e+02
// CHECK: same words: 194
// CHECK: diagonals: 2.79600e+03
// CHECK: ranks: 2.80310e+04
// CHECK: purines: 1.28232e+21
// CHECK: alignment: 1.53056e+05
// CHECK: most: 63
//
// A search in sequences of four letters, packed into two bits each: distances of all queries to all entries of a database by counting bits, similarity
// of their fingerprints, words of k letters that two sequences share, an alignment of pairs row by row, and an index of where each letter stands.
//
// ARGS: queries: 14
// ARGS: entries: 23
// ARGS: sequences: 14
// ARGS: length: 143
// ARGS: words: 5
// ARGS: prints: 3
// ARGS: positions_a: 41
// ARGS: positions_b: 37
// ARGS: k: 6
// ARGS: kmer_mask: 4095
// ARGS: diagonals: 5
// ARGS: near: 40
// ARGS: far: 90
// ARGS: pairs: 14
// ARGS: columns: 33
// ARGS: row: 3
// ARGS: count: 0
// ARGS: close: 0
// ARGS: most: 0
// ARGS: limit: 96
// ARGS: letters: { type: i8, count: 2002, fill: { random: { seed: 3, below: 127 } } }
// ARGS: packed: { type: i64, count: 70, fill: { random: { seed: 1, below: 1000000007 } } }
// ARGS: query: { type: i64, count: 70, fill: { random: { seed: 1, below: 1000000007 } } }
// ARGS: entry: { type: i64, count: 115, fill: { random: { seed: 2, below: 1000000007 } } }
// ARGS: distance: { type: i32, count: 322, fill: { modulo: 131 } }
// ARGS: query_print: { type: i32, count: 42, fill: { random: { seed: 4, below: 2000000000 } } }
// ARGS: entry_print: { type: i32, count: 69, fill: { random: { seed: 5, below: 2000000000 } } }
// ARGS: similarity: { type: f32, count: 322, fill: zero }
// ARGS: match: { type: i8, count: 1517, fill: { modulo: 2 } }
// ARGS: score: { type: i16, count: 1517, fill: zero }
// ARGS: grade: { type: i8, count: 322, fill: { modulo: 3 } }
// ARGS: best: { type: i32, count: 14, fill: { constant: 1000 } }
// ARGS: place: { type: i64, count: 168, fill: { random: { seed: 6, below: 1000000007 } } }
// ARGS: rank: { type: i32, count: 224, fill: { modulo: 5 } }
// ARGS: prefix: { type: i64, count: 42, fill: { random: { seed: 7, below: 1000000007 } } }
// ARGS: above: { type: i32, count: 476, fill: { modulo: 9 } }
// ARGS: here: { type: i32, count: 476, fill: { random: { seed: 8, below: 30 } } }
// ARGS: back: { type: i8, count: 2002, fill: zero }
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LETTERS_PER_WORD 32u
#define LOW_BITS 0x5555555555555555ull
#define GAP 2
#define WORD(f, s, w) f[(size_t)(s) * words + (w)]
#define CELL(f, p, j) f[(size_t)(p) * (columns + 1) + (j)]
#define PAIR(f, q, d) f[(size_t)(q) * entries + (d)]

// Prints the sum of all elements, those after the first of three counted twice and three times.
#define PRINT_SUM(name, f, count)                                                                                                       \
  do {                                                                                                                                  \
    double sum = 0;                                                                                                                     \
    for (size_t i = 0; i < (size_t)(count); ++i)                                                                                        \
      sum += (double)f[i] * (double)(1 + i % 3);                                                                                        \
    printf(name ": %.5e\n", sum);                                                                                                       \
  } while (0)

struct index {
  unsigned sequences, length, words;
  uint64_t *place;
  unsigned *rank;
};

static inline unsigned code(char letter) {
  if (letter == 'A')
    return 0;
  else if (letter == 'C')
    return 1;
  else if (letter == 'G')
    return 2;
  return 3;
}

// Letters of a packed sequence from number `at` on, as many as the mask has room for.
static inline uint64_t letters_at(const uint64_t *restrict packed, unsigned at, uint64_t kmer_mask) {
  unsigned shift = 2 * (at % LETTERS_PER_WORD);
  uint64_t low = packed[at / LETTERS_PER_WORD] >> shift;
  uint64_t high = shift == 0 ? 0 : packed[at / LETTERS_PER_WORD + 1] << (64 - shift);
  return (low | high) & kmer_mask;
}

static void pack(unsigned sequences, unsigned length, unsigned words, const char *letters, uint64_t *packed) {
  unsigned s, w, i;
#pragma omp target teams distribute parallel for private(w, i) collapse(2) map(to : letters[0 : sequences * length])                   \
    map(from : packed[0 : sequences * words])
  for (s = 0; s < sequences; s++)
    for (w = 0; w < words; w++) {
      uint64_t word = 0;
      for (i = 0; i < LETTERS_PER_WORD; i++) {
        unsigned at = w * LETTERS_PER_WORD + i;
        if (at >= length)
          continue;
        word |= (uint64_t)code(letters[s * length + at]) << (2 * i);
      }
      WORD(packed, s, w) = word;
    }
}

// The opposite strand, letter by letter.
static void reverse(unsigned sequences, unsigned length, const char *letters, char *back) {
#pragma omp target teams distribute parallel for collapse(2) map(to : letters[0 : sequences * length])                                  \
    map(from : back[0 : sequences * length]) map(to : length)
  for (unsigned s = 0; s < sequences; ++s)
    for (unsigned i = 0; i < length; ++i) {
      unsigned opposite = 3 - code(letters[s * length + (length - 1 - i)]);
      back[s * length + i] = opposite == 0 ? 'A' : opposite == 1 ? 'C' : opposite == 2 ? 'G' : 'T';
    }
}

// In how many letters each query differs from each entry; the caller sees which are near.
static void distances(unsigned queries, unsigned entries, unsigned words, const uint64_t *query, const uint64_t *entry, unsigned *distance) {
#pragma omp target teams distribute parallel for collapse(2) map(to : queries, entries, words)                                          \
    map(to : query[0 : queries * words], entry[0 : entries * words]) map(from : distance[0 : queries * entries])
  for (unsigned q = 0; q < queries; ++q)
    for (unsigned d = 0; d < entries; ++d) {
      unsigned different = 0;
      for (unsigned w = 0; w < words; ++w) {
        uint64_t x = WORD(query, q, w) ^ WORD(entry, d, w);
        different += (unsigned)__builtin_popcountll((x | x >> 1) & LOW_BITS);
      }
      PAIR(distance, q, d) = different;
    }
}

static void classify(unsigned queries, unsigned entries, unsigned near, unsigned far, const unsigned *distance, unsigned char *grade) {
#pragma omp target teams loop collapse(2) map(to : distance[0 : queries * entries]) map(from : grade[0 : queries * entries])
  for (unsigned q = 0; q < queries; ++q)
    for (unsigned d = 0; d < entries; ++d) {
      unsigned apart = PAIR(distance, q, d);
      if (apart <= near)
        PAIR(grade, q, d) = 2;
      else if (apart <= far)
        PAIR(grade, q, d) = 1;
      else
        PAIR(grade, q, d) = 0;
    }
}

static void nearest(unsigned queries, unsigned entries, const unsigned *distance, unsigned *best) {
  unsigned q, d;
// wrong: collapse(2): all entries change the best of a query
#pragma omp target teams distribute parallel for private(d) map(to : distance[0 : queries * entries]) map(tofrom : best[0 : queries])
  for (q = 0; q < queries; q++)
    for (d = 0; d < entries; d++)
      best[q] = PAIR(distance, q, d) < best[q] ? PAIR(distance, q, d) : best[q];
}

// What share of the properties of either two prints have in common.
static void compare_prints(long queries, long entries, long prints, const uint32_t *query_print, const uint32_t *entry_print, float *similarity) {
#pragma omp target teams map(to : query_print[0 : queries * prints], entry_print[0 : entries * prints])                                 \
    map(from : similarity[0 : queries * entries])
  {
#pragma omp distribute parallel for collapse(2)
    for (long q = 0; q < queries; ++q)
      for (long d = 0; d < entries; ++d) {
        int both = 0, either = 0;
        for (long w = 0; w < prints; ++w) {
          both += __builtin_popcount(query_print[q * prints + w] & entry_print[d * prints + w]);
          either += __builtin_popcount(query_print[q * prints + w] | entry_print[d * prints + w]);
        }
        similarity[q * entries + d] = either == 0 ? 0.0f : (float)both / (float)either;
      }
  }
}

// Where words of k letters of two sequences are the same, and how many such words follow each other on a diagonal.
static unsigned dots(int positions_a, int positions_b, int k, int diagonals, const uint64_t *query, const uint64_t *entry, unsigned char *match,
                     short *score) {
  uint64_t kmer_mask = ((uint64_t)1 << 2 * k) - 1;
  unsigned words_a = (unsigned)(positions_a + k) / LETTERS_PER_WORD + 2, words_b = (unsigned)(positions_b + k) / LETTERS_PER_WORD + 2;
  unsigned count = 0;
  int i, j, t;
#pragma omp target teams distribute parallel for private(i, j) collapse(2) map(to : kmer_mask, query[0 : words_a], entry[0 : words_b])  \
    map(from : match[0 : positions_a * positions_b])
  for (i = 0; i < positions_a; i++)
    for (j = 0; j < positions_b; j++)
      match[i * positions_b + j] = letters_at(query, i, kmer_mask) == letters_at(entry, j, kmer_mask);

#pragma omp target parallel for private(i, j, t) collapse(2) map(to : positions_a, positions_b, diagonals)                              \
    map(to : match[0 : positions_a * positions_b]) map(tofrom : score[0 : positions_a * positions_b])
  for (i = 0; i < positions_a - diagonals; i++)
    for (j = 0; j < positions_b - diagonals; j++) {
      short run = 0;
      for (t = 0; t < diagonals; t++)
        run += match[(i + t) * positions_b + (j + t)];
      score[i * positions_b + j] = run;
    }

#pragma omp target teams distribute parallel for private(i, j) collapse(2) reduction(+ : count)                                         \
    map(to : match[0 : positions_a * positions_b]) map(tofrom : count)
  for (i = 0; i < positions_a; i++)
    for (j = 0; j < positions_b; j++) {
      if (!match[i * positions_b + j])
        continue;
      count++;
    }
  return count;
}

// A bit for each place of a sequence at which a letter stands, for each of the four letters, and how many there are before each word of bits.
static void make_index(struct index *s, const char *letters) {
  unsigned sequences = s->sequences, length = s->length, prints = s->words;
  uint64_t *place = s->place;
  unsigned *rank = s->rank;
#pragma omp target teams distribute parallel for collapse(3) map(to : letters[0 : sequences * length])                                  \
    map(from : place[0 : 4 * sequences * prints])
  for (unsigned i = 0; i < sequences; ++i)
    for (unsigned letter = 0; letter < 4; ++letter)
      for (unsigned w = 0; w < prints; ++w) {
        unsigned last = (w + 1) * 64 < length ? (w + 1) * 64 : length;
        uint64_t bits = 0;
        for (unsigned at = w * 64; at < last; ++at)
          bits |= (uint64_t)(code(letters[i * length + at]) == letter) << (at & 63);
        place[(i * 4 + letter) * prints + w] = bits;
      }

#pragma omp target teams distribute parallel for map(from : rank[0 : 4 * sequences * (prints + 1)])
  for (unsigned i = 0; i < 4 * sequences; ++i)
    rank[i * (prints + 1)] = 0;

// wrong: collapse(2): the count before a word is that before the last one and those in it
#pragma omp target teams distribute parallel for map(to : place[0 : 4 * sequences * prints])                                            \
    map(tofrom : rank[0 : 4 * sequences * (prints + 1)])
  for (unsigned i = 0; i < 4 * sequences; ++i)
    for (unsigned w = 0; w < prints; ++w)
      rank[i * (prints + 1) + w + 1] = rank[i * (prints + 1) + w] + (unsigned)__builtin_popcountll(place[i * prints + w]);
}

// The places of purines, as bits that several letters of a row set.
static void purines(unsigned sequences, unsigned length, unsigned prints, const char *letters, uint64_t *prefix) {
  unsigned s, i;
// wrong: collapse(2): 64 letters change the same word
#pragma omp target teams distribute parallel for private(i) map(to : letters[0 : sequences * length])                                   \
    map(tofrom : prefix[0 : sequences * prints])
  for (s = 0; s < sequences; s++)
    for (i = 0; i < length; i++)
      prefix[s * prints + (i >> 6)] |= (uint64_t)(letters[s * length + i] == 'A' || letters[s * length + i] == 'G') << (i & 63);
}

// All sequences move on by `k` letters, in place.
static void shift(unsigned sequences, unsigned words, int k, uint64_t *packed) {
// wrong: collapse(2): a word takes the lowest letters of the next one before that changes
#pragma omp target teams distribute parallel for map(tofrom : packed[0 : sequences * words])
  for (unsigned s = 0; s < sequences; ++s)
    for (unsigned w = 0; w < words - 1; ++w)
      WORD(packed, s, w) = WORD(packed, s, w) >> 2 * k | WORD(packed, s, w + 1) << (64 - 2 * k);
}

// A row of the alignment of each pair: row `row` of the queries against all columns of the entries.
static void align_row(int pairs, int columns, int row, int length, const char *letters, const char *back, const int *above, int *here) {
  int p, j;
#pragma omp target teams distribute parallel for private(j) collapse(2) map(to : above[0 : pairs * (columns + 1)])                      \
    map(to : letters[0 : pairs * length], back[0 : pairs * length]) map(tofrom : here[0 : pairs * (columns + 1)])
  for (p = 0; p < pairs; p++)
    for (j = 1; j <= columns; j++) {
      int diagonal = CELL(above, p, j - 1) + (letters[p * length + row] == back[p * length + j - 1] ? 3 : -1);
      int up = CELL(above, p, j) - GAP, most = diagonal > up ? diagonal : up;
      CELL(here, p, j) = most > 0 ? most : 0;
    }

// wrong: collapse(2): a gap makes a cell from the one before it
#pragma omp target teams distribute parallel for private(j) map(tofrom : here[0 : pairs * (columns + 1)])
  for (p = 0; p < pairs; p++)
    for (j = 1; j <= columns; j++)
      if (CELL(here, p, j - 1) - GAP > CELL(here, p, j))
        CELL(here, p, j) = CELL(here, p, j - 1) - GAP;
}

static unsigned random_number(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 16;
}

// Random letters; each fourth sequence is like the one before it, but for a few letters.
static void invent(char *letters, unsigned sequences, unsigned length, unsigned seed) {
  for (unsigned s = 0; s < sequences; ++s)
    for (unsigned i = 0; i < length; ++i) {
      unsigned number = random_number(&seed);
      if (s % 4 == 3 && number % 16 != 0)
        letters[s * length + i] = letters[(s - 1) * length + i];
      else
        letters[s * length + i] = "ACGT"[number / 16 % 4];
    }
}

int main(int argc, char **argv) {
  unsigned queries = argc > 1 ? (unsigned)atoi(argv[1]) : 24;
  unsigned entries = argc > 2 ? (unsigned)atoi(argv[2]) : 60;
  unsigned length = argc > 3 ? (unsigned)atoi(argv[3]) : 200;
  int rows = argc > 4 ? atoi(argv[4]) : 40;
  if (queries < 4 || entries < queries || length < 32 || rows < 1 || rows > (int)length) {
    fprintf(stderr, "usage: %s queries entries length rows\n", argv[0]);
    return 1;
  }
  unsigned words = length / LETTERS_PER_WORD + 2, prints = (length + 63) / 64;
  int columns = (int)length / 2, k = 6, positions = (int)length - 2 * k, cells = (int)queries * (columns + 1);

  char *letters = malloc(queries * length), *others = malloc(entries * length), *back = malloc(queries * length);
  uint64_t *query = malloc(sizeof(uint64_t) * queries * words), *entry = malloc(sizeof(uint64_t) * entries * words);
  uint64_t *place = malloc(sizeof(uint64_t) * 4 * queries * prints), *prefix = calloc(queries * prints, sizeof(uint64_t));
  uint32_t *query_print = malloc(sizeof(uint32_t) * queries * prints), *entry_print = malloc(sizeof(uint32_t) * entries * prints);
  unsigned *distance = malloc(sizeof(unsigned) * queries * entries), *best = malloc(sizeof(unsigned) * queries);
  unsigned *rank = malloc(sizeof(unsigned) * 4 * queries * (prints + 1));
  unsigned char *grade = malloc(queries * entries), *match = malloc((size_t)positions * positions);
  short *score = calloc((size_t)positions * positions, sizeof(short));
  float *similarity = malloc(sizeof(float) * queries * entries);
  int *above = calloc(cells, sizeof(int)), *here = calloc(cells, sizeof(int));
  unsigned seed = 17;
  invent(letters, queries, length, 1);
  invent(others, entries, length, 2);
  memcpy(others, letters, queries / 2 * length);
  for (unsigned i = 0; i < queries * prints; ++i)
    query_print[i] = random_number(&seed) * 65537u;
  for (unsigned i = 0; i < entries * prints; ++i)
    entry_print[i] = random_number(&seed) * 40503u;
  for (unsigned q = 0; q < queries; ++q)
    best[q] = length;

  pack(queries, length, words, letters, query);
  pack(entries, length, words, others, entry);
  reverse(queries, length, letters, back);

  // How often a query comes near an entry, as the entries move on.
  unsigned hits = 0, limit = 3 * length / 4, steps = 4;
#pragma omp target data map(tofrom : query[0 : queries * words], entry[0 : entries * words], distance[0 : queries * entries])           \
    map(tofrom : grade[0 : queries * entries], best[0 : queries])
  for (unsigned step = 0; step < steps; ++step) {
    distances(queries, entries, words, query, entry, distance);
    classify(queries, entries, length / 2, 3 * length / 4, distance, grade);
    nearest(queries, entries, distance, best);
    unsigned close = 0;
#pragma omp target teams distribute parallel for collapse(2) reduction(+ : close) map(to : queries, entries, limit)                     \
    map(to : distance[0 : queries * entries]) map(tofrom : close)
    for (unsigned q = 0; q < queries; ++q)
      for (unsigned d = 0; d < entries; ++d)
        if (PAIR(distance, q, d) < limit)
          close += 1 + (PAIR(distance, q, d) < limit / 2);
    hits += close;
    shift(entries, words, 1, entry);
#pragma omp target update from(best[0 : queries])
    if (best[0] > 0)
      break;
  }

  compare_prints(queries, entries, prints, query_print, entry_print, similarity);
  unsigned same = dots(positions, positions, k, 5, query, entry, match, score);
  struct index index = {queries, length, prints, place, rank};
  make_index(&index, letters);
  purines(queries, length, prints, letters, prefix);

  // The queries against their own opposite strands.
  int most = 0;
#pragma omp target data map(to : letters[0 : queries * length], back[0 : queries * length]) map(tofrom : above[0 : cells], here[0 : cells])
  for (int row = 0; row < rows; ++row) {
    align_row((int)queries, columns, row, (int)length, letters, back, above, here);
#pragma omp target teams distribute parallel for collapse(2) reduction(max : most) map(tofrom : most)
    for (unsigned q = 0; q < queries; ++q)
      for (int j = 0; j <= columns; ++j)
        most = CELL(here, q, j) > most ? CELL(here, q, j) : most;
    int *next = above;
    above = here;
    here = next;
  }

  PRINT_SUM("packed", entry, entries * words);
  PRINT_SUM("distances", distance, queries * entries);
  PRINT_SUM("classes", grade, queries * entries);
  PRINT_SUM("best", best, queries);
  printf("hits: %u\n", hits);
  PRINT_SUM("similarities", similarity, queries * entries);
  printf("same words: %u\n", same);
  PRINT_SUM("diagonals", score, positions * positions);
  PRINT_SUM("ranks", rank, 4 * queries * (prints + 1));
  PRINT_SUM("purines", prefix, queries * prints);
  PRINT_SUM("alignment", above, cells);
  printf("most: %d\n", most);

  free(letters), free(others), free(back), free(query), free(entry), free(place), free(prefix), free(query_print), free(entry_print);
  free(distance), free(best), free(rank), free(grade), free(match), free(score), free(similarity), free(above), free(here);
  return 0;
}
