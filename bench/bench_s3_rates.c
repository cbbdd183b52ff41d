// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// How fast cycles of method mixed converge. `rate_nu*`: the factor per V-cycle that the residual
// falls by in the end, cycles alone (relaxation automatic, 2 sweeps on each side), armadillo-like
// body of 50 000 vertices with the inertia of h = 1/60 s at E = 5e6 Pa, per Poisson's ratio; above
// 1 cycles alone diverge. `iterations_nu*`: iterations of flexible GMRES around the same cycle to
// 1e-6. `iterations_growth`: those at nu = 0.49 on 200 000 vertices over those on 10 000.
// `slope_time`: processor time of a frame of the method itself over tets, bodies of 35 000 to 182
// 000 vertices, as a slope of logarithms. Parts: rates, growth, slope. --quick: a tenth of the
// vertices.
#include "base/memory.h"
#include "bench_meshes.h"
#include "mixed/mixed_cycles.h"
#include "multigrid/block_multigrid.h"
#include "s3_system.h"
#include "s3_world.h"
#include "sparse/vector.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char NAME[] = "s3-rates";
static const char ARMADILLO[] = "armadillo.msh";
// density / (mu h^2) of a body of 1 m
static const double INERTIA = 1000.0 * 3600.0 / (5e6 / 2.98);

static bool failed(const pl_error* error) {
    fprintf(stderr, "pliant-bench %s: %s\n", NAME, error->text);
    return false;
}

// Cycles on A x = b; the factor of the last ones.
static double cycle_rate(const s3_system* s, pl_pool* pool, pl_error* error) {
    enum { CYCLES = 24, LAST = 8 };
    size_t count = 4 * (size_t)s->vertex_count;
    pl_mg_settings settings = {
        .unknowns = 4, .smoother = PL_SMOOTHER_GAUSS_SEIDEL, .pre_sweeps = 2, .post_sweeps = 2};
    pl_mg_blocks blocks = {s->A.row_count, s->A.offsets, s->A.columns, s->A.values};
    pl_block_mg* mg = NULL;
    double *x = PL_ALLOC(double, count), *r = PL_ALLOC(double, count), *z = PL_ALLOC(double, count);
    double norms[CYCLES + 1], rate = NAN;
    bool ok = x && r && z &&
              pl_block_mg_setup(&mg, &blocks, s->rest, &settings, pool, error) == PL_OK &&
              pl_block_mg_update(mg, &blocks);
    if (ok) pl_block_mg_relax(mg);
    int k = 0;
    for (; ok && k <= CYCLES; k++) {
        pl_block_matrix_apply(&s->A, pool, 1, x, r);
        pl_vector_xpay(pool, (int)count, s->b, -1.0, r);
        norms[k] = pl_vector_norm(pool, (int)count, r);
        if (!isfinite(norms[k]) || norms[k] > 1e6 * norms[0] || norms[k] < 1e-10 * norms[0]) break;
        pl_block_mg_apply(mg, r, z);
        pl_vector_axpy(pool, (int)count, 1.0, z, x);
    }
    int last = k > CYCLES ? CYCLES : k, first = last > LAST ? last - LAST : 0;
    if (ok && last > 0) rate = pow(norms[last] / norms[first], 1.0 / (last - first));
    pl_block_mg_destroy(mg);
    PL_FREE(x, double, count);
    PL_FREE(r, double, count);
    PL_FREE(z, double, count);
    return rate;
}

static double gmres_iterations(const s3_system* s, pl_pool* pool, pl_error* error) {
    pl_multigrid keys = {.smoother = PL_SMOOTHER_GAUSS_SEIDEL, .pre_sweeps = 2, .post_sweeps = 2};
    pl_linear_options options = {.tolerance = 1e-6, .max_iterations = 300};
    pl_linear_info info = {0};
    pl_mixed_cycles* cycles = NULL;
    double* x = PL_ALLOC(double, 4 * (size_t)s->vertex_count);
    bool ok = x &&
              pl_mixed_cycles_create(&s->A, s->rest, &keys, NAN, pool, &cycles, error) == PL_OK &&
              pl_mixed_cycles_update(cycles, false);
    if (ok) pl_mixed_cycles_solve(cycles, &options, s->b, x, &info);
    pl_mixed_cycles_destroy(cycles);
    PL_FREE(x, double, 4 * (size_t)s->vertex_count);
    return ok && info.converged ? info.iterations : NAN;
}

static pl_mesh* make_body(bench* b, int vertices, pl_error* error) {
    pl_mesh* mesh = NULL;
    if (bench_solid_mesh(b, ARMADILLO, vertices, &mesh, error) == PL_OK) bench_make_unit_size(mesh);
    return mesh;
}

