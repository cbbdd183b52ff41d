// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// V is the basis, V' M V = 1, and H = V' K V the projected matrix; the images K V are stored too. A
// Ritz vector u = V y with H y = theta y has the residual r = K u - theta M u. r' B r / theta
// estimates the relative error of theta.
#include "modes/davidson.h"
#include "base/memory.h"
#include "base/random.h"
#include "modes/dense_eigen.h"
#include "modes/panel.h"
#include "sparse/vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    BLOCK = 8,     // new directions per iteration
    GUARD = 4,     // Ritz vectors that a restart keeps in addition to the wanted ones
    SPACE = 32,    // vectors of the basis in addition to those that a restart keeps
    RANDOM = BLOCK // random vectors of a start
};
// A new direction is dropped as round-off if orthogonalisation shortens it below this fraction.
static const double DEPENDENT = 1e-12;

struct pl_davidson {
    int count, free_count; // unknowns
    int wanted, start_count;
    const pl_davidson_operator* A;
    const pl_davidson_options* options;
    pl_pool* pool;
    int size, room;
    double *V, *KV;          // room vectors each
    double *W, *MW;          // BLOCK vectors: new directions, and M times them
    double *H, *square;      // room x room
    double *rotation, *ritz; // room x room, row k is y of ritz[k]; room
    double* before;          // BLOCK x room: y of the last Ritz vectors that were improved
    int before_count;
    int done;        // Ritz vectors at the low end that have converged
    double* settled; // their values at that time; room
    double shift;
    double *G, *partials; // room x BLOCK; of panels
    double* scratch;      // 2 room
    pl_random random;
};
typedef pl_davidson basis;

static size_t vector_size(const basis* b) { return (size_t)b->count; }
static double* vector(const basis* b, int k) { return b->V + (size_t)k * vector_size(b); }
static double* block(const basis* b, double* from, int k) {
    return from + (size_t)k * vector_size(b);
}

static int partial_vectors(const basis* b) { return b->room > BLOCK ? b->room : BLOCK; }

static pl_status allocate(basis* b, pl_error* error) {
    size_t room = (size_t)b->room, count = vector_size(b);
    b->V = PL_ALLOC(double, room* count);
    b->KV = PL_ALLOC(double, room* count);
    b->W = PL_ALLOC(double, BLOCK* count);
    b->MW = PL_ALLOC(double, BLOCK* count);
    b->H = PL_ALLOC(double, room* room);
    b->square = PL_ALLOC(double, room* room);
    b->rotation = PL_ALLOC(double, room* room);
    b->ritz = PL_ALLOC(double, room);
    b->before = PL_ALLOC(double, BLOCK* room);
    b->settled = PL_ALLOC(double, room);
    b->G = PL_ALLOC(double, BLOCK* room);
    b->partials = PL_ALLOC(double, pl_panel_partials(partial_vectors(b), BLOCK));
    b->scratch = PL_ALLOC(double, 2 * room);
    bool ok = b->V && b->KV && b->W && b->MW && b->H && b->square && b->rotation && b->ritz &&
              b->before && b->settled && b->G && b->partials && b->scratch;
    return ok ? PL_OK : pl_fail_memory(error, "the vectors of an eigenvalue problem");
}

static void free_basis(basis* b) {
    size_t room = (size_t)b->room, count = vector_size(b);
    PL_FREE(b->V, double, room* count);
    PL_FREE(b->KV, double, room* count);
    PL_FREE(b->W, double, BLOCK* count);
    PL_FREE(b->MW, double, BLOCK* count);
    PL_FREE(b->H, double, room* room);
    PL_FREE(b->square, double, room* room);
    PL_FREE(b->rotation, double, room* room);
    PL_FREE(b->ritz, double, room);
    PL_FREE(b->before, double, BLOCK* room);
    PL_FREE(b->settled, double, room);
    PL_FREE(b->G, double, BLOCK* room);
    PL_FREE(b->partials, double, pl_panel_partials(partial_vectors(b), BLOCK));
    PL_FREE(b->scratch, double, 2 * room);
}

// ---------------------------------------------------------------- the basis grows

// Makes the first `vectors` of W orthogonal to V; twice, because of round-off.
static void project_out(basis* b, int vectors) {
    int count = b->count;
    for (int pass = 0; pass < 2 && b->size > 0; pass++) {
        for (int k = 0; k < vectors; k++)
            b->A->mass(b->A->user, block(b, b->W, k), block(b, b->MW, k));
        pl_panel_dots(b->pool, count, b->size, b->V, vectors, b->MW, b->partials, b->G);
        pl_panel_combine(b->pool, count, b->size, b->V, vectors, b->G, vectors, -1.0, true, b->W);
    }
}

