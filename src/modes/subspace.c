// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The space is S = [X P Z]. X are the Ritz vectors of the last iteration. P and Z belong to the
// active ones, those that have not converged: P are their last changes, without the part in the
// previous X (as in LOBPCG, Knyazev 2001; none in the first iteration), and Z = B (K X - M X
// Theta). With G = S' M S and H = S' K S, S T is an orthonormal basis if T' G T = 1. The
// eigenvectors of T' H T with the lowest values give the next X.
#include "modes/subspace.h"
#include "base/memory.h"
#include "modes/dense_eigen.h"
#include "modes/panel.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

// A direction of M-norm 1 is dropped if orthogonalisation reduces its squared norm below this.
static const double DEPENDENT = 1e-10;

struct pl_subspace {
    int count, wanted;
    int room;            // 3 wanted
    double *S, *KS, *MS; // `room` vectors each
    double* r;           // a residual
    double *G, *H, *T;   // room x room; rows of T are the columns of the matrix
    double *square,
        *Y; // room x room: scratch; or the coefficients of the next [X P] in S, 2 wanted columns
    double *ritz, *values; // wanted; room
    double* errors;        // estimated error of each Ritz value before its last iteration
    int* active;           // Ritz vectors that need a further iteration, ascending
    int active_count;
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
    s->errors = PL_ALLOC(double, wanted);
    s->active = PL_ALLOC(int, wanted);
    s->values = PL_ALLOC(double, s->room);
    s->scratch = PL_ALLOC(double, 2 * (size_t)s->room);
    s->partials = PL_ALLOC(double, pl_panel_partials(s->room, s->wanted));
    ok = ok && s->r && s->ritz && s->errors && s->active && s->values && s->scratch && s->partials;
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
    PL_FREE(s->errors, double, wanted);
    PL_FREE(s->active, int, wanted);
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

// Computes K and M times `added` vectors from `first` on, and their rows of G and H.
static void project(pl_subspace* s, int first, int added) {
    int n = first + added, stride = s->room;
    for (int k = first; k < n; k++) s->A->mass(s->A->user, at(s, s->S, k), at(s, s->MS, k));
    s->A->stiffness(s->A->user, added, at(s, s->S, first), at(s, s->KS, first));
    const double* images[] = {at(s, s->MS, first), at(s, s->KS, first)};
    double* matrices[] = {s->G, s->H};
    for (int m = 0; m < 2; m++) {
        pl_panel_dots(s->pool, s->count, n, s->S, added, images[m], s->partials, s->square);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < added; k++)
                matrices[m][i * stride + first + k] = matrices[m][(first + k) * stride + i] =
                    s->square[i * added + k];
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

// Fills rows of T with combinations of the first n vectors that are orthonormal in G. Returns their
// number.
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

// The lowest Ritz pairs of the first n vectors: values, and the columns of Y that form X. False if
// there are too few, or values are not finite.
static bool find_ritz(pl_subspace* s, int n) {
    int kept = orthonormalise(s, n), wanted = s->wanted;
    if (kept < wanted) return false;
    for (int i = 0; i < kept; i++) {
        apply(s, s->H, n, s->T + (size_t)i * (size_t)n, s->scratch);
        for (int j = 0; j <= i; j++)
            s->square[i * kept + j] = dot(n, s->T + (size_t)j * (size_t)n, s->scratch);
    }
    double* rotation = s->Y; // kept x kept, no longer needed when Y is written
    if (!pl_dense_eigen(kept, s->square, s->values, rotation, s->scratch)) return false;
    for (int j = 0; j < n; j++)
        for (int k = 0; k < wanted; k++) {
            double sum = 0.0;
            for (int i = 0; i < kept; i++)
                sum += rotation[k * kept + i] * s->T[(size_t)i * (size_t)n + (size_t)j];
            s->square[2 * j * wanted + k] = sum;
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

// The columns of Y that form P: those of active vectors, without the part along the previous X.
static void fill_changes(pl_subspace* s, int n) {
    int stride = 2 * s->wanted;
    for (int j = 0; j < n; j++)
        for (int k = 0; k < s->active_count; k++)
            s->Y[j * stride + s->wanted + k] =
                j < s->wanted ? 0.0 : s->Y[j * stride + s->active[k]];
}

// Replaces the first m vectors by S Y, a combination of the first n: X, or X and P.
static void take_ritz(pl_subspace* s, int n, int m) {
    double* panels[] = {s->S, s->KS, s->MS};
    for (int k = 0; k < 3; k++)
        pl_panel_rotate(s->pool, s->count, n, panels[k], m, s->Y, 2 * s->wanted);
    rotate_matrix(s, n, m, s->G);
    rotate_matrix(s, n, m, s->H);
}

// ---------------------------------------------------------------- iterations

// Computes Z of active vectors, from the vector `first` on, and the estimated errors of their
// values. False if cycles fail.
static bool find_directions(pl_subspace* s, int first) {
    for (int a = 0; a < s->active_count; a++) {
        int k = s->active[a];
        const double *Kx = at(s, s->KS, k), *Mx = at(s, s->MS, k);
        double *z = at(s, s->S, first + a), theta = s->ritz[k];
        for (int i = 0; i < s->count; i++) s->r[i] = Kx[i] - theta * Mx[i];
        s->A->precondition(s->A->user, s->r, z);
        s->A->restrict_to(s->A->user, z);
        s->errors[k] = pl_vector_dot(s->pool, s->count, s->r, z);
        if (!(s->errors[k] >= 0.0) || !isfinite(s->errors[k])) return false;
    }
    return true;
}

// Chooses the vectors that need another iteration. The error of a new Ritz vector is estimated from
// the errors of the earlier vectors that it is composed of, before their last iteration.
static void choose_active(pl_subspace* s, double tolerance, double shift) {
    double* carried = s->scratch;
    s->active_count = 0;
    for (int k = 0; k < s->wanted; k++) {
        carried[k] = 0.0;
        for (int j = 0; j < s->wanted; j++) {
            double part = s->Y[2 * j * s->wanted + k];
            carried[k] += part * part * s->errors[j];
        }
        if (carried[k] > tolerance * fmax(s->ritz[k], shift)) s->active[s->active_count++] = k;
    }
    memcpy(s->errors, carried, (size_t)s->wanted * sizeof(double));
}

// Starts with the Ritz vectors of the space of `vectors`; all are active.
static bool start(pl_subspace* s, const double* vectors) {
    memcpy(s->S, vectors, (size_t)s->wanted * (size_t)s->count * sizeof(double));
    for (int k = 0; k < s->wanted; k++) s->A->restrict_to(s->A->user, at(s, s->S, k));
    project(s, 0, s->wanted);
    if (!find_ritz(s, s->wanted)) return false;
    take_ritz(s, s->wanted, s->wanted);
    s->active_count = s->wanted;
    for (int k = 0; k < s->wanted; k++) s->active[k] = k;
    return true;
}

void pl_subspace_improve(pl_subspace* s, const pl_davidson_operator* A,
                         const pl_davidson_options* options, pl_pool* pool, double* values,
                         double* vectors, pl_davidson_result* result) {
    int known = s->wanted; // vectors with images: X, then X and P
    *result = (pl_davidson_result){0};
    s->A = A;
    s->pool = pool;
    if (!start(s, vectors)) return;
    while (!result->converged && result->iterations < options->max_iterations) {
        int n = known + s->active_count;
        result->iterations++;
        result->applications += s->active_count;
        if (!find_directions(s, known)) return;
        project(s, known, s->active_count);
        if (!find_ritz(s, n)) return;
        choose_active(s, options->tolerance, options->shift);
        result->converged = s->active_count == 0;
        known = s->wanted + s->active_count;
        fill_changes(s, n);
        if (!result->converged) take_ritz(s, n, known);
        else pl_panel_rotate(pool, s->count, n, s->S, s->wanted, s->Y, 2 * s->wanted);
    }
    // modes are useless if K has negative eigenvalues
    if (s->ritz[0] < -options->shift) result->converged = false;
    if (!result->converged) return;
    result->found = s->wanted;
    memcpy(vectors, s->S, (size_t)s->wanted * (size_t)s->count * sizeof(double));
    memcpy(values, s->ritz, (size_t)s->wanted * sizeof(double));
}