static bool measure_rates(bench* b, pl_pool* pool, pl_error* error) {
    static const double nus[] = {0.3, 0.45, 0.49, 0.499, 0.4999, 0.49999, 0.5};
    pl_mesh* mesh = make_body(b, bench_quick(b) ? 5000 : 50000, error);
    if (!mesh) return false;
    bool ok = true;
    for (int k = 0; ok && k < 7; k++) {
        s3_system s;
        ok = s3_system_create(&s, &(s3_body){mesh, nus[k], INERTIA, NULL, false}, pool, error);
        if (!ok) break;
        s3_result_nu(b, "rate", nus[k], cycle_rate(&s, pool, error), "");
        s3_result_nu(b, "iterations", nus[k], gmres_iterations(&s, pool, error), "");
        s3_system_free(&s);
    }
    pl_mesh_destroy(mesh);
    return ok;
}

static bool measure_growth(bench* b, pl_pool* pool, pl_error* error) {
    double iterations[2] = {NAN, NAN};
    for (int k = 0; k < 2; k++) {
        s3_system s;
        pl_mesh* mesh = make_body(b, (k ? 200000 : 10000) / (bench_quick(b) ? 10 : 1), error);
        bool ok =
            mesh && s3_system_create(&s, &(s3_body){mesh, 0.49, INERTIA, NULL, false}, pool, error);
        pl_mesh_destroy(mesh);
        if (!ok) return false;
        iterations[k] = gmres_iterations(&s, pool, error);
        printf("  %d vertices: %g iterations to 1e-6\n", s.vertex_count, iterations[k]);
        s3_system_free(&s);
    }
    bench_result(b, "iterations_growth", iterations[1] / iterations[0], "x", NAN);
    return true;
}

// The least processor time of a frame after the first; INFINITY after a message.
static double fastest_frame(pl_world* world, pl_frame_info* fastest) {
    enum { FRAMES = 4 };
    double least = INFINITY;
    for (int frame = 0; frame < FRAMES; frame++) {
        pl_frame_info info;
        double start = s3_cpu_seconds();
        if (!s3_step(NAME, world, &info)) return INFINITY;
        double seconds = s3_cpu_seconds() - start;
        if (frame && seconds < least) least = seconds, *fastest = info;
    }
    return least;
}

// Armadillos of 1 m in steps of 0.01 s, as in Table 2.
static bool measure_slope(bench* b) {
    enum { SIZES = 3 };
    static const int vertices[SIZES] = {35000, 77000, 182000};
    double tets[SIZES], seconds[SIZES];
    for (int k = 0; k < SIZES; k++) {
        double height, edge;
        const char* shape =
            bench_stand_in(ARMADILLO, vertices[k] / (bench_quick(b) ? 20 : 1), &height, &edge);
        pl_world* world = s3_world(
            NAME,
            "{\"pliant\": 1, \"threads\": 1, \"time_step\": 0.01, \"bodies\": [{\"name\": \"b\", "
            "\"method\": \"mixed\", \"generate\": {\"shape\": \"%s\", \"height\": 1, \"edge\": "
            "%.9g}, "
            "\"material\": "
            "{\"young\": 5e6, \"poisson\": 0.49}, \"nonlinear\": \"linearised\", \"linear\": "
            "\"multigrid\"}], \"attachments\": [{\"body\": \"b\", \"where\": {\"side\": {\"face\": "
            "\"+y\", \"depth\": 0.03}}}]}",
            shape, edge / height);
        if (!world) return false;
        pl_frame_info info = {0};
        seconds[k] = fastest_frame(world, &info);
        if (!isfinite(seconds[k])) return false;
        tets[k] = pl_world_mesh(world, 0)->tet_count;
        printf("  %d vertices, %g tets: %.3f s of processor time per frame, %d linear iterations; "
               "%.0f %% of it assembly, %.0f %% linear\n",
               pl_world_mesh(world, 0)->vertex_count, tets[k], seconds[k], info.linear_iterations,
               100.0 * info.assembly_seconds / info.seconds,
               100.0 * info.linear_seconds / info.seconds);
        fflush(stdout);
        pl_world_destroy(world);
    }
    bench_result(b, "slope_time", s3_slope(tets, seconds, SIZES), "", 1.0);
    return true;
}

static bool is_wanted(const bench* b, const char* part) {
    return !bench_part(b) || strcmp(bench_part(b), part) == 0;
}

bool bench_s3_rates(bench* b) {
    pl_pool* pool;
    pl_error error = {0};
    if (pl_pool_create(0, &pool, &error) != PL_OK) return failed(&error);
    bool ok = (!is_wanted(b, "rates") || measure_rates(b, pool, &error)) &&
              (!is_wanted(b, "growth") || measure_growth(b, pool, &error));
    pl_pool_destroy(pool);
    if (!ok) return failed(&error);
    return !is_wanted(b, "slope") || measure_slope(b);
}