static double mass_norm(basis* b, const double* x, double* Mx) {
    b->A->mass(b->A->user, x, Mx);
    return sqrt(fmax(0.0, pl_vector_dot(b->pool, b->count, x, Mx)));
}

// Appends vector k of W, which is already orthogonal to the first `first` vectors of the basis.
static void append(basis* b, int first, int k, double size_before) {
    int count = b->count;
    double *w = block(b, b->W, k), *Mw = block(b, b->MW, k), norm = mass_norm(b, w, Mw);
    for (int pass = 0; pass < 2 && b->size > first && norm > 0.0; pass++) {
        pl_panel_dots(b->pool, count, b->size - first, vector(b, first), 1, Mw, b->partials, b->G);
        pl_panel_combine(b->pool, count, b->size - first, vector(b, first), 1, b->G, 1, -1.0, true,
                         w);
        norm = mass_norm(b, w, Mw);
    }
    if (!(norm > DEPENDENT * size_before)) return;
    double* to = vector(b, b->size++);
    for (int i = 0; i < count; i++) to[i] = w[i] / norm;
}

// Appends up to BLOCK vectors of W, their images and their rows of H. Returns false if none is
// independent of V.
static bool grow(basis* b, int vectors) {
    int first = b->size, count = b->count;
    double before[BLOCK];
    if (vectors > b->room - first) vectors = b->room - first;
    for (int k = 0; k < vectors; k++)
        before[k] = mass_norm(b, block(b, b->W, k), block(b, b->MW, k));
    // scaled, because the combination below would lose vectors much shorter than others
    for (int k = 0; k < vectors; k++)
        if (before[k] > 0.0)
            for (int i = 0; i < count; i++) block(b, b->W, k)[i] /= before[k];
    project_out(b, vectors);
    for (int k = 0; k < vectors; k++)
        if (before[k] > 0.0) append(b, first, k, 1.0);
    int added = b->size - first;
    if (added == 0) return false;
    b->A->stiffness(b->A->user, added, vector(b, first), block(b, b->KV, first));
    pl_panel_dots(b->pool, count, b->size, b->V, added, block(b, b->KV, first), b->partials, b->G);
    for (int i = 0; i < b->size; i++)
        for (int k = 0; k < added; k++) {
            double h = b->G[i * added + k];
            b->H[(size_t)i * b->room + first + k] = b->H[(size_t)(first + k) * b->room + i] = h;
        }
    return true;
}

// Appends random vectors, smoothed by the preconditioner.
static bool grow_randomly(basis* b, int vectors) {
    for (int k = 0; k < vectors; k++) {
        double *w = block(b, b->W, k), *Mw = block(b, b->MW, k);
        for (int i = 0; i < b->count; i++) w[i] = pl_random_uniform(&b->random, -1.0, 1.0);
        b->A->restrict_to(b->A->user, w);
        b->A->mass(b->A->user, w, Mw);
        b->A->precondition(b->A->user, Mw, w);
        b->A->restrict_to(b->A->user, w);
    }
    return grow(b, vectors);
}

static void begin(basis* b) {
    const pl_davidson_options* o = b->options;
    for (int k = 0; k < b->start_count; k += BLOCK) {
        int vectors = b->start_count - k < BLOCK ? b->start_count - k : BLOCK;
        memcpy(b->W, o->start + (size_t)k * vector_size(b),
               (size_t)vectors * vector_size(b) * sizeof(double));
        for (int i = 0; i < vectors; i++) b->A->restrict_to(b->A->user, block(b, b->W, i));
        grow(b, vectors);
    }
    int random = b->room - b->size < RANDOM ? b->room - b->size : RANDOM;
    if (random > 0) grow_randomly(b, random);
}

// ---------------------------------------------------------------- Ritz values

static bool project(basis* b) {
    for (int i = 0; i < b->size; i++)
        for (int j = 0; j <= i; j++)
            b->square[(size_t)i * b->size + j] = b->H[(size_t)i * b->room + j];
    return pl_dense_eigen(b->size, b->square, b->ritz, b->rotation, b->scratch);
}

// Computes the residuals of several Ritz vectors, starting with `from`, into W.
static void make_residuals(basis* b, int from, int vectors) {
    int count = b->count, n = b->size;
    double* Y = b->square; // n x vectors
    for (int j = 0; j < n; j++)
        for (int k = 0; k < vectors; k++)
            Y[j * vectors + k] = b->rotation[(size_t)(from + k) * n + j];
    pl_panel_combine(b->pool, count, n, b->V, vectors, Y, vectors, 1.0, false, b->W);
    for (int k = 0; k < vectors; k++) {
        double *u = block(b, b->W, k), *Mu = block(b, b->MW, k), theta = b->ritz[from + k];
        b->A->mass(b->A->user, u, Mu);
        for (int i = 0; i < count; i++) u[i] = -theta * Mu[i];
    }
    pl_panel_combine(b->pool, count, n, b->KV, vectors, Y, vectors, 1.0, true, b->W);
}

