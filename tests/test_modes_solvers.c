// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The two solvers of eigenvalue problems, Lanczos on the factor and Davidson on cycles, against one
// another, and the long vectors of Davidson's method against plain loops.
#include "base/memory.h"
#include "base/random.h"
#include "modes/mode_cache.h"
#include "modes/mode_multigrid.h"
#include "modes/panel.h"
#include "sparse/vector.h"
#include "test.h"
#include "verify.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- panels

static double* random_numbers(size_t count, uint64_t seed) {
    pl_random random = {seed};
    double* x = malloc(count * sizeof *x);
    for (size_t i = 0; i < count; i++) x[i] = pl_random_uniform(&random, -1.0, 1.0);
    return x;
}

TEST(panels_equal_plain_loops_with_the_same_bits_for_any_threads)
{
    enum { N = 20011, V = 7, W = 3 };
    double *a = random_numbers((size_t)N * V, 1), *b = random_numbers((size_t)N * W, 2);
    double *Y = random_numbers(V * W, 3), *partials = malloc(pl_panel_partials(V, W) * sizeof *Y);
    double *sum[2], G[2][V * W];
    pl_pool* pools[2] = {NULL, NULL};
    pl_error error = {0};
    CHECK_OK(pl_pool_create(3, &pools[1], &error), &error);
    for (int k = 0; k < 2; k++) {
        sum[k] = malloc((size_t)N * W * sizeof *Y);
        memcpy(sum[k], b, (size_t)N * W * sizeof *Y);
        pl_panel_dots(pools[k], N, V, a, W, b, partials, G[k]);
        pl_panel_combine(pools[k], N, V, a, W, Y, W, -2.0, true, sum[k]);
    }
    CHECK(memcmp(G[0], G[1], sizeof G[0]) == 0);
    CHECK(memcmp(sum[0], sum[1], (size_t)N * W * sizeof *Y) == 0);
    for (int j = 0; j < V; j++)
        for (int k = 0; k < W; k++)
            CHECK_NEAR(G[0][j * W + k], pl_vector_dot(NULL, N, a + j * N, b + k * N), 1e-11);
    double *before = malloc((size_t)N * V * sizeof *Y), worst = 0.0;
    memcpy(before, a, (size_t)N * V * sizeof *Y);
    pl_panel_rotate(pools[1], N, V, a, W, Y, W);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < W; k++) {
            double plain = 0.0;
            for (int j = 0; j < V; j++) plain += Y[j * W + k] * before[j * N + i];
            worst = fmax(worst, fabs(sum[0][k * N + i] - (b[k * N + i] - 2.0 * plain)));
            worst = fmax(worst, fabs(a[k * N + i] - plain));
        }
    CHECK(worst < 1e-14);
    pl_pool_destroy(pools[1]);
    double* all[] = {a, b, Y, partials, sum[0], sum[1], before};
    for (int k = 0; k < 7; k++) free(all[k]);
}

// ---------------------------------------------------------------- bodies

typedef struct sample {
    pl_mesh* mesh;
    pl_block_matrix K, M;
    double* mass;
    bool* fixed;
} sample;

// A box of cubes of side `cell`, clamped at x = 0 if `held`.
static sample make_box(int nx, int ny, int nz, double cell, double poisson, bool held,
                       bool consistent) {
    sample s = {0};
    pl_error error = {0};
    pl_material material;
    CHECK_OK(
        verify_box(cell * nx, cell * ny, cell * nz, nx, ny, nz, PL_PATTERN_BCC, &s.mesh, &error),
        &error);
    CHECK_OK(pl_material_from_young(PL_MATERIAL_LINEAR, 1e6, poisson, &material, &error), &error);
    s.fixed = calloc((size_t)s.mesh->vertex_count, sizeof(bool));
    for (int v = 0; v < s.mesh->vertex_count; v++)
        s.fixed[v] = held && s.mesh->positions[3 * v] < 1e-9;
    CHECK_OK(verify_stiffness(s.mesh, &material, 1000.0, s.fixed, &s.K, consistent ? &s.M : NULL,
                              &s.mass, &error),
             &error);
    return s;
}

static sample make_sample(int nx, int ny, int nz, double cell, bool held, bool consistent) {
    return make_box(nx, ny, nz, cell, 0.3, held, consistent);
}

