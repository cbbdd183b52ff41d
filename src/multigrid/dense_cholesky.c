// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Cholesky in panels of four tiles. A tile takes the sum over all columns to its left in one pass,
// with its sums in registers, because a row of tiles is contiguous. The diagonal tiles of L are
// inverted, so that the triangular solves are products too. Every tile is computed by one task in a
// fixed order, so that the bits do not depend on the number of threads.
#include "multigrid/dense_cholesky.h"
#include "base/fail.h"
#include "base/memory.h"
#include "math/simd.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    T = PL_TILE,
    TILE_SIZE = T * T,
    PARTS = T / PL_LANES, // registers of a tile's column
    PANEL = 4,            // tiles
    SECTION = 128,        // columns of two tiles that fit the first cache: 16 KB
    SOLVE_PANEL = 8,
    PARALLEL_TILES = 36, // smaller matrices are finished before a second thread wakes up
    MAX_RHS = 3,         // at a time
    COLUMNS = 8 / PARTS > 1 ? 8 / PARTS : 2, // of a tile, summed in registers at once
};

void pl_dense_cholesky_free(pl_dense_cholesky* c) {
    size_t rows = (size_t)c->tile_capacity, tiles = rows * (rows + 1) / 2;
    PL_FREE(c->tiles, float, tiles* TILE_SIZE);
    PL_FREE(c->inverses, float, rows* TILE_SIZE);
    PL_FREE(c->diagonal, float, rows* T);
    PL_FREE(c->work, float, rows* T*(size_t)c->rhs_capacity);
    *c = (pl_dense_cholesky){0};
}

pl_status pl_dense_cholesky_setup(pl_dense_cholesky* c, int n, int rhs_capacity, pl_error* error) {
    int tile_rows = (n + T - 1) / T;
    *c = (pl_dense_cholesky){.n = n,
                             .tile_rows = tile_rows,
                             .tile_capacity = tile_rows,
                             .rhs_capacity = rhs_capacity,
                             .least_pivot = FLT_EPSILON};
    size_t rows = (size_t)tile_rows, tiles = rows * (rows + 1) / 2;
    c->tiles = PL_ALLOC(float, tiles* TILE_SIZE);
    c->inverses = PL_ALLOC(float, rows* TILE_SIZE);
    c->diagonal = PL_ALLOC(float, rows* T);
    c->work = PL_ALLOC(float, rows* T*(size_t)rhs_capacity);
    if (n > 0 && (!c->tiles || !c->inverses || !c->diagonal || !c->work)) {
        pl_dense_cholesky_free(c);
        return pl_fail_memory(error, "a dense matrix");
    }
    pl_dense_cholesky_zero(c);
    return PL_OK;
}

void pl_dense_cholesky_make_signed(pl_dense_cholesky* c, int negative_tiles, float least_pivot) {
    PL_ASSERT(negative_tiles < c->tile_rows);
    c->negative_tiles = negative_tiles;
    c->least_pivot = least_pivot;
    pl_dense_cholesky_zero(c);
}

void pl_dense_cholesky_resize(pl_dense_cholesky* c, int n) {
    c->n = n;
    c->tile_rows = (n + T - 1) / T;
    PL_ASSERT(c->tile_rows <= c->tile_capacity);
    pl_dense_cholesky_zero(c);
}

void pl_dense_cholesky_zero(pl_dense_cholesky* c) {
    size_t rows = (size_t)c->tile_rows, tiles = rows * (rows + 1) / 2;
    if (tiles) memset(c->tiles, 0, tiles * TILE_SIZE * sizeof(float));
    for (int i = c->n; i < c->tile_rows * T; i++)
        *pl_dense_cholesky_at(c, i, i) = c->negative_tiles ? -1.0f : 1.0f;
}

static float* tile_row(const pl_dense_cholesky* c, int I) {
    size_t row = (size_t)I;
    return c->tiles + row * (row + 1) / 2 * TILE_SIZE;
}

// out = base - A B', or A B' without a base. A and B are rows of tiles, `depth` columns of them; at
// most SECTION columns are in the first cache at a time.
static void multiply_section(const float* A, const float* B, int depth, const float* base,
                             float* out) {
    for (int c0 = 0; c0 < T; c0 += COLUMNS) {
        pl_fw sum[COLUMNS][PARTS] = {{{0}}};
        for (int k = 0; k < depth; k++)
            for (int p = 0; p < PARTS; p++) {
                pl_fw a = pl_in_register_w(pl_load_w(A + k * T + p * PL_LANES));
                for (int c = 0; c < COLUMNS; c++)
                    sum[c][p] = pl_fma_w(a, pl_splat_w(B[k * T + c0 + c]), sum[c][p]);
            }
        for (int c = 0; c < COLUMNS; c++)
            for (int p = 0; p < PARTS; p++) {
                int at = (c0 + c) * T + p * PL_LANES;
                pl_store_w(out + at, base ? pl_load_w(base + at) - sum[c][p] : sum[c][p]);
            }
    }
}

