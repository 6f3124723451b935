void scale(int n, int m, const float *restrict A, float *restrict B);