static pl_modes_problem problem_of(const sample* s) {
    return (pl_modes_problem){.K = &s->K,
                              .mass = s->mass,
                              .M = s->M.values ? &s->M : NULL,
                              .positions = s->mesh->positions,
                              .fixed = s->fixed};
}

static void free_sample(sample* s) {
    pl_block_matrix_free(&s->K);
    if (s->M.values) pl_block_matrix_free(&s->M);
    PL_FREE(s->mass, double, s->mesh->vertex_count);
    pl_mesh_destroy(s->mesh);
    free(s->fixed);
}

static pl_mode_set find(const sample* s, const pl_modes_settings* settings, pl_pool* pool) {
    pl_mode_set m;
    pl_error error = {0};
    pl_modes_problem p = problem_of(s);
    CHECK_OK(pl_modes_find(&p, settings, pool, &m, &error), &error);
    return m;
}

// how much of u is outside of the modes of `m` whose lambda is near that of u
static double part_outside(const sample* s, const pl_mode_set* m, const double* u, double lambda) {
    size_t count = 3 * (size_t)m->vertex_count;
    double *Mu = malloc(count * sizeof *Mu), inside = 0.0;
    pl_modes_problem p = problem_of(s);
    pl_modes_mass(&p, NULL, u, Mu);
    for (int k = 0; k < m->count; k++)
        if (fabs(m->lambda[k] - lambda) <= 1e-6 * lambda) {
            double dot = pl_vector_dot(NULL, (int)count, m->shapes + (size_t)k * count, Mu);
            inside += dot * dot;
        }
    free(Mu);
    return sqrt(fmax(0.0, 1.0 - inside));
}

static void compare(const sample* s, int count) {
    pl_mode_set direct =
        find(s, &(pl_modes_settings){.count = count + 4, .solver = PL_MODES_DIRECT}, NULL);
    pl_mode_set cycles = find(
        s, &(pl_modes_settings){.count = count, .tolerance = 1e-12, .solver = PL_MODES_MULTIGRID},
        NULL);
    CHECK_INT(cycles.rigid_count, direct.rigid_count);
    CHECK_INT(cycles.count, direct.count - 4);
    for (int k = direct.rigid_count; k < cycles.count; k++) {
        CHECK_NEAR(cycles.lambda[k], direct.lambda[k], 1e-10 * direct.lambda[k]);
        const double* u = cycles.shapes + 3 * (size_t)k * (size_t)cycles.vertex_count;
        CHECK(part_outside(s, &direct, u, cycles.lambda[k]) < 2e-5);
        CHECK(cycles.residual[k] < 1e-3);
    }
    pl_mode_set_free(&direct);
    pl_mode_set_free(&cycles);
}

// The modes of a free cube come in multiplets, which must be there in full.
TEST(modes_by_multigrid_equal_those_of_the_factor)
{
    sample cube = make_sample(4, 4, 4, 0.025, false, false);
    compare(&cube, 14);
    free_sample(&cube);
    sample bar = make_sample(9, 3, 3, 0.02, true, true);
    compare(&bar, 12);
    free_sample(&bar);
}

// All modes that there are, and one that is not.
TEST(modes_by_multigrid_of_few_unknowns)
{
    sample s = make_sample(1, 1, 1, 0.1, true, false);
    int unknowns = 0;
    for (int v = 0; v < s.mesh->vertex_count; v++) unknowns += s.fixed[v] ? 0 : 3;
    pl_modes_settings settings = {
        .count = unknowns, .tolerance = 1e-12, .solver = PL_MODES_MULTIGRID};
    pl_mode_set m = find(&s, &settings, NULL);
    CHECK_INT(m.count, unknowns);
    pl_mode_set_free(&m);
    pl_modes_problem p = problem_of(&s);
    pl_error error;
    settings.count++;
    CHECK(pl_modes_find(&p, &settings, NULL, &m, &error) == PL_ERROR_ARGUMENT);
    CHECK_TEXT(error.text, "ask for 1 to");
    free_sample(&s);
}

