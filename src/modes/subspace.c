// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// S = [X P Z] with the Ritz vectors X of the last iteration, the ways P that they came by beside
// the X before (as LOBPCG has them, Knyazev 2001; none in the first iteration), and Z = B (K X - M
// X Theta). With the matrices G = S' M S and H = S' K S, an orthonormal basis S T has T' G T = 1;
// the eigenvectors of T' H T with the lowest values are the next X.
#include "modes/subspace.h"
#include "base/memory.h"
#include "modes/dense_eigen.h"
#include "modes/panel.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

// A direction of M-norm 1 that keeps less than the root of this beside the others is left out.
static const double DEPENDENT = 1e-10;

struct pl_subspace {
    int count, wanted;
    int room;              // 3 wanted
    double *S, *KS, *MS;   // `room` vectors each
    double* r;             // a residual
    double *G, *H, *T;     // room x room; T has its columns as rows
    double *square, *Y;    // room x room: work, and what the next [X P] are of S
    double *ritz, *values; // wanted; room
    double *scratch, *partials;
    const pl_davidson_operator* A;
    pl_pool* pool;
};

static size_t panel_size(const pl_subspace* s) { return (size_t)s->room * (size_t)s->count; }
static size_t square_size(const pl_subspace* s) { return (size_t)s->room * (size_t)s->room; }
static double* at(const pl_subspace* s, double* panel, int k) {
    return panel + (size_t)k * (size_t)s->count;
}

static pl_status allocate(pl_subspace* s, pl_error* error) {
    size_t wanted = (size_t)s->wanted;
    double** panels[] = {&s->S, &s->KS, &s->MS};
    double** squares[] = {&s->G, &s->H, &s->T, &s->square, &s->Y};
    bool ok = true;
    for (int k = 0; k < 3; k++) ok = (*panels[k] = PL_ALLOC(double, panel_size(s))) && ok;
    for (int k = 0; k < 5; k++) ok = (*squares[k] = PL_ALLOC(double, square_size(s))) && ok;
    s->r = PL_ALLOC(double, s->count);
    s->ritz = PL_ALLOC(double, wanted);
    s->values = PL_ALLOC(double, s->room);
    s->scratch = PL_ALLOC(double, 2 * (size_t)s->room);
    s->partials = PL_ALLOC(double, pl_panel_partials(s->room, s->wanted));
    ok = ok && s->r && s->ritz && s->values && s->scratch && s->partials;
    return ok ? PL_OK : pl_fail_memory(error, "the vectors of an eigenvalue problem");
}

void pl_subspace_destroy(pl_subspace* s) {
    if (!s) return;
    size_t wanted = (size_t)s->wanted;
    double* panels[] = {s->S, s->KS, s->MS};
    double* squares[] = {s->G, s->H, s->T, s->square, s->Y};
    for (int k = 0; k < 3; k++) PL_FREE(panels[k], double, panel_size(s));
    for (int k = 0; k < 5; k++) PL_FREE(squares[k], double, square_size(s));
    PL_FREE(s->r, double, s->count);
    PL_FREE(s->ritz, double, wanted);
    PL_FREE(s->values, double, s->room);
    PL_FREE(s->scratch, double, 2 * (size_t)s->room);
    PL_FREE(s->partials, double, pl_panel_partials(s->room, s->wanted));
    PL_FREE(s, pl_subspace, 1);
}

pl_status pl_subspace_create(int count, int wanted, pl_subspace** out, pl_error* error) {
    pl_subspace* s = *out = PL_ALLOC(pl_subspace, 1);
    if (!s) return pl_fail_memory(error, "the vectors of an eigenvalue problem");
    *s = (pl_subspace){.count = count, .wanted = wanted, .room = 3 * wanted};
    pl_status status = allocate(s, error);
    if (status == PL_OK) return PL_OK;
    pl_subspace_destroy(s);
    *out = NULL;
    return status;
}

// ---------------------------------------------------------------- projection

// Images of the vectors from `first` on, `wanted` of them, and their rows of G and H.
static void project(pl_subspace* s, int first) {
    int n = first + s->wanted, stride = s->room;
    for (int k = first; k < n; k++) s->A->mass(s->A->user, at(s, s->S, k), at(s, s->MS, k));
    s->A->stiffness(s->A->user, s->wanted, at(s, s->S, first), at(s, s->KS, first));
    const double* images[] = {at(s, s->MS, first), at(s, s->KS, first)};
    double* matrices[] = {s->G, s->H};
    for (int m = 0; m < 2; m++) {
        pl_panel_dots(s->pool, s->count, n, s->S, s->wanted, images[m], s->partials, s->square);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < s->wanted; k++)
                matrices[m][i * stride + first + k] = matrices[m][(first + k) * stride + i] =
                    s->square[i * s->wanted + k];
    }
}

static double dot(int n, const double* x, const double* y) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

// y = A x with the first n rows and columns of G or H
static void apply(const pl_subspace* s, const double* A, int n, const double* x, double* y) {
    for (int i = 0; i < n; i++) y[i] = dot(n, A + (size_t)i * (size_t)s->room, x);
}

// Rows of T: combinations of the first n vectors that are orthonormal in G. Returns how many.
static int orthonormalise(pl_subspace* s, int n) {
    int kept = 0;
    double* Gt = s->scratch;
    for (int j = 0; j < n; j++) {
        double *t = s->T + (size_t)kept * (size_t)n, size = s->G[j * s->room + j];
        if (!(size > 0.0)) continue;
        memset(t, 0, (size_t)n * sizeof(double));
        t[j] = 1.0 / sqrt(size);
        for (int pass = 0; pass < 2; pass++) {
            apply(s, s->G, n, t, Gt);
            for (int k = 0; k < kept; k++) {
                const double* other = s->T + (size_t)k * (size_t)n;
                double along = dot(n, other, Gt);
                for (int i = 0; i < n; i++) t[i] -= along * other[i];
            }
        }
        apply(s, s->G, n, t, Gt);
        double left = dot(n, t, Gt);
        if (!(left > DEPENDENT)) continue;
        for (int i = 0; i < n; i++) t[i] /= sqrt(left);
        kept++;
    }
    return kept;
}

