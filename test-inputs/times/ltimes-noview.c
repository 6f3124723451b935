// Apps_LTIMES_NOVIEW: phi[m, g, z] += ell[m, d] * psi[d, g, z], with 64 directions d, 32 groups g and 25 moments m.
// EXTENTS: nz = size // (64 * 32)
#include "times.h"

enum { ND = 64, NG = 32, NM = 25 };

void ltimes(int nz, double *phi, const double *ell, const double *psi) {
#pragma omp target teams distribute parallel for VOLUME(NM, NG, nz) map(tofrom : phi[0 : (long)NM * NG * nz]) map(to : ell[0 : NM * ND], psi[0 : (long)ND * NG * nz])
  FOR_VOLUME(NM, NG, nz, m, g, z, {
    for (long d = 0; d < ND; ++d)
      phi[m + (long)NM * (g + (long)NG * z)] += ell[m + NM * d] * psi[d + (long)ND * (g + (long)NG * z)];
  })
}