// Two pieces have twelve rigid modes, of which only six are known at the start.
TEST(modes_by_multigrid_of_a_floating_piece)
{
    sample one = make_sample(2, 2, 2, 0.05, false, false);
    int n = one.mesh->vertex_count, t = one.mesh->tet_count;
    double* positions = malloc(6 * (size_t)n * sizeof *positions);
    int* tets = malloc(8 * (size_t)t * sizeof *tets);
    for (int i = 0; i < 6 * n; i++)
        positions[i] = one.mesh->positions[i % (3 * n)] + (i >= 3 * n && i % 3 == 0 ? 0.3 : 0.0);
    for (int i = 0; i < 8 * t; i++) tets[i] = one.mesh->tets[i % (4 * t)] + (i >= 4 * t ? n : 0);
    sample two = {.fixed = calloc(2 * (size_t)n, sizeof(bool))};
    pl_error error = {0};
    pl_material material;
    CHECK_OK(pl_material_from_young(PL_MATERIAL_LINEAR, 1e6, 0.3, &material, &error), &error);
    CHECK_OK(pl_mesh_create(positions, 2 * n, tets, 2 * t, NULL, 0, &two.mesh, &error), &error);
    CHECK_OK(
        verify_stiffness(two.mesh, &material, 1000.0, two.fixed, &two.K, NULL, &two.mass, &error),
        &error);
    pl_modes_settings settings = {.count = 6, .tolerance = 1e-12, .solver = PL_MODES_MULTIGRID};
    pl_mode_set m = find(&two, &settings, NULL);
    CHECK_INT(m.rigid_count, 12);
    CHECK_INT(m.count, 18);
    // every mode of a piece is there twice
    for (int k = 12; k < 18; k += 2) CHECK_NEAR(m.lambda[k], m.lambda[k + 1], 1e-9 * m.lambda[k]);
    pl_mode_set_free(&m);
    free_sample(&one);
    free_sample(&two);
    free(positions);
    free(tets);
}

// Started with the modes of a matrix that is a little different, as that of the step before.
TEST(modes_by_multigrid_start_warm)
{
    sample s = make_sample(8, 3, 3, 0.02, true, false);
    pl_modes_settings settings = {.count = 8, .tolerance = 1e-12, .solver = PL_MODES_MULTIGRID};
    pl_mode_set first = find(&s, &settings, NULL);
    for (int v = 0; v < s.K.row_count; v++) s.mass[v] *= 1.0 + 0.01 * sin(v);
    pl_mode_set cold = find(&s, &settings, NULL);
    settings.start_count = first.count;
    settings.start = first.shapes;
    pl_mode_set warm = find(&s, &settings, NULL);
    CHECK(3 * warm.applications < 2 * cold.applications);
    for (int k = 0; k < 8; k++) CHECK_NEAR(warm.lambda[k], cold.lambda[k], 1e-10 * cold.lambda[k]);
    pl_mode_set_free(&first);
    pl_mode_set_free(&cold);
    pl_mode_set_free(&warm);
    free_sample(&s);
}

