// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The Krylov methods against dense elimination, on systems of every kind that they claim to solve,
// and what ends them on systems that they cannot.
#include "base/memory.h"
#include "base/random.h"
#include "sparse/krylov.h"
#include "sparse/linear_fallback.h"
#include "sparse/vector.h"
#include "test.h"

enum { N = 40, CONSTRAINTS = 12 };

typedef enum method { STATIONARY, CG, FLEXIBLE_CG, MINRES, GMRES, METHODS } method;

// A dense matrix, and a preconditioner by its diagonal.
typedef struct problem {
    double A[N][N];
    double inverse[N]; // M
    double b[N], x[N], r[N], z[N], p[N], q[N];
    bool changes; // M is another one in every iteration
    int restart;  // of gmres; 0: never
    int calls;
    int poisoned_call; // of the preconditioner, which is not finite from it on; 0: none
    pl_linear_options options;
    pl_linear_info info;
} problem;

static void apply(void* user, const void* from, void* to) {
    const problem* s = user;
    const double* x = from;
    double* y = to;
    for (int i = 0; i < N; i++) {
        y[i] = 0.0;
        for (int j = 0; j < N; j++) y[i] += s->A[i][j] * x[j];
    }
}

static void precondition(void* user, const void* from, void* to) {
    problem* s = user;
    const double* r = from;
    double* z = to;
    s->calls++;
    for (int i = 0; i < N; i++) {
        double wave = s->changes ? 1.0 + 0.5 * sin(i + 3.0 * s->calls) : 1.0;
        z[i] = wave * s->inverse[i] * r[i];
        if (s->poisoned_call && s->calls >= s->poisoned_call) z[i] = NAN;
    }
}

static const char* NAMES[METHODS] = {"stationary", "cg", "flexible cg", "minres", "gmres"};
static const pl_krylov_operations OPERATIONS = {.apply = apply, .precondition = precondition};

static pl_krylov krylov_of(problem* s) {
    return (pl_krylov){.operations = &OPERATIONS,
                       .user = s,
                       .count = N,
                       .b = s->b,
                       .x = s->x,
                       .r = s->r,
                       .z = s->z,
                       .p = s->p,
                       .q = s->q,
                       .scale = pl_vector_norm(NULL, N, s->b),
                       .watch = {.slow = 0.99}};
}

static pl_krylov_end run(problem* s, method which, pl_krylov* k) {
    pl_krylov_work work = {0};
    pl_error error;
    s->info = (pl_linear_info){0};
    pl_krylov_end end = pl_krylov_begin(k, &s->options, &s->info);
    if (end != PL_KRYLOV_GOING) return end;
    k->flexible = which == FLEXIBLE_CG;
    int vectors =
        which == MINRES ? PL_MINRES_VECTORS : pl_gmres_vectors(s->restart ? s->restart : N);
    CHECK_OK(pl_krylov_work_setup(&work, vectors, N * sizeof(double), &error), &error);
    if (which == STATIONARY) end = pl_krylov_stationary(k, &s->options, &s->info);
    else if (which == MINRES) end = pl_krylov_minres(k, &work, &s->options, &s->info);
    else if (which == GMRES) end = pl_krylov_gmres(k, &work, &s->options, &s->info);
    else end = pl_krylov_cg(k, &s->options, &s->info);
    pl_krylov_work_free(&work);
    return end;
}

static pl_krylov_end solve(problem* s, method which) {
    pl_krylov k = krylov_of(s);
    k.look = which == CG || which == FLEXIBLE_CG ? pl_krylov_residual : NULL;
    memset(s->x, 0, sizeof s->x);
    s->calls = 0;
    return run(s, which, &k);
}

// B B' / N + shift I with a diagonal that varies by 1e4, and a load that belongs to a solution
static void make_definite(problem* s, double shift, uint64_t seed) {
    pl_random random = {seed};
    static double B[N][N];
    *s = (problem){.options = {.tolerance = 1e-10, .max_iterations = 400}};
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) B[i][j] = pl_random_uniform(&random, -1.0, 1.0);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double size = pow(10.0, 2.0 * (i + j) / N - 2.0);
            for (int k = 0; k < N; k++) s->A[i][j] += size * B[i][k] * B[j][k] / N;
            if (i == j) s->A[i][j] += size * shift;
        }
    for (int i = 0; i < N; i++) s->inverse[i] = 1.0 / s->A[i][i];
}

static void make_load(problem* s, const double* solution) { apply(s, solution, s->b); }