// Reduces `done` if a new direction has found a value below converged ones, or has changed one of
// them.
static void reopen_changed(basis* b) {
    double slack = 10.0 * b->options->tolerance;
    for (int k = 0; k < b->done; k++)
        if (b->ritz[k] < b->settled[k] - slack * fmax(fabs(b->settled[k]), b->shift)) b->done = k;
}

// Computes at most BLOCK directions into W, which improve the lowest unconverged Ritz vectors.
// Returns their number, or -1 if values are not finite.
static int find_directions(basis* b, pl_davidson_result* result) {
    const pl_davidson_options* o = b->options;
    int made = 0, from = b->done, wanted = b->wanted < b->size ? b->wanted : b->size;
    int vectors = wanted - from < BLOCK ? wanted - from : BLOCK;
    make_residuals(b, from, vectors);
    for (int k = 0; k < vectors; k++) {
        double *r = block(b, b->W, k), *z = block(b, b->MW, k);
        b->A->precondition(b->A->user, r, z);
        b->A->restrict_to(b->A->user, z);
        result->applications++;
        double estimate = pl_vector_dot(b->pool, b->count, r, z);
        if (!isfinite(estimate)) return -1;
        if (fabs(estimate) <= o->tolerance * fmax(b->ritz[from + k], b->shift)) {
            if (b->done == from + k) b->settled[b->done++] = b->ritz[from + k];
            continue;
        }
        memcpy(block(b, b->W, made), z, vector_size(b) * sizeof(double));
        memcpy(b->before + (size_t)made * b->room, b->rotation + (size_t)(from + k) * b->size,
               (size_t)b->size * sizeof(double));
        for (int j = b->size; j < b->room; j++) b->before[(size_t)made * b->room + j] = 0.0;
        made++;
    }
    b->before_count = made;
    return made;
}

// ---------------------------------------------------------------- restart

// Appends `y` to the rows of Y, made orthogonal to them; false if it depends on them.
static bool append_row(double* Y, int rows, int n, const double* y) {
    double* to = Y + (size_t)rows * (size_t)n;
    memcpy(to, y, (size_t)n * sizeof(double));
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < rows; k++) {
            const double* row = Y + (size_t)k * (size_t)n;
            double dot = 0.0;
            for (int j = 0; j < n; j++) dot += row[j] * to[j];
            for (int j = 0; j < n; j++) to[j] -= dot * row[j];
        }
    double norm = 0.0;
    for (int j = 0; j < n; j++) norm += to[j] * to[j];
    norm = sqrt(norm);
    for (int j = 0; j < n && norm > 0.0; j++) to[j] /= norm;
    return norm > 1e-8;
}

// Replaces H by rows H rows'. Its part for the Ritz vectors is diagonal.
static void rotate_projected(basis* b, int n, int lowest, int kept, const double* rows) {
    double* HY = b->rotation; // kept x n
    for (int k = lowest; k < kept; k++)
        for (int i = 0; i < n; i++) {
            double sum = 0.0;
            for (int j = 0; j < n; j++)
                sum += b->H[(size_t)i * b->room + j] * rows[(size_t)k * n + j];
            HY[(size_t)k * n + i] = sum;
        }
    for (int k = 0; k < kept; k++)
        for (int l = 0; l <= k; l++) {
            double h = k == l && k < lowest ? b->ritz[k] : 0.0;
            for (int i = 0; i < n && k >= lowest; i++)
                h += HY[(size_t)k * n + i] * rows[(size_t)l * n + i];
            b->H[(size_t)k * b->room + l] = b->H[(size_t)l * b->room + k] = h;
        }
}

// Restarts with the lowest Ritz vectors, and those of the iteration before.
static void restart(basis* b) {
    int n = b->size, kept = b->wanted + GUARD;
    if (kept > n) kept = n;
    double* rows = b->square; // of Y'; the Ritz vectors are the first of `rotation`
    memcpy(rows, b->rotation, (size_t)kept * (size_t)n * sizeof(double));
    int lowest = kept;
    for (int k = 0; k < b->before_count && kept < n; k++)
        kept += append_row(rows, kept, n, b->before + (size_t)k * b->room);
    double* Y = b->rotation; // n x kept
    for (int j = 0; j < n; j++)
        for (int k = 0; k < kept; k++) Y[(size_t)j * kept + k] = rows[(size_t)k * n + j];
    pl_panel_rotate(b->pool, b->count, n, b->V, kept, Y, kept);
    pl_panel_rotate(b->pool, b->count, n, b->KV, kept, Y, kept);
    rotate_projected(b, n, lowest, kept, rows);
    b->size = kept;
    b->before_count = 0;
}

