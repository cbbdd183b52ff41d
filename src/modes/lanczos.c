// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The basis V has `size` vectors. The operator T has been applied to the first `done` of them; the
// others wait. T V_j is made orthogonal to V: the coefficients V' M T V_j are column j of the
// projected matrix H, and the remainder becomes a new vector. So T V_done = V H. A Ritz vector V y
// of the leading done x done part of H has the residual H_low y, where H_low are the rows below
// that part.
#include "modes/lanczos.h"
#include "base/memory.h"
#include "base/random.h"
#include "modes/dense_eigen.h"
#include "sparse/vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct basis {
    const pl_lanczos_operator* T;
    const pl_lanczos_options* options;
    pl_pool* pool;
    int size, done, room;
    double* V;                        // room vectors
    double* H;                        // room x room, row-major
    double *images, *weighed;         // T times PL_LANCZOS_APPLY vectors; M times one
    double *square, *rotation, *ritz; // room^2, room^2, room
    double* scratch;                  // 2 room
    pl_random random;
} basis;

static double* vector(const basis* b, int k) { return b->V + (size_t)k * (size_t)b->T->count; }

static pl_status allocate(basis* b, pl_error* error) {
    size_t room = (size_t)b->room, count = (size_t)b->T->count;
    b->V = PL_ALLOC(double, room* count);
    b->H = PL_ALLOC(double, room* room);
    b->images = PL_ALLOC(double, PL_LANCZOS_APPLY* count);
    b->weighed = PL_ALLOC(double, count);
    b->square = PL_ALLOC(double, room* room);
    b->rotation = PL_ALLOC(double, room* room);
    b->ritz = PL_ALLOC(double, room);
    b->scratch = PL_ALLOC(double, 2 * room);
    bool ok = b->V && b->H && b->images && b->weighed && b->square && b->rotation && b->ritz &&
              b->scratch;
    return ok ? PL_OK : pl_fail_memory(error, "the vectors of an eigenvalue problem");
}

static void free_basis(basis* b) {
    size_t room = (size_t)b->room, count = (size_t)b->T->count;
    PL_FREE(b->V, double, room* count);
    PL_FREE(b->H, double, room* room);
    PL_FREE(b->images, double, PL_LANCZOS_APPLY* count);
    PL_FREE(b->weighed, double, count);
    PL_FREE(b->square, double, room* room);
    PL_FREE(b->rotation, double, room* room);
    PL_FREE(b->ritz, double, room);
    PL_FREE(b->scratch, double, 2 * room);
}

// Makes x orthogonal to the basis; twice, because of round-off. Adds the coefficients to column
// `column` of H (-1: none). Returns the M-norm of the remainder.
static double orthogonalise(basis* b, double* x, int column) {
    int count = b->T->count;
    for (int pass = 0; pass < 2; pass++) {
        b->T->mass(b->T->user, x, b->weighed);
        for (int k = 0; k < b->size; k++)
            b->scratch[k] = pl_vector_dot(b->pool, count, vector(b, k), b->weighed);
        for (int k = 0; k < b->size; k++) {
            pl_vector_axpy(b->pool, count, -b->scratch[k], vector(b, k), x);
            if (column >= 0) b->H[(size_t)k * b->room + column] += b->scratch[k];
        }
    }
    b->T->mass(b->T->user, x, b->weighed);
    return sqrt(fmax(0.0, pl_vector_dot(b->pool, count, x, b->weighed)));
}

static void append(basis* b, const double* x, double norm) {
    double* to = vector(b, b->size++);
    for (int i = 0; i < b->T->count; i++) to[i] = x[i] / norm;
}

// Appends a random vector orthogonal to the basis. False if there is none.
static bool append_random(basis* b) {
    if (b->size >= b->room) return false;
    double* x = vector(b, b->size);
    for (int i = 0; i < b->T->count; i++) x[i] = pl_random_uniform(&b->random, -1.0, 1.0);
    b->T->restrict_to(b->T->user, x);
    double norm = orthogonalise(b, x, -1);
    if (!(norm > 0.0)) return false;
    append(b, x, norm);
    return true;
}

// Extends the basis by T V_done, given as `image`.
static bool take_image(basis* b, double* image) {
    int column = b->done;
    for (int k = 0; k < b->room; k++) b->H[(size_t)k * b->room + column] = 0.0;
    b->T->mass(b->T->user, image, b->weighed);
    double size = sqrt(fmax(0.0, pl_vector_dot(b->pool, b->T->count, image, b->weighed)));
    double norm = orthogonalise(b, image, column);
    b->done++;
    if (!isfinite(norm)) return false;
    // in an invariant subspace, only round-off remains
    if (norm > 1e-13 * size && b->size < b->room) {
        b->H[(size_t)b->size * b->room + column] = norm;
        append(b, image, norm);
    } else if (b->done == b->size) {
        append_random(b);
    }
    return true;
}

// Multiplies the next waiting vectors. False if values are not finite.
static bool advance(basis* b, pl_lanczos_result* result) {
    int waiting = b->size - b->done, first = b->done;
    int vectors = waiting < PL_LANCZOS_APPLY ? waiting : PL_LANCZOS_APPLY;
    size_t count = (size_t)b->T->count;
    for (int k = 0; k < vectors; k++)
        b->T->mass(b->T->user, vector(b, first + k), b->images + (size_t)k * count);
    b->T->apply(b->T->user, vectors, b->images);
    result->applications += vectors;
    for (int k = 0; k < vectors; k++)
        if (!take_image(b, b->images + (size_t)k * count)) return false;
    return true;
}