static void multiply_tiles(const float* A, const float* B, int depth, const float* base,
                           float* out) {
    int first = depth < SECTION ? depth : SECTION;
    multiply_section(A, B, first, base, out);
    for (int k = first; k < depth; k += SECTION)
        multiply_section(A + k * T, B + k * T, depth - k < SECTION ? depth - k : SECTION, out, out);
}

// Factors a diagonal tile, with zeros above. Returns the column whose pivot is too small, or -1.
static int factor_tile(float* tile, const float* diagonal, float least) {
    for (int j = 0; j < T; j++) {
        float pivot = tile[j * T + j];
        if (!(pivot > least * diagonal[j]) || !isfinite(pivot)) return j;
        float scale = 1.0f / sqrtf(pivot);
        for (int i = 0; i < j; i++) tile[j * T + i] = 0.0f;
        for (int i = j; i < T; i++) tile[j * T + i] *= scale;
        for (int k = j + 1; k < T; k++)
            for (int p = 0; p < PARTS; p++) {
                float* column = tile + k * T + p * PL_LANES;
                pl_fw l = pl_load_w(tile + j * T + p * PL_LANES);
                pl_store_w(column, pl_fnma_w(l, pl_splat_w(tile[j * T + k]), pl_load_w(column)));
            }
    }
    return -1;
}

// inverse = L^-1, both lower triangular and column-major
static void invert_tile(const float* L, float* inverse) {
    memset(inverse, 0, TILE_SIZE * sizeof(float));
    for (int j = 0; j < T; j++) inverse[j * T + j] = 1.0f;
    for (int k = 0; k < T; k++) {
        // Row k of the inverse is final after the division; then its share is subtracted from the
        // rows below.
        float scale = 1.0f / L[k * T + k];
        for (int j = 0; j <= k; j++) {
            float* column = inverse + j * T;
            float value = column[k] * scale;
            column[k] = value;
            for (int i = k + 1; i < T; i++) column[i] -= L[k * T + i] * value;
        }
    }
}

typedef struct factor_work {
    pl_dense_cholesky* c;
    int first, end; // tiles of the panel
    int split;      // first tile with D = -1
} factor_work;

// Tile (I, J) with D = -1: after the columns of the other sign it is -B - G K^-1 G', and its sign
// is flipped.
static void turn_tile(const factor_work* w, int I, int J, float* tile) {
    multiply_tiles(tile_row(w->c, I), tile_row(w->c, J), w->split * T, tile, tile);
    for (int k = 0; k < TILE_SIZE; k++) tile[k] = -tile[k];
    for (int k = 0; I == J && k < T; k++) w->c->diagonal[I * T + k] = tile[k * T + k];
}

// Subtracts the columns before the panel from the panel's tiles; item: a row of tiles.
static void update_rows_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const factor_work* w = user;
    for (int I = w->first + begin; I < w->first + end; I++)
        for (int J = w->first; J < w->end && J <= I; J++) {
            float* tile = tile_row(w->c, I) + (size_t)J * TILE_SIZE;
            bool turned = w->first >= w->split;
            if (turned) turn_tile(w, I, J, tile);
            size_t from = turned ? (size_t)w->split * TILE_SIZE : 0;
            multiply_tiles(tile_row(w->c, I) + from, tile_row(w->c, J) + from,
                           (turned ? w->first - w->split : w->first) * T, tile, tile);
        }
}

// computes tile (I, J) of L after those to its left in the panel
static void finish_tile(const factor_work* w, int I, int J) {
    float *row = tile_row(w->c, I), *tile = row + (size_t)J * TILE_SIZE;
    size_t inside = (size_t)w->first * TILE_SIZE;
    _Alignas(64) float rest[TILE_SIZE];
    multiply_tiles(row + inside, tile_row(w->c, J) + inside, (J - w->first) * T, tile, rest);
    if (I == J) memcpy(tile, rest, sizeof rest);
    else multiply_tiles(rest, w->c->inverses + (size_t)J * TILE_SIZE, T, NULL, tile);
}

