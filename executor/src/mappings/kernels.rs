//! The four kernels that TileK's authors compare mappings with (table 1 of their paper), written from their formulas, on elements of 4 bytes.

/// A nest of two parallel loops.
#[derive(Clone, Copy)]
pub(super) struct Kernel {
    /// What the paper calls it.
    pub name: &'static str,
    /// Of the function.
    pub parameters: &'static str,
    /// The map clauses.
    pub maps: &'static str,
    /// The outer one first.
    pub loops: [Counter; 2],
    /// What an iteration of both does, further loops included.
    pub body: &'static str,
    /// The values of its parameters of type int.
    pub sizes: &'static [(&'static str, u64)],
}

/// A loop that counts up by one.
#[derive(Clone, Copy)]
pub(super) struct Counter {
    pub name: &'static str,
    pub first: u64,
    /// What it ends before, as the function has it.
    pub end: &'static str,
    /// How often it runs with the kernel's sizes.
    pub trips: u64,
}

impl Kernel {
    pub(super) fn trips(&self) -> Vec<u64> {
        self.loops.iter().map(|of| of.trips).collect()
    }

    pub(super) fn iterations(&self) -> u64 {
        self.loops.iter().map(|of| of.trips).product()
    }
}

/// Sizes are odd, and no multiple of a tile.
pub(super) const KERNELS: [Kernel; 4] = [
    Kernel {
        name: "2d-conv",
        parameters: "int n, int m, const float *a, float *b",
        maps: "map(to : a[0 : n * m]) map(tofrom : b[0 : n * m])",
        loops: [
            Counter { name: "i", first: 1, end: "n - 1", trips: 129 },
            Counter { name: "j", first: 1, end: "m - 1", trips: 127 },
        ],
        body: "        b[i * m + j] = 0.2f * a[(i - 1) * m + j - 1] + 0.5f * a[(i - 1) * m + j] - 0.8f * a[(i - 1) * m + j + 1]
          - 0.3f * a[i * m + j - 1] + 0.6f * a[i * m + j] - 0.9f * a[i * m + j + 1]
          + 0.4f * a[(i + 1) * m + j - 1] + 0.7f * a[(i + 1) * m + j] + 0.1f * a[(i + 1) * m + j + 1];",
        sizes: &[("n", 131), ("m", 129)],
    },
    Kernel {
        name: "sgemm",
        parameters: "int n, int m, int l, float alpha, float beta, const float *a, const float *b, float *c",
        maps: "map(to : a[0 : n * l], b[0 : l * m]) map(tofrom : c[0 : n * m])",
        loops: [
            Counter { name: "i", first: 0, end: "n", trips: 97 },
            Counter { name: "j", first: 0, end: "m", trips: 101 },
        ],
        body: "        float sum = beta * c[i * m + j];
        for (int k = 0; k < l; ++k)
          sum += alpha * a[i * l + k] * b[k * m + j];
        c[i * m + j] = sum;",
        sizes: &[("n", 97), ("m", 101), ("l", 33)],
    },
    Kernel {
        name: "syr2k",
        parameters: "int n, int m, float alpha, float beta, const float *a, const float *b, float *c",
        maps: "map(to : a[0 : n * m], b[0 : n * m]) map(tofrom : c[0 : n * n])",
        loops: [
            Counter { name: "i", first: 0, end: "n", trips: 97 },
            Counter { name: "j", first: 0, end: "n", trips: 97 },
        ],
        body: "        float sum = beta * c[i * n + j];
        for (int k = 0; k < m; ++k)
          sum += alpha * a[i * m + k] * b[j * m + k] + alpha * b[i * m + k] * a[j * m + k];
        c[i * n + j] = sum;",
        sizes: &[("n", 97), ("m", 33)],
    },
    Kernel {
        name: "doitgen",
        parameters: "int r, int q, int p, const float *a, const float *c4, float *sum",
        maps: "map(to : a[0 : r * q * p], c4[0 : p * p]) map(tofrom : sum[0 : r * q * p])",
        loops: [
            Counter { name: "i", first: 0, end: "r", trips: 51 },
            Counter { name: "j", first: 0, end: "q", trips: 49 },
        ],
        body: "        for (int k = 0; k < p; ++k) {
          float part = 0;
          for (int s = 0; s < p; ++s)
            part += a[(i * q + j) * p + s] * c4[s * p + k];
          sum[(i * q + j) * p + k] = part;
        }",
        sizes: &[("r", 51), ("q", 49), ("p", 17)],
    },
];