// Followed from the modes of a matrix that is a little different, for a few cycles; shapes that are
// not near are refused.
TEST(modes_by_multigrid_are_followed)
{
    enum { COUNT = 7 }; // the eighth and the ninth are a pair
    sample s = make_sample(8, 3, 3, 0.02, true, false);
    pl_modes_settings settings = {.count = COUNT, .tolerance = 1e-12, .solver = PL_MODES_MULTIGRID};
    pl_mode_set before = find(&s, &settings, NULL);
    for (int v = 0; v < s.K.row_count; v++) s.mass[v] *= 1.0 + 0.05 * sin(v);
    pl_mode_set wanted = find(&s, &settings, NULL);
    pl_modes_problem p = problem_of(&s);
    pl_modes_multigrid* m;
    pl_error error = {0};
    size_t count = 3 * (size_t)s.K.row_count;
    double lambda[COUNT], *shapes = malloc(COUNT * count * sizeof *shapes),
                          *Mu = malloc(count * sizeof *Mu);
    CHECK_OK(pl_modes_multigrid_create(&p, true, NULL, &m, &error), &error);
    CHECK_OK(pl_modes_multigrid_update(m, 0.1 * wanted.lambda[0], &error), &error);
    for (int rough = 0; rough < 2; rough++) {
        int cycles = 0;
        bool found;
        memcpy(shapes, before.shapes, COUNT * count * sizeof *shapes);
        CHECK_OK(pl_modes_multigrid_follow(m, COUNT, rough ? 0.03 : 1e-5, lambda, shapes, &cycles,
                                           &found, &error),
                 &error);
        CHECK(found);
        CHECK(cycles <= (rough ? 16 : 48));
        for (int k = 0; k < COUNT; k++) {
            const double* u = shapes + (size_t)k * count;
            CHECK_NEAR(lambda[k], wanted.lambda[k], (rough ? 3e-3 : 3e-5) * wanted.lambda[k]);
            pl_modes_mass(&p, NULL, u, Mu);
            double inside = 0.0; // of the space of the modes
            for (int j = 0; j < COUNT; j++) {
                double along =
                    pl_vector_dot(NULL, (int)count, wanted.shapes + (size_t)j * count, Mu);
                inside += along * along;
            }
            CHECK_NEAR(inside, 1.0, rough ? 1e-2 : 1e-5);
            for (int j = 0; j < COUNT; j++)
                CHECK_NEAR(pl_vector_dot(NULL, (int)count, shapes + (size_t)j * count, Mu),
                           j == k ? 1.0 : 0.0, 1e-9);
        }
    }
    int cycles = 0;
    bool found;
    memcpy(shapes + count, shapes, count * sizeof *shapes); // two of them are one
    CHECK_OK(pl_modes_multigrid_follow(m, COUNT, 0.03, lambda, shapes, &cycles, &found, &error),
             &error);
    CHECK(!found);
    pl_modes_multigrid_destroy(m);
    pl_mode_set_free(&before);
    pl_mode_set_free(&wanted);
    free_sample(&s);
    free(shapes);
    free(Mu);
}

// K times several vectors at once
TEST(panels_times_a_matrix_equal_single_products)
{
    sample s = make_sample(3, 2, 2, 0.05, true, false);
    size_t count = 3 * (size_t)s.K.row_count;
    double *x = random_numbers(7 * count, 4), *y = malloc(7 * count * sizeof *y);
    double *work = malloc(PL_PANEL_APPLY * count * sizeof *work),
           *one = malloc(count * sizeof *one);
    pl_panel_apply(NULL, &s.K, 7, x, work, y);
    for (size_t k = 0; k < 7; k++) {
        pl_block_matrix_apply(&s.K, NULL, 1, x + k * count, one);
        double size = pl_vector_norm(NULL, (int)count, one);
        for (size_t i = 0; i < count; i++) CHECK_NEAR(y[k * count + i], one[i], 1e-14 * size);
    }
    double* all[] = {x, y, work, one};
    for (int k = 0; k < 4; k++) free(all[k]);
    free_sample(&s);
}

TEST(modes_by_multigrid_same_bits_for_any_threads)
{
    sample s = make_sample(5, 3, 3, 0.02, false, true);
    pl_mode_set m[2];
    pl_pool* pools[2] = {NULL, NULL};
    pl_error error = {0};
    CHECK_OK(pl_pool_create(3, &pools[1], &error), &error);
    pl_modes_settings settings = {.count = 5, .tolerance = 1e-12, .solver = PL_MODES_MULTIGRID};
    for (int k = 0; k < 2; k++) m[k] = find(&s, &settings, pools[k]);
    size_t bytes = 3 * (size_t)m[0].vertex_count * (size_t)m[0].count * sizeof(double);
    CHECK(memcmp(m[0].shapes, m[1].shapes, bytes) == 0);
    for (int k = 0; k < 2; k++) pl_mode_set_free(&m[k]);
    pl_pool_destroy(pools[1]);
    free_sample(&s);
}

TEST(modes_by_multigrid_survive_every_failing_allocation)
{
    sample s = make_sample(2, 1, 1, 0.1, true, false);
    pl_modes_settings settings = {.count = 3, .tolerance = 1e-12, .solver = PL_MODES_MULTIGRID};
    pl_modes_problem p = problem_of(&s);
    size_t before = pl_byte_count();
    for (int64_t nth = 1;; nth++) {
        pl_mode_set m;
        pl_error error;
        pl_inject_failure(nth);
        pl_status status = pl_modes_find(&p, &settings, NULL, &m, &error);
        pl_inject_failure(0);
        if (status == PL_OK) {
            CHECK(nth > 30);
            pl_mode_set_free(&m);
            break;
        }
        CHECK(status == PL_ERROR_MEMORY);
        CHECK(pl_byte_count() == before);
    }
    free_sample(&s);
}

