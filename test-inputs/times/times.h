// How the suite launches on a GPU: blocks of BLOCK threads, one iteration a thread, blocks of two and three dimensions 32 threads wide. Without BLOCK, the
// loops of one thread of a host.

#define CEIL(n, of) (((n) + (of) - 1) / (of))

#ifdef BLOCK
// A thread for each of n iterations.
#define THREADS(n) num_teams(CEIL(n, BLOCK)) thread_limit(BLOCK)

// The block of a launch over an area, or over a volume, whose edge in y is the longer one.
#define AREA_Y (BLOCK / 32)
#define VOLUME_Y (BLOCK >= 1024 ? 8 : BLOCK >= 256 ? 4 : BLOCK >= 64 ? 2 : 1)
#define VOLUME_Z (BLOCK / 32 / VOLUME_Y)

// Blocks of a launch over nx * ny elements, or nx * ny * nz.
#define AREA_BLOCKS(nx, ny) (CEIL(nx, 32) * CEIL(ny, AREA_Y))
#define VOLUME_BLOCKS(nx, ny, nz) (CEIL(nx, 32) * CEIL(ny, VOLUME_Y) * CEIL(nz, VOLUME_Z))

// Where a thread is: x is the fastest in a block, and among blocks.
#define AREA_PLACE(t, nx, x, y)                                                                                                                      \
  int x = (t) / BLOCK % CEIL(nx, 32) * 32 + (t) % 32;                                                                                                \
  int y = (t) / BLOCK / CEIL(nx, 32) * AREA_Y + (t) % BLOCK / 32
#define VOLUME_PLACE(t, nx, ny, x, y, z)                                                                                                             \
  int x = (t) / BLOCK % CEIL(nx, 32) * 32 + (t) % 32;                                                                                                \
  int y = (t) / BLOCK / CEIL(nx, 32) % CEIL(ny, VOLUME_Y) * VOLUME_Y + (t) % BLOCK / 32 % VOLUME_Y;                                                  \
  int z = (t) / BLOCK / CEIL(nx, 32) / CEIL(ny, VOLUME_Y) * VOLUME_Z + (t) % BLOCK / 32 / VOLUME_Y

// The statement for each place of an area or a volume.
#define FOR_AREA(nx, ny, x, y, statement)                                                                                                            \
  for (int t = 0; t < AREA_BLOCKS(nx, ny) * BLOCK; ++t) {                                                                                            \
    AREA_PLACE(t, nx, x, y);                                                                                                                         \
    if (x < (nx) && y < (ny))                                                                                                                        \
      statement                                                                                                                                      \
  }
#define FOR_VOLUME(nx, ny, nz, x, y, z, statement)                                                                                                   \
  for (int t = 0; t < VOLUME_BLOCKS(nx, ny, nz) * BLOCK; ++t) {                                                                                      \
    VOLUME_PLACE(t, nx, ny, x, y, z);                                                                                                                \
    if (x < (nx) && y < (ny) && z < (nz))                                                                                                            \
      statement                                                                                                                                      \
  }

// Tiles of an area, each of which a block works on: one loop of teams, and loops over the threads of a block.
#define TILE (BLOCK >= 1024 ? 32 : BLOCK >= 256 ? 16 : 8)
#define TILES(n) teams distribute num_teams(CEIL(n, TILE) * CEIL(n, TILE)) thread_limit(BLOCK)
#define BY_THREADS _Pragma("omp parallel for")

// Elements of a mesh, each of which a block works on, and the statement for each place of a small volume by the threads of the block.
#define ELEMENTS(n) teams distribute num_teams(n) thread_limit(BLOCK)
#define FOR_THREADS(nx, ny, nz, x, y, z, statement)                                                                                                  \
  BY_THREADS                                                                                                                                         \
  for (int t = 0; t < (nx) * (ny) * (nz); ++t) {                                                                                                     \
    int x = t % (nx);                                                                                                                                \
    int y = t / (nx) % (ny);                                                                                                                         \
    int z = t / (nx) / (ny);                                                                                                                         \
    statement                                                                                                                                        \
  }

#define AREA(nx, ny) num_teams(AREA_BLOCKS(nx, ny)) thread_limit(BLOCK)
#define VOLUME(nx, ny, nz) num_teams(VOLUME_BLOCKS(nx, ny, nz)) thread_limit(BLOCK)
#else
#define THREADS(n)
#define TILE 16
#define TILES(n) teams distribute parallel for
#define BY_THREADS
#define ELEMENTS(n) teams distribute parallel for
#define FOR_THREADS FOR_VOLUME
#define AREA(nx, ny)
#define VOLUME(nx, ny, nz)
#define FOR_AREA(nx, ny, x, y, statement)                                                                                                            \
  for (int y = 0; y < (ny); ++y)                                                                                                                     \
    for (int x = 0; x < (nx); ++x)                                                                                                                   \
      statement
#define FOR_VOLUME(nx, ny, nz, x, y, z, statement)                                                                                                   \
  for (int z = 0; z < (nz); ++z)                                                                                                                     \
    for (int y = 0; y < (ny); ++y)                                                                                                                   \
      for (int x = 0; x < (nx); ++x)                                                                                                                 \
        statement
#endif