// The lowest Ritz pairs of the first n vectors: values, and Y (n x 2 wanted), whose first columns
// make X and the others, without what X was before, P. False if there are too few, or values are
// not finite.
static bool find_ritz(pl_subspace* s, int n) {
    int kept = orthonormalise(s, n), wanted = s->wanted;
    if (kept < wanted) return false;
    for (int i = 0; i < kept; i++) {
        apply(s, s->H, n, s->T + (size_t)i * (size_t)n, s->scratch);
        for (int j = 0; j <= i; j++)
            s->square[i * kept + j] = dot(n, s->T + (size_t)j * (size_t)n, s->scratch);
    }
    double* rotation = s->Y; // kept x kept, used up before Y is written
    if (!pl_dense_eigen(kept, s->square, s->values, rotation, s->scratch)) return false;
    for (int j = 0; j < n; j++)
        for (int k = 0; k < wanted; k++) {
            double sum = 0.0;
            for (int i = 0; i < kept; i++)
                sum += rotation[k * kept + i] * s->T[(size_t)i * (size_t)n + (size_t)j];
            s->square[2 * j * wanted + k] = sum;
            s->square[(2 * j + 1) * wanted + k] = j < wanted ? 0.0 : sum;
        }
    memcpy(s->Y, s->square, 2 * (size_t)n * (size_t)wanted * sizeof(double));
    memcpy(s->ritz, s->values, (size_t)wanted * sizeof(double));
    return true;
}

// A becomes Y' A Y with the first n rows and columns of A and m columns of Y.
static void rotate_matrix(pl_subspace* s, int n, int m, double* A) {
    int stride = 2 * s->wanted;
    for (int i = 0; i < n; i++) // A Y
        for (int k = 0; k < m; k++) {
            double sum = 0.0;
            for (int j = 0; j < n; j++) sum += A[i * s->room + j] * s->Y[j * stride + k];
            s->square[i * m + k] = sum;
        }
    for (int l = 0; l < m; l++)
        for (int k = 0; k < m; k++) {
            double sum = 0.0;
            for (int i = 0; i < n; i++) sum += s->Y[i * stride + l] * s->square[i * m + k];
            A[l * s->room + k] = sum;
        }
}

// The first m vectors become S Y of the first n: X, or X and P.
static void take_ritz(pl_subspace* s, int n, int m) {
    double* panels[] = {s->S, s->KS, s->MS};
    for (int k = 0; k < 3; k++)
        pl_panel_rotate(s->pool, s->count, n, panels[k], m, s->Y, 2 * s->wanted);
    rotate_matrix(s, n, m, s->G);
    rotate_matrix(s, n, m, s->H);
}

// ---------------------------------------------------------------- iterations

// Z, from the vector `first` on. Returns the largest estimated error of a Ritz value, relative; NAN
// if cycles are of no use.
static double find_directions(pl_subspace* s, int first, double shift) {
    double largest = 0.0;
    for (int k = 0; k < s->wanted; k++) {
        const double *Kx = at(s, s->KS, k), *Mx = at(s, s->MS, k);
        double *z = at(s, s->S, first + k), theta = s->ritz[k];
        for (int i = 0; i < s->count; i++) s->r[i] = Kx[i] - theta * Mx[i];
        s->A->precondition(s->A->user, s->r, z);
        s->A->restrict_to(s->A->user, z);
        double error = pl_vector_dot(s->pool, s->count, s->r, z);
        if (!(error >= 0.0) || !isfinite(error)) return NAN;
        largest = fmax(largest, error / fmax(theta, shift));
    }
    return largest;
}

void pl_subspace_improve(pl_subspace* s, const pl_davidson_operator* A,
                         const pl_davidson_options* options, pl_pool* pool, double* values,
                         double* vectors, pl_davidson_result* result) {
    size_t bytes = (size_t)s->wanted * (size_t)s->count * sizeof(double);
    *result = (pl_davidson_result){0};
    s->A = A;
    s->pool = pool;
    memcpy(s->S, vectors, bytes);
    for (int k = 0; k < s->wanted; k++) A->restrict_to(A->user, at(s, s->S, k));
    project(s, 0);
    if (!find_ritz(s, s->wanted)) return;
    take_ritz(s, s->wanted, s->wanted);
    int n = s->wanted; // vectors that are known: X, then X and P
    while (!result->converged && result->iterations < options->max_iterations) {
        double error = find_directions(s, n, options->shift);
        result->iterations++;
        result->applications += s->wanted;
        if (!isfinite(error)) return;
        project(s, n);
        if (!find_ritz(s, n + s->wanted)) return;
        result->converged = error <= options->tolerance;
        if (!result->converged) take_ritz(s, n + s->wanted, 2 * s->wanted);
        else pl_panel_rotate(pool, s->count, n + s->wanted, s->S, s->wanted, s->Y, 2 * s->wanted);
        n = 2 * s->wanted;
    }
    // K with directions that grow has no modes of use
    if (s->ritz[0] < -options->shift) result->converged = false;
    if (!result->converged) return;
    result->found = s->wanted;
    memcpy(vectors, s->S, bytes);
    memcpy(values, s->ritz, (size_t)s->wanted * sizeof(double));
}