static void make_random_load(problem* s, double* solution) {
    pl_random random = {99};
    for (int i = 0; i < N; i++) solution[i] = pl_random_uniform(&random, -1.0, 1.0);
    make_load(s, solution);
}

// (H B'; B 0): a definite block, constraints, and a preconditioner that is definite
static void make_saddle(problem* s, uint64_t seed) {
    pl_random random = {seed};
    make_definite(s, 0.5, seed);
    for (int i = N - CONSTRAINTS; i < N; i++)
        for (int j = 0; j < N; j++) {
            bool coupled = j < N - CONSTRAINTS;
            double value = coupled ? pl_random_uniform(&random, -1.0, 1.0) : 0.0;
            s->A[i][j] = s->A[j][i] = value;
        }
    for (int i = N - CONSTRAINTS; i < N; i++) {
        double schur = 0.0;
        for (int j = 0; j < N - CONSTRAINTS; j++) schur += s->A[i][j] * s->A[i][j] * s->inverse[j];
        s->inverse[i] = 1.0 / schur;
    }
}

// A x = b by elimination with row pivots
static void eliminate(const problem* s, double* x) {
    static double A[N][N + 1];
    for (int i = 0; i < N; i++) {
        memcpy(A[i], s->A[i], sizeof s->A[i]);
        A[i][N] = s->b[i];
    }
    for (int c = 0; c < N; c++) {
        int pivot = c;
        for (int i = c; i < N; i++)
            if (fabs(A[i][c]) > fabs(A[pivot][c])) pivot = i;
        for (int j = 0; j <= N; j++) {
            double swap = A[c][j];
            A[c][j] = A[pivot][j];
            A[pivot][j] = swap;
        }
        for (int i = 0; i < N; i++) {
            double factor = i == c ? 0.0 : A[i][c] / A[c][c];
            for (int j = c; j <= N; j++) A[i][j] -= factor * A[c][j];
        }
    }
    for (int i = 0; i < N; i++) x[i] = A[i][N] / A[i][i];
}

static double true_residual(problem* s) {
    double r[N];
    apply(s, s->x, r);
    for (int i = 0; i < N; i++) r[i] = s->b[i] - r[i];
    return pl_vector_norm(NULL, N, r) / pl_vector_norm(NULL, N, s->b);
}

static void check_against_elimination(problem* s, method which) {
    double exact[N];
    CHECK_INT(solve(s, which), PL_KRYLOV_CONVERGED);
    CHECK(s->info.converged && !s->info.indefinite && !s->info.stalled);
    CHECK(s->info.residual <= s->options.tolerance);
    CHECK_NEAR(true_residual(s), s->info.residual, 1e-13);
    CHECK(s->info.history_count > 1);
    eliminate(s, exact);
    double size = pl_vector_norm(NULL, N, exact);
    for (int i = 0; i < N; i++) CHECK_NEAR(s->x[i], exact[i], 1e-5 * size);
}

TEST(krylov_solves_definite_systems)
{
    for (int which = CG; which < METHODS; which++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            problem s;
            double solution[N];
            make_definite(&s, 0.2, seed);
            make_random_load(&s, solution);
            check_against_elimination(&s, (method)which);
            CHECK(s.info.iterations <= N); // as exact arithmetic needs at most
        }
}

// GMRES that starts again after few iterations takes more of them
TEST(krylov_gmres_starts_again)
{
    problem s;
    double solution[N];
    make_definite(&s, 0.2, 1);
    make_random_load(&s, solution);
    check_against_elimination(&s, GMRES);
    int full = s.info.iterations;
    s.restart = 6;
    check_against_elimination(&s, GMRES);
    CHECK(s.info.iterations > full && s.info.iterations < 10 * full);
}

TEST(krylov_solves_indefinite_systems)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        problem s;
        double solution[N];
        make_saddle(&s, seed);
        make_random_load(&s, solution);
        check_against_elimination(&s, MINRES);
        CHECK(s.info.iterations <= 2 * N);
        check_against_elimination(&s, GMRES);
        CHECK(s.info.iterations <= N);
    }
}