// Eigenvalues and vectors of the projected matrix, ascending.
static bool project(basis* b) {
    int n = b->done;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            b->square[(size_t)i * n + j] =
                0.5 * (b->H[(size_t)i * b->room + j] + b->H[(size_t)j * b->room + i]);
    return pl_dense_eigen(n, b->square, b->ritz, b->rotation, b->scratch);
}

// The residual of Ritz vector k.
static double residual_of(const basis* b, int k) {
    const double* y = b->rotation + (size_t)k * b->done;
    double sum2 = 0.0;
    for (int i = b->done; i < b->size; i++) {
        double sum = 0.0;
        for (int j = 0; j < b->done; j++) sum += b->H[(size_t)i * b->room + j] * y[j];
        sum2 += sum * sum;
    }
    return sqrt(sum2);
}

static bool is_converged(const basis* b) {
    int wanted = b->options->wanted;
    if (b->done < wanted) return b->done == b->size;
    for (int k = 0; k < wanted; k++) {
        int i = b->done - 1 - k;
        if (!(residual_of(b, i) <= b->options->tolerance * fabs(b->ritz[i]))) return false;
    }
    return true;
}

// to[k] = V y_k for the `kept` largest Ritz values, largest first; `to` may not overlap V.
typedef struct ritz_job {
    const basis* b;
    double* to;
    int kept;
} ritz_job;

static void ritz_vectors(int begin, int end, int worker, void* user) {
    (void)worker;
    const ritz_job* job = user;
    const basis* b = job->b;
    size_t count = (size_t)b->T->count;
    for (int k = 0; k < job->kept; k++) {
        const double* y = b->rotation + (size_t)(b->done - 1 - k) * b->done;
        double* to = job->to + (size_t)k * count;
        for (int i = begin; i < end; i++) to[i] = 0.0;
        for (int j = 0; j < b->done; j++) {
            const double* v = vector(b, j);
            for (int i = begin; i < end; i++) to[i] += y[j] * v[i];
        }
    }
}

static void make_ritz_vectors(const basis* b, int kept, double* to) {
    enum { BLOCK = 1024 };
    ritz_job job = {b, to, kept};
    pl_parallel_for(b->pool, ritz_vectors, b->T->count, BLOCK, &job);
}

// Restarts with the best Ritz vectors and the waiting vectors.
static pl_status restart(basis* b, int kept, pl_error* error) {
    size_t count = (size_t)b->T->count;
    double* best = PL_ALLOC(double, (size_t)kept* count);
    if (!best) return pl_fail_memory(error, "the vectors of an eigenvalue problem");
    make_ritz_vectors(b, kept, best);
    int waiting = b->size - b->done;
    // the rows of waiting vectors, transformed to the new ones
    for (int w = 0; w < waiting; w++)
        for (int k = 0; k < kept; k++) {
            const double* y = b->rotation + (size_t)(b->done - 1 - k) * b->done;
            double sum = 0.0;
            for (int j = 0; j < b->done; j++)
                sum += b->H[(size_t)(b->done + w) * b->room + j] * y[j];
            b->square[(size_t)w * kept + k] = sum;
        }
    memset(b->H, 0, (size_t)b->room * (size_t)b->room * sizeof(double));
    for (int k = 0; k < kept; k++) {
        b->H[(size_t)k * b->room + k] = b->ritz[b->done - 1 - k];
        for (int w = 0; w < waiting; w++)
            b->H[(size_t)(kept + w) * b->room + k] = b->square[(size_t)w * kept + k];
    }
    memmove(vector(b, kept), vector(b, b->done), (size_t)waiting * count * sizeof(double));
    memcpy(b->V, best, (size_t)kept * count * sizeof(double));
    PL_FREE(best, double, (size_t)kept* count);
    b->done = kept;
    b->size = kept + waiting;
    return PL_OK;
}

static pl_status iterate(basis* b, pl_lanczos_result* result, pl_error* error) {
    const pl_lanczos_options* o = b->options;
    for (int since = 0;;) {
        if (!advance(b, result))
            return pl_fail(error, PL_ERROR_DIVERGED,
                           "the eigenvalue solver met values that are not finite");
        bool is_full = b->size + PL_LANCZOS_APPLY > b->room && b->room < o->unknowns;
        bool is_over = b->done == b->size;
        since += PL_LANCZOS_APPLY;
        if (since < o->block && !is_full && !is_over) continue;
        since = 0;
        if (!project(b))
            return pl_fail(error, PL_ERROR_DIVERGED,
                           "the eigenvalue solver met values that are not finite");
        result->converged = is_converged(b);
        if (result->converged || is_over || result->applications >= o->max_applications)
            return PL_OK;
        int kept = o->wanted + (b->done - o->wanted) / 2;
        if (is_full) {
            pl_status status = restart(b, kept, error);
            if (status != PL_OK) return status;
        }
    }
}

pl_status pl_lanczos(const pl_lanczos_operator* T, const pl_lanczos_options* options, pl_pool* pool,
                     double* values, double* vectors, pl_lanczos_result* result, pl_error* error) {
    int room = options->room < options->unknowns ? options->room : options->unknowns;
    basis b = {.T = T, .options = options, .pool = pool, .room = room};
    b.random.state = options->seed;
    *result = (pl_lanczos_result){0};
    pl_status status = allocate(&b, error);
    for (int k = 0; status == PL_OK && k < options->block; k++) append_random(&b);
    if (status == PL_OK && b.size > 0) status = iterate(&b, result, error);
    if (status == PL_OK) {
        result->found = b.done < options->wanted ? b.done : options->wanted;
        make_ritz_vectors(&b, result->found, vectors);
        for (int k = 0; k < result->found; k++) values[k] = b.ritz[b.done - 1 - k];
    }
    free_basis(&b);
    return status;
}