// A body in a state from which it would run away.
TEST(modes_by_multigrid_refuse_an_unstable_state)
{
    sample s = make_sample(2, 1, 1, 0.1, true, false);
    int v = s.K.row_count - 1;
    for (int i = 0; i < 9; i += 4) s.K.values[9 * s.K.diagonal[v] + i] -= 1e6;
    pl_modes_problem p = problem_of(&s);
    for (int k = 0; k < 2; k++) {
        pl_mode_set m;
        pl_error error;
        pl_modes_settings settings = {
            .count = 3, .tolerance = 1e-12, .solver = k ? PL_MODES_MULTIGRID : PL_MODES_DIRECT};
        CHECK(pl_modes_find(&p, &settings, NULL, &m, &error) == PL_ERROR_ARGUMENT);
        CHECK_TEXT(error.text, "not in a stable state");
    }
    free_sample(&s);
}

// ---------------------------------------------------------------- theory

static double frequency(const pl_mode_set* m, int k) { return sqrt(m->lambda[k]) / (2.0 * M_PI); }

// the mode with the largest part of its motion along an axis
static int mode_along(const sample* s, const pl_mode_set* m, int axis) {
    int best = m->rigid_count;
    double most = 0.0;
    for (int k = m->rigid_count; k < m->count; k++) {
        const double* u = m->shapes + 3 * (size_t)k * (size_t)m->vertex_count;
        double part = 0.0;
        for (int v = 0; v < m->vertex_count; v++)
            part += s->mass[v] * u[3 * v + axis] * u[3 * v + axis];
        if (part > most) most = part, best = k;
    }
    return best;
}

// A free bar stretches with f = sqrt(E / rho) / (2 L); Poisson's ratio 0 keeps its section.
TEST(modes_of_a_free_bar_converge_to_theory_with_order_two)
{
    const double theory = sqrt(1e6 / 1000.0) / 2.0;
    double error[2];
    for (int k = 0; k < 2; k++) {
        int n = k ? 12 : 6;
        sample s = make_box(n, 1, 1, 1.0 / n, 0.0, false, true);
        // what is stiffer than the first stretch is not looked for
        pl_mode_set m = find(&s, &(pl_modes_settings){.count = 8, .solver = PL_MODES_DIRECT}, NULL);
        CHECK_INT(m.rigid_count, 6);
        error[k] = frequency(&m, mode_along(&s, &m, 0)) / theory - 1.0;
        pl_mode_set_free(&m);
        free_sample(&s);
    }
    CHECK(error[1] > 0.0 && error[1] < 0.02);
    CHECK(error[0] > 3.0 * error[1] && error[0] < 6.0 * error[1]);
}

// A cantilever bends with 1.875^2 / (2 pi L^2) sqrt(E I / (rho A)). Linear tets are too stiff in
// bending, with an error that falls with the square of their edges.
LONG_TEST(modes_of_a_cantilever_converge_to_theory_with_order_two)
{
    enum { MESHES = 3 };
    const double height = 0.1, b = 1.8751040687;
    const double theory = b * b / (2.0 * M_PI) * sqrt(1e6 * height * height / (12.0 * 1000.0));
    double error[MESHES];
    for (int k = 0; k < MESHES; k++) {
        int n = 2 << k; // cells in the height, half of them in the width
        pl_modes_settings settings = {
            .count = 3, .tolerance = 1e-9, .solver = k < 2 ? PL_MODES_DIRECT : PL_MODES_MULTIGRID};
        sample s = make_box(10 * n, n, n / 2, height / n, 0.3, true, true);
        pl_mode_set m = find(&s, &settings, NULL);
        CHECK_INT(m.rigid_count, 0);
        error[k] = frequency(&m, mode_along(&s, &m, 1)) / theory - 1.0;
        pl_mode_set_free(&m);
        free_sample(&s);
    }
    CHECK(fabs(error[2]) < 0.02);
    // theory leaves out what shear takes away, so the order shows between meshes
    double ratio = (error[0] - error[1]) / (error[1] - error[2]);
    CHECK(ratio > 3.0 && ratio < 5.0);
}