// A has the constant vector in its null space, b has no part of it
TEST(krylov_solves_singular_systems_that_are_consistent)
{
    static const method methods[] = {CG, FLEXIBLE_CG, MINRES, GMRES};
    for (int k = 0; k < 4; k++) {
        problem s;
        double solution[N];
        make_definite(&s, 0.5, 5);
        for (int i = 0; i < N; i++) { // the Laplacian of a graph with these weights
            double sum = 0.0;
            for (int j = 0; j < N; j++) {
                s.A[i][j] = i == j ? 0.0 : -fabs(s.A[i][j]);
                sum -= s.A[i][j];
            }
            s.A[i][i] = sum;
            s.inverse[i] = 1.0 / sum;
        }
        make_random_load(&s, solution);
        CHECK_INT(solve(&s, methods[k]), PL_KRYLOV_CONVERGED);
        CHECK(true_residual(&s) <= 1e-10);
        // the solution up to a constant
        double constant = s.x[0] - solution[0];
        for (int i = 0; i < N; i++) CHECK_NEAR(s.x[i] - solution[i], constant, 1e-6);
    }
}

// Flexible methods do not mind a preconditioner that is another one in every iteration; plain
// gradients, which trust it, are led astray.
TEST(krylov_flexible_methods_bear_a_preconditioner_that_changes)
{
    problem s;
    double solution[N];
    make_definite(&s, 0.2, 2);
    make_random_load(&s, solution);
    s.changes = true;
    s.options.max_iterations = 150;
    check_against_elimination(&s, FLEXIBLE_CG);
    check_against_elimination(&s, GMRES);
    int flexible = s.info.iterations;
    solve(&s, CG);
    CHECK(!s.info.converged || s.info.iterations > flexible);
    make_saddle(&s, 2);
    make_random_load(&s, solution);
    s.changes = true;
    s.options.max_iterations = 1000;
    check_against_elimination(&s, GMRES);
}

TEST(krylov_stationary_iteration_contracts_by_its_rate)
{
    // M A = 1 - rate: each iteration leaves that part exactly
    problem s = {.options = {.tolerance = 1e-6, .max_iterations = 100}};
    for (int i = 0; i < N; i++) s.A[i][i] = 1.0 + i, s.inverse[i] = 0.75 / (1.0 + i), s.b[i] = 1.0;
    for (int zero = 0; zero < 2; zero++) {
        pl_krylov k = krylov_of(&s);
        memset(s.x, 0, sizeof s.x);
        k.x_is_zero = zero;
        CHECK_INT(run(&s, STATIONARY, &k), PL_KRYLOV_CONVERGED);
        CHECK_INT(s.info.iterations, 10); // 4^-10 = 9.5e-7
        for (int i = 0; i < s.info.history_count; i++)
            CHECK_NEAR((double)s.info.history[i], pow(0.25, i), 1e-6 * pow(0.25, i));
    }
    // a correction that is three times too long makes it grow
    for (int i = 0; i < N; i++) s.inverse[i] = 3.0 / (1.0 + i);
    CHECK_INT(solve(&s, STATIONARY), PL_KRYLOV_STALLED);
    CHECK(s.info.stalled && s.info.iterations == 3);
    // and without a watch runs to the end
    pl_krylov k = krylov_of(&s);
    memset(s.x, 0, sizeof s.x);
    k.watch.slow = 0.0;
    CHECK_INT(run(&s, STATIONARY, &k), PL_KRYLOV_ITERATIONS);
    CHECK_INT(s.info.iterations, 100);
}

static int product_count;

static void count_product(void* user, const void* from, void* to) {
    product_count++;
    apply(user, from, to);
}

// neither at the start, where x is zero, nor at the end, where what it carries is trusted
TEST(krylov_gmres_needs_one_product_an_iteration)
{
    static const pl_krylov_operations counting = {.apply = count_product,
                                                  .precondition = precondition};
    problem s;
    double solution[N];
    make_definite(&s, 0.1, 5);
    make_random_load(&s, solution);
    pl_krylov k = krylov_of(&s);
    k.operations = &counting;
    k.x_is_zero = k.trusts_recurrence = true;
    product_count = 0;
    CHECK_INT(run(&s, GMRES, &k), PL_KRYLOV_CONVERGED);
    CHECK(s.info.converged && s.info.residual <= s.options.tolerance);
    CHECK_INT(product_count, s.info.iterations);
    CHECK(pl_krylov_residual(&k) <= 2.0 * s.options.tolerance * k.scale);
}

TEST(krylov_says_that_a_matrix_is_indefinite)
{
    problem s;
    double solution[N];
    make_saddle(&s, 3);
    make_random_load(&s, solution);
    for (int which = CG; which <= FLEXIBLE_CG; which++) {
        CHECK_INT(solve(&s, (method)which), PL_KRYLOV_INDEFINITE);
        CHECK(s.info.indefinite && !s.info.converged);
    }
}