// rows of tiles below the panel's diagonal
static void finish_rows_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const factor_work* w = user;
    for (int I = w->end + begin; I < w->end + end; I++)
        for (int J = w->first; J < w->end; J++) finish_tile(w, I, J);
}

// factors the triangle of the panel; returns the row that fails, or -1
static int factor_diagonal(const factor_work* w) {
    pl_dense_cholesky* c = w->c;
    for (int I = w->first; I < w->end; I++) {
        for (int J = w->first; J <= I; J++) finish_tile(w, I, J);
        float* tile = tile_row(c, I) + (size_t)I * TILE_SIZE;
        int failed = factor_tile(tile, c->diagonal + (size_t)I * T, c->least_pivot);
        if (failed >= 0) return I * T + failed;
        invert_tile(tile, c->inverses + (size_t)I * TILE_SIZE);
    }
    return -1;
}

int pl_dense_cholesky_factor(pl_dense_cholesky* c, pl_pool* pool) {
    if (c->tile_rows < PARALLEL_TILES) pool = NULL;
    for (int i = 0; i < c->tile_rows * T; i++) c->diagonal[i] = *pl_dense_cholesky_at(c, i, i);
    const int split = c->tile_rows - c->negative_tiles;
    for (int first = 0, end; first < c->tile_rows; first = end) {
        int limit = first < split ? split : c->tile_rows;
        end = first + PANEL < limit ? first + PANEL : limit;
        factor_work w = {c, first, end, split};
        if (first > 0) pl_parallel_for(pool, update_rows_task, c->tile_rows - first, 2, &w);
        int failed = factor_diagonal(&w);
        if (failed >= 0) return failed;
        pl_parallel_for(pool, finish_rows_task, c->tile_rows - end, 2, &w);
    }
    return -1;
}

typedef struct solve_work {
    pl_dense_cholesky* c;
    float* x; // rhs_count columns per tile
    int rhs_count;
    int first, end; // tiles of the panel
} solve_work;

// out -= A x, for a row of tiles A with `depth` columns; x: one tile of rhs columns after the other
static inline __attribute__((always_inline)) void
subtract_rows(const float* A, int depth, const float* x, int rhs, float* out) {
    pl_fw sum[MAX_RHS][PARTS] = {{{0}}};
    for (int k = 0; k < depth; k++) {
        const float* xk = x + k / T * rhs * T + k % T;
        for (int p = 0; p < PARTS; p++) {
            pl_fw a = pl_load_w(A + k * T + p * PL_LANES);
            for (int r = 0; r < rhs; r++) sum[r][p] = pl_fma_w(a, pl_splat_w(xk[r * T]), sum[r][p]);
        }
    }
    for (int r = 0; r < rhs; r++)
        for (int p = 0; p < PARTS; p++) {
            float* o = out + r * T + p * PL_LANES;
            pl_store_w(o, pl_load_w(o) - sum[r][p]);
        }
}

// out -= A' x over the tiles of one column, from row `first` to `end`
static inline __attribute__((always_inline)) void
subtract_columns(const solve_work* w, int J, int first, int end, int rhs, float* out) {
    enum { TOGETHER = 4 };
    for (int c0 = 0; c0 < T; c0 += TOGETHER) {
        pl_fw sum[TOGETHER][MAX_RHS] = {{{0}}};
        for (int I = first; I < end; I++) {
            const float* tile = tile_row(w->c, I) + (size_t)J * TILE_SIZE + c0 * T;
            const float* x = w->x + (size_t)I * (size_t)(rhs * T);
            for (int p = 0; p < PARTS; p++)
                for (int c = 0; c < TOGETHER; c++) {
                    pl_fw a = pl_load_w(tile + c * T + p * PL_LANES);
                    for (int r = 0; r < rhs; r++)
                        sum[c][r] = pl_fma_w(a, pl_load_w(x + r * T + p * PL_LANES), sum[c][r]);
                }
        }
        for (int c = 0; c < TOGETHER; c++)
            for (int r = 0; r < rhs; r++) out[r * T + c0 + c] -= pl_sum_w(sum[c][r]);
    }
}

// with a constant number of right-hand sides for the compiler
static void subtract_rows_of(const float* A, int depth, const float* x, int rhs, float* out) {
    if (rhs == 1) subtract_rows(A, depth, x, 1, out);
    else if (rhs == 2) subtract_rows(A, depth, x, 2, out);
    else subtract_rows(A, depth, x, 3, out);
}
static void subtract_columns_of(const solve_work* w, int J, int first, int end, float* out) {
    if (w->rhs_count == 1) subtract_columns(w, J, first, end, 1, out);
    else if (w->rhs_count == 2) subtract_columns(w, J, first, end, 2, out);
    else subtract_columns(w, J, first, end, 3, out);
}