// ---------------------------------------------------------------- iterations

static pl_status fail_not_finite(pl_error* error) {
    return pl_fail(error, PL_ERROR_DIVERGED,
                   "the eigenvalue solver computed values that are not finite; check the matrices "
                   "for infinite or "
                   "extreme values");
}

// The new directions are in W. If the basis is full, a restart makes room; it does not use W.
static pl_status iterate(basis* b, pl_davidson_result* result, pl_error* error) {
    const pl_davidson_options* o = b->options;
    enum { TUNED = 8 }; // iterations
    for (; result->iterations < o->max_iterations; result->iterations++) {
        if (!project(b)) return fail_not_finite(error);
        reopen_changed(b);
        if (b->A->tune && result->iterations < TUNED) {
            pl_status status = b->A->tune(b->A->user, b->size, b->ritz, &b->shift, error);
            if (status != PL_OK) return status;
        }
        int directions = 0, wanted = b->wanted < b->size ? b->wanted : b->size;
        while (directions == 0 && b->done < wanted) {
            directions = find_directions(b, result);
            if (directions < 0) return fail_not_finite(error);
        }
        result->converged = b->done >= b->wanted;
        if (result->converged) return PL_OK;
        result->converged = b->size == b->free_count; // the basis spans the whole space
        if (result->converged) return PL_OK;
        if (b->size + directions > b->room) restart(b);
        if (!(directions > 0 && grow(b, directions)) && !grow_randomly(b, 1)) return PL_OK;
    }
    return PL_OK;
}

static void give(basis* b, double* values, double* vectors, pl_davidson_result* result) {
    int n = b->size, found = n < b->wanted ? n : b->wanted;
    result->found = found;
    for (int j = 0; j < n; j++)
        for (int k = 0; k < found; k++)
            b->square[(size_t)j * found + k] = b->rotation[(size_t)k * n + j];
    pl_panel_combine(b->pool, b->count, n, b->V, found, b->square, found, 1.0, false, vectors);
    memcpy(values, b->ritz, (size_t)found * sizeof(double));
}

static int room_for(int wanted) { return wanted + GUARD + BLOCK + SPACE; }

int pl_davidson_vectors(int wanted) { return 2 * room_for(wanted) + 2 * BLOCK; }

pl_status pl_davidson_create(int count, int free_count, int wanted, int start_count,
                             pl_davidson** out, pl_error* error) {
    *out = NULL;
    if (wanted > PL_DAVIDSON_MAX || start_count > PL_DAVIDSON_MAX)
        return pl_fail(
            error, PL_ERROR_ARGUMENT,
            "at most %d modes can be found with multigrid; ask for fewer, or use the direct solver",
            PL_DAVIDSON_MAX);
    int room = room_for(wanted);
    if (room < start_count + RANDOM) room = start_count + RANDOM;
    if (room > free_count) room = free_count;
    pl_davidson* b = *out = PL_ALLOC(pl_davidson, 1);
    if (!b) return pl_fail_memory(error, "the vectors of an eigenvalue problem");
    *b = (pl_davidson){.count = count,
                       .free_count = free_count,
                       .wanted = wanted,
                       .start_count = start_count,
                       .room = room};
    pl_status status = allocate(b, error);
    if (status == PL_OK) return PL_OK;
    pl_davidson_destroy(b);
    *out = NULL;
    return status;
}

void pl_davidson_destroy(pl_davidson* b) {
    if (!b) return;
    free_basis(b);
    PL_FREE(b, pl_davidson, 1);
}

pl_status pl_davidson_solve(pl_davidson* b, const pl_davidson_operator* A,
                            const pl_davidson_options* options, pl_pool* pool, double* values,
                            double* vectors, pl_davidson_result* result, pl_error* error) {
    b->A = A;
    b->options = options;
    b->pool = pool;
    b->size = b->done = b->before_count = 0;
    b->shift = options->shift;
    b->random.state = options->seed;
    *result = (pl_davidson_result){0};
    begin(b);
    pl_status status = b->size > 0 ? iterate(b, result, error) : PL_OK;
    if (status == PL_OK && result->converged) give(b, values, vectors, result);
    return status;
}