// Whatever breaks in the preconditioner, and when: the iteration ends, and says why.
TEST(krylov_ends_if_the_preconditioner_is_not_finite)
{
    for (int which = STATIONARY; which < METHODS; which++)
        for (int call = 1; call <= 5; call++) {
            problem s;
            double solution[N];
            make_definite(&s, 0.2, 4);
            make_random_load(&s, solution);
            if (which == STATIONARY)
                for (int i = 0; i < N; i++) s.inverse[i] *= 0.1;
            s.options.max_iterations = 1000000000;
            s.poisoned_call = call;
            pl_krylov_end end = solve(&s, (method)which);
            if (end != PL_KRYLOV_PRECONDITIONER && end != PL_KRYLOV_NOT_FINITE)
                pl_test_fail(__FILE__, __LINE__, "%s ended by %d", NAMES[which], end);
            CHECK(!s.info.converged && s.info.iterations <= call);
            CHECK(which == STATIONARY || s.info.preconditioner_failed);
            // x is of the iterations before
            for (int i = 0; i < N; i++) CHECK(which == STATIONARY || isfinite(s.x[i]));
        }
}

TEST(krylov_ends_if_the_preconditioner_is_not_definite)
{
    static const method methods[] = {CG, FLEXIBLE_CG, MINRES};
    for (int k = 0; k < 3; k++) {
        problem s;
        double solution[N];
        make_definite(&s, 0.2, 4);
        make_random_load(&s, solution);
        for (int i = 0; i < N; i++) s.inverse[i] = -s.inverse[i];
        CHECK_INT(solve(&s, methods[k]), PL_KRYLOV_PRECONDITIONER);
        CHECK(s.info.preconditioner_failed && pl_linear_has_failed(&s.info));
    }
}

// A preconditioner that is bad enough makes progress too slow for the watch.
TEST(krylov_watch_ends_gradients_that_stall)
{
    problem s = {.options = {.tolerance = 1e-12, .max_iterations = 1000}};
    // eigenvalues over twelve orders, one by one
    for (int i = 0; i < N; i++) {
        s.A[i][i] = pow(10.0, 12.0 * i / (N - 1.0));
        s.inverse[i] = s.b[i] = 1.0;
    }
    pl_krylov k = krylov_of(&s);
    k.look = pl_krylov_residual;
    k.watch = (pl_krylov_watch){.period = 8, .slow = 0.1};
    CHECK_INT(run(&s, FLEXIBLE_CG, &k), PL_KRYLOV_STALLED);
    CHECK(s.info.stalled && s.info.iterations % 8 == 0 && s.info.iterations < 100);
    CHECK(pl_linear_has_failed(&s.info));
    CHECK_NEAR(true_residual(&s), s.info.residual, 1e-9);
    // an easy matrix is not taken for one
    for (int i = 0; i < N; i++) s.inverse[i] = (1.0 + 0.3 * sin(i)) / s.A[i][i];
    memset(s.x, 0, sizeof s.x);
    CHECK_INT(run(&s, FLEXIBLE_CG, &k), PL_KRYLOV_CONVERGED);
}

// gmres ends where iterations gain too little, and at once where M alone multiplies a residual.
TEST(krylov_watch_ends_gmres_that_stalls)
{
    problem s = {.options = {.tolerance = 1e-12, .max_iterations = 1000}};
    for (int i = 0; i < N; i++) {
        s.A[i][i] = pow(10.0, 12.0 * i / (N - 1.0));
        s.inverse[i] = s.b[i] = 1.0;
    }
    pl_krylov k = krylov_of(&s);
    k.watch = (pl_krylov_watch){.period = 5, .slow = 0.01};
    CHECK_INT(run(&s, GMRES, &k), PL_KRYLOV_STALLED);
    CHECK(s.info.stalled && s.info.iterations < N);
    CHECK_NEAR(true_residual(&s), s.info.residual, 1e-9);
    k.watch = (pl_krylov_watch){.growth = 100.0};
    memset(s.x, 0, sizeof s.x);
    CHECK_INT(run(&s, GMRES, &k), PL_KRYLOV_STALLED);
    CHECK_INT(s.info.iterations, 1);
    // M that is nearly right is not taken for one that diverges
    for (int i = 0; i < N; i++) s.inverse[i] = (1.0 + 0.3 * sin(i)) / s.A[i][i];
    memset(s.x, 0, sizeof s.x);
    k.watch = (pl_krylov_watch){.period = 5, .slow = 0.35, .growth = 1.0};
    CHECK_INT(run(&s, GMRES, &k), PL_KRYLOV_CONVERGED);
}