// ---------------------------------------------------------------- on disk

static void damage(const char* path, long at) {
    FILE* file = fopen(path, "r+b");
    CHECK(file != NULL);
    fseek(file, at, at < 0 ? SEEK_END : SEEK_SET);
    int byte = fgetc(file);
    fseek(file, -1, SEEK_CUR);
    fputc(byte ^ 0x40, file);
    fclose(file);
}

// The name of the one file in a folder of the test.
static void only_file(const char* folder, char* path, size_t size) {
    DIR* listing = opendir(folder);
    int count = 0;
    for (struct dirent* entry; listing && (entry = readdir(listing));)
        if (entry->d_name[0] != '.') {
            snprintf(path, size, "%s/%s", folder, entry->d_name);
            count++;
        }
    if (listing) closedir(listing);
    CHECK_INT(count, 1);
}

// The second time modes come from the file; one that is damaged is found out and replaced.
TEST(modes_are_kept_on_disk)
{
    sample s = make_sample(3, 3, 3, 0.03, false, false);
    pl_modes_problem problem = problem_of(&s);
    pl_modes_settings settings = {.count = 5, .tolerance = 1e-12};
    pl_mode_set found, kept;
    pl_error error = {0};
    char folder[512], path[1024];
    snprintf(folder, sizeof folder, "%s", pl_test_path("some/deep/cache"));
    CHECK_OK(pl_modes_find_cached(folder, &problem, &settings, NULL, &found, &error), &error);
    size_t size = (size_t)found.count * 3 * (size_t)found.vertex_count * sizeof(double);
    only_file(folder, path, sizeof path);
    CHECK(found.applications > 0);
    const long places[] = {0, 9, 100, -1};
    for (int k = 0; k <= 4; k++) {
        CHECK_OK(pl_modes_find_cached(folder, &problem, &settings, NULL, &kept, &error), &error);
        CHECK(kept.applications == 0); // nothing was solved
        CHECK(kept.count == found.count && kept.rigid_count == found.rigid_count);
        CHECK(memcmp(kept.shapes, found.shapes, size) == 0);
        CHECK(memcmp(kept.lambda, found.lambda, (size_t)found.count * sizeof(double)) == 0);
        pl_mode_set_free(&kept);
        if (k == 4) break;
        damage(path, places[k]);
        CHECK_OK(pl_modes_find_cached(folder, &problem, &settings, NULL, &kept, &error), &error);
        CHECK(kept.applications > 0 && memcmp(kept.shapes, found.shapes, size) == 0);
        pl_mode_set_free(&kept);
    }
    // another problem has another name
    settings.count = 4;
    CHECK_OK(pl_modes_find_cached(folder, &problem, &settings, NULL, &kept, &error), &error);
    CHECK(kept.applications > 0);
    pl_mode_set_free(&kept);
    pl_mode_set_free(&found);
    free_sample(&s);
}

// A file that cannot be read or written for want of memory is no error, if modes can be found.
TEST(modes_kept_on_disk_survive_every_failing_allocation)
{
    sample s = make_sample(2, 1, 1, 0.1, true, false);
    pl_modes_settings settings = {.count = 3, .tolerance = 1e-12};
    pl_modes_problem p = problem_of(&s);
    pl_mode_set truth;
    pl_error error;
    CHECK_OK(pl_modes_find(&p, &settings, NULL, &truth, &error), &error);
    size_t before = pl_byte_count(), size = 3 * sizeof(double);
    int failures = 0, successes = 0;
    for (int64_t nth = 1; successes < 5; nth++) {
        pl_mode_set m;
        pl_inject_failure(nth);
        pl_status status =
            pl_modes_find_cached(pl_test_path("cache"), &p, &settings, NULL, &m, &error);
        pl_inject_failure(0);
        if (status == PL_OK) {
            CHECK(m.count == 3 && memcmp(m.lambda, truth.lambda, size) == 0);
            pl_mode_set_free(&m);
            successes++;
        } else {
            CHECK(status == PL_ERROR_MEMORY);
            failures++;
        }
        CHECK(pl_byte_count() == before);
    }
    CHECK(failures > 0);
    pl_mode_set_free(&truth);
    free_sample(&s);
}