static float* rhs_tile(const solve_work* w, int I) {
    return w->x + (size_t)I * (size_t)(w->rhs_count * T);
}

// Subtracts the tiles before the panel from a row of it, and those after it from a column.
static void forward_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const solve_work* w = user;
    for (int I = w->first + begin; I < w->first + end; I++)
        subtract_rows_of(tile_row(w->c, I), w->first * T, w->x, w->rhs_count, rhs_tile(w, I));
}
static void backward_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const solve_work* w = user;
    for (int J = w->first + begin; J < w->first + end; J++)
        subtract_columns_of(w, J, w->end, w->c->tile_rows, rhs_tile(w, J));
}

// x_I = L_II^-1 x_I, or with the transpose
static void solve_diagonal(const solve_work* w, int I, bool transposed) {
    const float* inverse = w->c->inverses + (size_t)I * TILE_SIZE;
    float* x = rhs_tile(w, I);
    for (int r = 0; r < w->rhs_count; r++) {
        float old[T], sum[T] = {0};
        memcpy(old, x + r * T, sizeof old);
        for (int k = 0; k < T; k++)
            for (int i = 0; i < T; i++)
                sum[i] += (transposed ? inverse[i * T + k] : inverse[k * T + i]) * old[k];
        memcpy(x + r * T, sum, sizeof sum);
    }
}

static void forward_panel(solve_work* w, pl_pool* pool) {
    if (w->first > 0) pl_parallel_for(pool, forward_task, w->end - w->first, 1, w);
    for (int I = w->first; I < w->end; I++) {
        subtract_rows_of(tile_row(w->c, I) + (size_t)w->first * TILE_SIZE, (I - w->first) * T,
                         rhs_tile(w, w->first), w->rhs_count, rhs_tile(w, I));
        solve_diagonal(w, I, false);
    }
}

static void backward_panel(solve_work* w, pl_pool* pool) {
    if (w->end < w->c->tile_rows) pl_parallel_for(pool, backward_task, w->end - w->first, 1, w);
    for (int J = w->end - 1; J >= w->first; J--) {
        subtract_columns_of(w, J, J + 1, w->end, rhs_tile(w, J));
        solve_diagonal(w, J, true);
    }
}

// copies right-hand sides first .. first + rhs_count between the caller's layout and tiles
static void copy_rhs(const solve_work* w, pl_rhs_layout layout, int first, const float* in,
                     float* out) {
    for (int i = 0; i < w->c->tile_rows * T; i++)
        for (int r = 0; r < w->rhs_count; r++) {
            size_t outer = (size_t)(i / layout.run) * (size_t)layout.stride +
                           (size_t)(first + r) * (size_t)layout.rhs_stride +
                           (size_t)(i % layout.run);
            float* inner = rhs_tile(w, i / T) + r * T + i % T;
            if (in) *inner = i < w->c->n ? in[outer] : 0.0f;
            else if (i < w->c->n) out[outer] = *inner;
        }
}

void pl_dense_cholesky_solve(pl_dense_cholesky* c, pl_pool* pool, int rhs_count,
                             pl_rhs_layout layout, const float* b, float* x) {
    if (c->tile_rows < PARALLEL_TILES) pool = NULL;
    int most = c->rhs_capacity < MAX_RHS ? c->rhs_capacity : MAX_RHS;
    for (int first = 0; first < rhs_count; first += most) {
        int count = rhs_count - first < most ? rhs_count - first : most;
        solve_work w = {c, c->work, count, 0, 0};
        copy_rhs(&w, layout, first, b, NULL);
        for (w.first = 0; w.first < c->tile_rows; w.first = w.end) {
            w.end = w.first + SOLVE_PANEL < c->tile_rows ? w.first + SOLVE_PANEL : c->tile_rows;
            forward_panel(&w, pool);
        }
        for (int i = (c->tile_rows - c->negative_tiles) * T * count; i < c->tile_rows * T * count;
             i++)
            w.x[i] = -w.x[i];
        for (w.end = c->tile_rows; w.end > 0; w.end = w.first) {
            w.first = (w.end - 1) / SOLVE_PANEL * SOLVE_PANEL;
            backward_panel(&w, pool);
        }
        copy_rhs(&w, layout, first, NULL, x);
    }
}