// No method reaches what round-off does not let it: the true residual ends it, not the carried one.
TEST(krylov_round_off_is_a_stall_and_not_an_endless_loop)
{
    for (int which = CG; which < METHODS; which++) {
        problem s;
        double solution[N];
        make_definite(&s, 0.2, 6);
        make_random_load(&s, solution);
        s.options = (pl_linear_options){.tolerance = 1e-20, .max_iterations = 1000000000};
        CHECK_INT(solve(&s, (method)which), PL_KRYLOV_STALLED);
        CHECK(s.info.stalled && s.info.residual < 1e-12 && s.info.iterations < 1000);
    }
}

TEST(krylov_stops_at_the_last_iteration)
{
    for (int which = STATIONARY; which < METHODS; which++) {
        problem s;
        double solution[N];
        make_definite(&s, 0.2, 6);
        make_random_load(&s, solution);
        for (int i = 0; i < N && which == STATIONARY; i++) s.inverse[i] *= 0.1;
        s.options.max_iterations = 3;
        CHECK_INT(solve(&s, (method)which), PL_KRYLOV_ITERATIONS);
        CHECK_INT(s.info.iterations, 3);
        CHECK_NEAR(true_residual(&s), s.info.residual, 1e-13);
    }
}

TEST(krylov_of_a_load_that_is_nothing)
{
    for (int which = STATIONARY; which < METHODS; which++) {
        problem s;
        make_definite(&s, 0.2, 6);
        CHECK_INT(solve(&s, (method)which), PL_KRYLOV_CONVERGED);
        CHECK_INT(s.info.iterations, 0);
        s.b[0] = NAN;
        CHECK_INT(solve(&s, (method)which), PL_KRYLOV_NOT_FINITE);
    }
}

TEST(krylov_work_survives_every_failing_allocation)
{
    pl_error error;
    size_t before = pl_byte_count();
    for (int64_t nth = 1;; nth++) {
        pl_krylov_work work;
        pl_inject_failure(nth);
        pl_status status = pl_krylov_work_setup(&work, 5, 800, &error);
        pl_inject_failure(0);
        if (status == PL_OK) {
            CHECK_INT(nth, 7); // a list and five vectors
            pl_krylov_work_free(&work);
            break;
        }
        CHECK_INT(status, PL_ERROR_MEMORY);
        CHECK_INT(pl_byte_count(), before);
    }
    CHECK_INT(pl_byte_count(), before);
}

// vectors of float: operations of the caller's own
static double float_dot(void* user, const void* a, const void* b) {
    double sum = 0.0;
    (void)user;
    for (int i = 0; i < N; i++) sum += (double)((const float*)a)[i] * (double)((const float*)b)[i];
    return sum;
}

static void float_combine(void* user, double s, const void* x, double t, void* y) {
    (void)user;
    for (int i = 0; i < N; i++) {
        double own = t == 0.0 ? 0.0 : t * (double)((float*)y)[i];
        ((float*)y)[i] = (float)(s * (double)((const float*)x)[i] + own);
    }
}

static void float_apply(void* user, const void* x, void* y) {
    const problem* s = user;
    for (int i = 0; i < N; i++) {
        double sum = 0.0;
        for (int j = 0; j < N; j++) sum += s->A[i][j] * (double)((const float*)x)[j];
        ((float*)y)[i] = (float)sum;
    }
}

static void float_precondition(void* user, const void* r, void* z) {
    const problem* s = user;
    for (int i = 0; i < N; i++) ((float*)z)[i] = (float)s->inverse[i] * ((const float*)r)[i];
}

TEST(krylov_works_on_vectors_of_float)
{
    static const pl_krylov_operations operations = {float_apply, float_precondition, float_dot,
                                                    float_combine, NULL};
    for (int which = CG; which < METHODS; which++) {
        problem s;
        double solution[N];
        float b[N], vectors[5][N] = {{0}};
        make_definite(&s, 0.5, 8);
        make_random_load(&s, solution);
        s.options = (pl_linear_options){.tolerance = 1e-5, .max_iterations = 400};
        for (int i = 0; i < N; i++) b[i] = (float)s.b[i];
        pl_krylov k = {.operations = &operations,
                       .user = &s,
                       .b = b,
                       .x = vectors[0],
                       .r = vectors[1],
                       .z = vectors[2],
                       .p = vectors[3],
                       .q = vectors[4],
                       .scale = sqrt(float_dot(NULL, b, b))};
        CHECK_INT(run(&s, (method)which, &k), PL_KRYLOV_CONVERGED);
        for (int i = 0; i < N; i++) s.x[i] = (double)vectors[0][i];
        CHECK(true_residual(&s) <= 2e-5);
    }
}
