// Fields of nx*ny*nz doubles, where neighbouring threads have neighbouring k and so are 8*nx*ny bytes apart.
// In `shift` the sizes are arguments, in `scale` members of a structure, in `raise` unsigned, so that products may wrap.
// Each region changes a field in place by what comes before in it, so that no other order of its loops is possible.

struct dims {
  long nx, ny, nz;
};

void shift(long nx, long ny, long nz, double *u) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : nx * ny * nz])
  for (long k = 0; k < nz; k++)
    for (long i = 1; i < nx * ny; i++)
      u[k * nx * ny + i] += u[k * nx * ny + i - 1];
}

void scale(const struct dims *d, double *u) {
#pragma omp target teams distribute parallel for map(to : d[0 : 1]) map(tofrom : u[0 : d->nx * d->ny * d->nz])
  for (long k = 0; k < d->nz; k++)
    for (long i = 1; i < d->nx * d->ny; i++)
      u[k * d->nx * d->ny + i] += u[k * d->nx * d->ny + i - 1];
}

void raise(unsigned nx, unsigned ny, unsigned nz, double *u) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : nx * ny * nz])
  for (unsigned k = 0; k < nz; k++)
    for (unsigned i = 1; i < nx * ny; i++)
      u[k * nx * ny + i] += u[k * nx * ny + i - 1];
}
