// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The public multigrid solver on systems of all kinds.
#include "base/memory.h"
#include "base/random.h"
#include "mg_samples.h"
#include "sample_meshes.h"
#include "sparse/direct.h"

// in cubes of 1 m: stiffness counts ten times as much as inertia
static const mg_material rubber = {1e7, 0.3, 1000.0, 1.0 / 30.0, NULL};

static pl_mg_solver* create(const mg_sample* s, const pl_mg_def* def) {
    pl_error error;
    pl_mg_solver* solver;
    pl_mg_blocks A = mg_sample_blocks(s);
    CHECK_OK(pl_mg_create(def, &A, s->positions, &solver, &error), &error);
    return solver;
}

static pl_mg_info solve(const mg_sample* s, const pl_mg_def* def, double tolerance) {
    pl_mg_info info;
    pl_mg_solver* solver = create(s, def);
    memset(s->x, 0, 3 * (size_t)s->A.row_count * sizeof(double));
    pl_mg_solve(solver, s->b, s->x, tolerance, 500, &info);
    pl_mg_destroy(solver);
    return info;
}

// the largest difference from the direct solution, relative to its largest value
static double direct_error(const mg_sample* s) {
    pl_error error;
    pl_direct* direct;
    int count = 3 * s->A.row_count;
    double *x = PL_ALLOC(double, count), worst = 0.0, largest = 0.0;
    CHECK_OK(pl_direct_setup(&s->A, &direct, &error), &error);
    CHECK_OK(pl_direct_update(direct, &s->A, NULL, &error), &error);
    pl_direct_solve(direct, 1, s->b, x);
    for (int i = 0; i < count; i++) {
        worst = fmax(worst, fabs(x[i] - s->x[i]));
        largest = fmax(largest, fabs(x[i]));
    }
    pl_direct_destroy(direct);
    PL_FREE(x, double, count);
    return worst / largest;
}

static void check_solves(const mg_sample* s, pl_mg_def def) {
    for (int kind = 0; kind < 2; kind++) {
        def.conjugate_gradients = kind == 1;
        pl_mg_info info = solve(s, &def, 1e-11);
        CHECK(info.converged);
        CHECK(info.residual <= 1e-11);
        CHECK(direct_error(s) < 1e-8);
    }
}

LONG_TEST(mg_solver_equals_direct_solution)
{
    pl_mesh *box = sample_box(12, 5, 5), *sheet = sample_sheet(20, 20);
    mg_sample solid = mg_sample_create(box, &rubber, 1e4);
    mg_sample cloth = mg_sample_create(sheet, &rubber, 1e4);
    pl_mg_def def = pl_default_mg_def();
    check_solves(&solid, def);
    check_solves(&cloth, def);
    def.level_count = 2;
    def.levels = (const int[]){3, 20};
    check_solves(&solid, def);
    check_solves(&cloth, def);
    def.smoother = PL_SMOOTHER_JACOBI;
    def.pre_sweeps = def.post_sweeps = 2;
    check_solves(&solid, def);
    check_solves(&cloth, def);
    mg_sample_hold(&solid);
    mg_sample_hold(&cloth);
    def = pl_default_mg_def();
    check_solves(&solid, def);
    check_solves(&cloth, def);
    mg_sample_free(&solid);
    mg_sample_free(&cloth);
    pl_mesh_destroy(box);
    pl_mesh_destroy(sheet);
}

// a mesh of parts by x: soft below the middle, stiff above
static void two_materials(const pl_mesh* mesh, double stiff, double* contrast) {
    double low = INFINITY, high = -INFINITY;
    for (int v = 0; v < mesh->vertex_count; v++) {
        low = fmin(low, mesh->positions[3 * v]);
        high = fmax(high, mesh->positions[3 * v]);
    }
    for (int t = 0; t < mesh->tet_count; t++) {
        double x = 0.0;
        for (int k = 0; k < 4; k++) x += 0.25 * mesh->positions[3 * mesh->tets[4 * t + k]];
        contrast[t] = x > 0.5 * (low + high) ? stiff : 1.0;
    }
}

TEST(mg_solver_history_does_not_know_place_and_size)
{
    enum { LENGTH = 8 };
    static const double scales[4] = {1.0, 1.0, 1e-3, 1e3};
    pl_mesh* box = sample_box(14, 5, 5);
    float history[LENGTH] = {0};
    for (int k = 0; k < 4; k++) {
        double s = scales[k];
        pl_mesh* moved = sample_box(14, 5, 5);
        for (int i = 0; i < 3 * box->vertex_count; i++)
            moved->positions[i] = s * box->positions[i] + (k == 1 ? 1000.0 : 0.0);
        mg_material material = rubber;
        material.young *= s * s; // and the mass grows with s^3: the same matrix but for a factor
        mg_sample sample = mg_sample_create(moved, &material, 1e4 * s * s * s);
        pl_mg_def def = pl_default_mg_def();
        def.level_count = 2;
        def.levels = (const int[]){4, 25};
        def.conjugate_gradients = false;
        pl_mg_info info = solve(&sample, &def, 1e-9);
        CHECK(info.history_count > LENGTH);
        for (int i = 0; i < LENGTH; i++) {
            if (k == 0) history[i] = info.history[i];
            else CHECK_NEAR((double)info.history[i], (double)history[i], 0.05 * (double)history[i]);
        }
        mg_sample_free(&sample);
        pl_mesh_destroy(moved);
    }
    pl_mesh_destroy(box);
}

TEST(mg_solver_keeps_soft_and_stiff_apart)
{
    pl_mesh* box = sample_box(24, 8, 8);
    double* contrast = PL_ALLOC(double, box->tet_count);
    two_materials(box, 1e4, contrast);
    mg_material two = rubber;
    two.contrast = contrast;
    mg_sample same = mg_sample_create(box, &rubber, 1e5), mixed = mg_sample_create(box, &two, 1e5);
    pl_mg_def def = pl_default_mg_def();
    pl_mg_info homogeneous = solve(&same, &def, 1e-6), aware = solve(&mixed, &def, 1e-6);
    def.stiffness_aware = false;
    pl_mg_info plain = solve(&mixed, &def, 1e-6);
    CHECK(homogeneous.converged && aware.converged && plain.converged);
    CHECK(2 * aware.iterations <= 3 * homogeneous.iterations);
    CHECK(aware.iterations <= plain.iterations);
    mg_sample_free(&same);
    mg_sample_free(&mixed);
    PL_FREE(contrast, double, box->tet_count);
    pl_mesh_destroy(box);
}

// One of many random systems: solids and cloths, held and pinned, with contacts, slivers, jumps of
// stiffness, close to static or not.
static mg_sample random_system(pl_random* random, int* contact_count, pl_mg_diagonal* contacts) {
    bool cloth = pl_random_int(random, 4) == 0;
    int nx = 2 + pl_random_int(random, 5), ny = 1 + pl_random_int(random, 4);
    pl_mesh* mesh =
        cloth ? sample_sheet(nx + 2, ny + 3) : sample_box(nx, ny, 1 + pl_random_int(random, 4));
    double flatten = pl_random_int(random, 3) == 0 ? 0.02 : 1.0; // slivers
    for (int v = 0; v < mesh->vertex_count; v++) {
        mesh->positions[3 * v + 1] *= flatten;
        for (int c = 0; c < 3; c++)
            mesh->positions[3 * v + c] +=
                (c == 1 ? flatten : 1.0) * pl_random_uniform(random, -0.12, 0.12);
    }
    double* contrast = PL_ALLOC(double, mesh->tet_count);
    for (int t = 0; t < mesh->tet_count; t++) contrast[t] = 1.0;
    if (pl_random_int(random, 3) == 0)
        two_materials(mesh, pow(10.0, pl_random_uniform(random, -3, 3)), contrast);
    mg_material m = {.young = pow(10.0, pl_random_uniform(random, 3.0, 7.0)),
                     .poisson = pl_random_uniform(random, 0.0, 0.45),
                     .density = 1000.0,
                     .time_step = pow(10.0, pl_random_uniform(random, -2.5, -1.0)),
                     .contrast = contrast};
    mg_sample s = mg_sample_create(mesh, &m, pl_random_int(random, 2) ? 10.0 * m.young : 0.0);
    if (pl_random_int(random, 3) == 0) mg_sample_hold(&s);
    *contact_count = pl_random_int(random, 6);
    for (int k = 0; k < *contact_count; k++) {
        double n[3], stiffness = m.young * pow(10.0, pl_random_uniform(random, -1.0, 3.0));
        contacts[k].vertex = pl_random_int(random, s.A.row_count);
        for (int c = 0; c < 3; c++) n[c] = pl_random_uniform(random, -1.0, 1.0);
        for (int i = 0; i < 9; i++) contacts[k].block[i] = stiffness * n[i / 3] * n[i % 3];
    }
    PL_FREE(contrast, double, mesh->tet_count);
    pl_mesh_destroy(mesh);
    return s;
}

LONG_TEST(mg_solver_converges_on_a_thousand_random_systems)
{
    pl_random random = {2019};
    pl_error error;
    static const int two_levels[2] = {1, 6};
    int total = 0;
    for (int k = 0; k < 1000; k++) {
        int contact_count;
        pl_mg_diagonal contacts[6];
        mg_sample s = random_system(&random, &contact_count, contacts);
        pl_mg_def def = pl_default_mg_def();
        if (k % 5 == 1) def.smoother = PL_SMOOTHER_JACOBI;
        if (k % 3 == 1) def.level_count = 2, def.levels = two_levels;
        pl_mg_solver* solver = create(&s, &def);
        CHECK_OK(pl_mg_update_diagonal(solver, contacts, contact_count, &error), &error);
        pl_mg_info info;
        pl_mg_solve(solver, s.b, s.x, 1e-8, 400, &info);
        if (!info.converged)
            pl_test_fail(__FILE__, __LINE__, "system %d of %d vertices: %d iterations, %g", k,
                         s.A.row_count, info.iterations, info.residual);
        total += info.iterations;
        pl_mg_destroy(solver);
        mg_sample_free(&s);
    }
    CHECK(total < 20 * 1000);
}

TEST(mg_solver_takes_the_smallest_and_the_oddest)
{
    pl_mg_def def = pl_default_mg_def();
    pl_mesh *one = sample_box(1, 1, 1), *box = sample_box(3, 3, 3);
    pl_mesh *two = sample_join(box, box, 10.0), *line = sample_sheet(12, 1);
    pl_mesh* all[4] = {one, box, two, line};
    for (int k = 0; k < 4; k++)
        for (int levels = 0; levels < 3; levels++) {
            mg_sample s = mg_sample_create(all[k], &rubber, k == 1 ? 0.0 : 1e4);
            // chosen, as large as the mesh, and a single node
            int count = levels == 1 ? s.A.row_count : 1;
            def.level_count = levels > 0;
            def.levels = &count;
            check_solves(&s, def);
            mg_sample_free(&s);
        }
    for (int k = 0; k < 4; k++) pl_mesh_destroy(all[k]);
    // a single tet, and a single vertex
    static double positions[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static int tet[4] = {0, 1, 2, 3};
    pl_mesh single = {.vertex_count = 4, .positions = positions, .tet_count = 1, .tets = tet};
    mg_sample s = mg_sample_create(&single, &rubber, 0.0);
    def = pl_default_mg_def();
    check_solves(&s, def);
    mg_sample_free(&s);
    static const int offsets[2] = {0, 1}, columns[1] = {0};
    static const double values[9] = {2, 0, 0, 0, 4, 0, 0, 0, 5}, b[3] = {2, 8, 15};
    pl_mg_blocks A = {1, offsets, columns, values};
    pl_mg_solver* solver;
    pl_error error;
    double x[3] = {0};
    CHECK_OK(pl_mg_create(&def, &A, positions, &solver, &error), &error);
    pl_mg_solve(solver, b, x, 1e-12, 10, NULL);
    CHECK(fabs(x[0] - 1.0) < 1e-11 && fabs(x[1] - 2.0) < 1e-11 && fabs(x[2] - 3.0) < 1e-11);
    memset(x, 1, sizeof x);
    pl_mg_info info;
    pl_mg_solve(solver, (const double[3]){0, 0, 0}, x, 1e-12, 10, &info);
    CHECK(info.converged && x[0] == 0.0);
    pl_mg_destroy(solver);
}

TEST(mg_solver_goes_over_to_gradients_and_says_so)
{
    pl_mesh* box = sample_box(20, 3, 3);
    mg_material nearly = {1e7, 0.49, 1000.0, 1.0, NULL}; // cycles alone are slow here
    mg_sample s = mg_sample_create(box, &nearly, 1e8);
    pl_mg_def def = pl_default_mg_def();
    def.conjugate_gradients = false;
    pl_mg_info helped = solve(&s, &def, 1e-8);
    def.fallback = false;
    pl_mg_info alone = solve(&s, &def, 1e-8);
    CHECK(helped.converged && helped.switched);
    CHECK(!alone.switched && alone.iterations > 2 * helped.iterations);
    mg_sample_free(&s);
    s = mg_sample_create(box, &rubber, 1e4);
    def.fallback = true;
    pl_mg_info easy = solve(&s, &def, 1e-8);
    CHECK(easy.converged && !easy.switched);
    mg_sample_free(&s);
    pl_mesh_destroy(box);
}

// the solver has no cycle: it leaves x alone and says so
static void check_without_factor(pl_mg_solver* solver, const mg_sample* s) {
    pl_mg_info info;
    s->x[0] = 7.0;
    pl_mg_solve(solver, s->b, s->x, 1e-8, 100, &info);
    CHECK(info.indefinite && !info.converged && info.iterations == 0);
    CHECK(s->x[0] == 7.0);
}

TEST(mg_solver_says_if_the_coarsest_level_has_no_factor)
{
    pl_mesh* box = sample_box(6, 3, 3);
    mg_sample s = mg_sample_create(box, &rubber, 1e4);
    size_t count = 9 * (size_t)pl_block_matrix_entry_count(&s.A);
    double* bad = PL_ALLOC(double, count);
    pl_mg_def def = pl_default_mg_def();
    pl_mg_solver* solver = create(&s, &def);
    pl_mg_diagonal block = {.vertex = 3, .block = {-1e20, 0, 0, 0, -1e20, 0, 0, 0, -1e20}};
    pl_error error;
    pl_mg_info info;
    for (int kind = 0; kind < 3; kind++) { // negative, not finite, fine
        memcpy(bad, s.A.values, count * sizeof(double));
        for (size_t i = 0; i < count && kind == 0; i++) bad[i] = -bad[i];
        if (kind == 1) bad[9 * (size_t)s.A.diagonal[5]] = NAN;
        pl_status status = pl_mg_update(solver, bad, &error);
        CHECK_INT(status, kind == 2 ? PL_OK : PL_ERROR_DIVERGED);
        if (kind == 2) break;
        CHECK_TEXT(error.text, "not positive definite");
        check_without_factor(solver, &s);
    }
    CHECK_INT(pl_mg_update_diagonal(solver, &block, 1, &error), PL_ERROR_DIVERGED);
    check_without_factor(solver, &s);
    CHECK_OK(pl_mg_update_diagonal(solver, NULL, 0, &error), &error);
    memset(s.x, 0, 3 * (size_t)s.A.row_count * sizeof(double));
    pl_mg_solve(solver, s.b, s.x, 1e-11, 200, &info);
    CHECK(info.converged && direct_error(&s) < 1e-8);
    pl_mg_destroy(solver);
    PL_FREE(bad, double, count);
    mg_sample_free(&s);
    pl_mesh_destroy(box);
}

TEST(mg_solver_values_and_rest_positions_may_change)
{
    pl_mesh* box = sample_box(10, 4, 4);
    mg_sample s = mg_sample_create(box, &rubber, 1e4);
    pl_mg_def def = pl_default_mg_def();
    pl_mg_solver* solver = create(&s, &def);
    pl_mg_info first, info;
    pl_mg_solve(solver, s.b, s.x, 1e-9, 100, &first);
    int64_t bytes = pl_byte_count();
    for (int round = 0; round < 3; round++) {
        // another time step, then another rest shape
        mg_material material = rubber;
        material.time_step = 0.02 * (round + 1);
        for (int v = 0; v < box->vertex_count; v++) box->positions[3 * v + 1] *= 1.3;
        mg_sample next = mg_sample_create(box, &material, 1e4);
        memcpy(s.A.values, next.A.values,
               9 * (size_t)pl_block_matrix_entry_count(&s.A) * sizeof(double));
        pl_mg_move(solver, next.positions);
        pl_error error;
        CHECK_OK(pl_mg_update(solver, NULL, &error), &error);
        memset(s.x, 0, 3 * (size_t)s.A.row_count * sizeof(double));
        pl_mg_solve(solver, s.b, s.x, 1e-11, 200, &info);
        CHECK(info.converged && info.iterations < 4 * first.iterations);
        CHECK(direct_error(&s) < 1e-8);
        mg_sample_free(&next);
    }
    CHECK_INT(pl_byte_count(), bytes);
    CHECK(info.bytes > 0 && info.level_count >= 2 && info.node_counts[0] == s.A.row_count);
    pl_mg_destroy(solver);
    mg_sample_free(&s);
    pl_mesh_destroy(box);
}

// to 1e-7: gradients in float, which look at the true residual on their way and go on from it
TEST(mg_solver_gradients_have_the_same_bits_on_any_threads)
{
    pl_error error;
    pl_mesh* box = sample_box(40, 12, 12); // several blocks of rows
    mg_sample s = mg_sample_create(box, &rubber, 1e4);
    size_t count = 3 * (size_t)s.A.row_count;
    double* alone = PL_ALLOC(double, count);
    pl_mg_def def = pl_default_mg_def();
    def.conjugate_gradients = true;
    pl_mg_info info = solve(&s, &def, 1e-7);
    CHECK(info.converged);
    memcpy(alone, s.x, count * sizeof(double));
    for (int threads = 2; threads <= 4; threads++) {
        CHECK_OK(pl_pool_create(threads, &def.pool, &error), &error);
        pl_mg_info other = solve(&s, &def, 1e-7);
        CHECK(other.iterations == info.iterations);
        CHECK(memcmp(other.history, info.history, sizeof info.history) == 0);
        CHECK(memcmp(alone, s.x, count * sizeof(double)) == 0);
        pl_pool_destroy(def.pool);
    }
    PL_FREE(alone, double, count);
    mg_sample_free(&s);
    pl_mesh_destroy(box);
}

TEST(mg_solver_says_what_is_wrong_with_a_matrix)
{
    static const double values[36] = {0}, positions[6] = {0};
    static const struct {
        int offsets[3], columns[4];
        const char* message;
    } cases[] = {
        {{0, 1, 2}, {0, 0}, "row 1 has no diagonal block"},
        {{0, 2, 3}, {0, 1, 1}, "give both triangles"},
        {{0, 2, 4}, {1, 0, 0, 1}, "columns must ascend"},
        {{0, 2, 4}, {0, 7, 0, 1}, "column 7 is out of range"},
        {{1, 2, 4}, {0, 1, 0, 1}, "offsets do not begin with 0"},
    };
    pl_mg_def def = pl_default_mg_def();
    pl_mg_solver* solver;
    pl_error error;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        pl_mg_blocks A = {2, cases[k].offsets, cases[k].columns, values};
        CHECK(pl_mg_create(&def, &A, positions, &solver, &error) == PL_ERROR_ARGUMENT);
        CHECK_TEXT(error.text, cases[k].message);
        CHECK(!solver);
    }
    pl_mg_blocks A = {2, (const int[]){0, 2, 4}, (const int[]){0, 1, 0, 1}, values};
    CHECK(pl_mg_create(&def, &A, (const double[6]){NAN}, &solver, &error) == PL_ERROR_ARGUMENT);
    CHECK_TEXT(error.text, "vertex 0 is not finite");
    def.pre_sweeps = def.post_sweeps = 0;
    CHECK(pl_mg_create(&def, &A, positions, &solver, &error) == PL_ERROR_ARGUMENT);
    def = (pl_mg_def){0};
    CHECK(pl_mg_create(&def, &A, positions, &solver, &error) == PL_ERROR_ARGUMENT);
    CHECK_TEXT(error.text, "pl_default_mg_def");
}

TEST(mg_solver_survives_want_of_memory)
{
    pl_error error;
    pl_mesh* box = sample_box(4, 3, 3);
    mg_sample s = mg_sample_create(box, &rubber, 1e4);
    pl_mg_blocks A = mg_sample_blocks(&s);
    pl_mg_def def = pl_default_mg_def();
    pl_mg_diagonal pin = {3, {1e5, 0, 0, 0, 1e5, 0, 0, 0, 1e5}};
    pl_status status = PL_ERROR_MEMORY;
    for (int nth = 1; status != PL_OK; nth++) {
        pl_mg_solver* solver;
        pl_inject_failure(nth);
        status = pl_mg_create(&def, &A, s.positions, &solver, &error);
        if (status == PL_OK) status = pl_mg_update_diagonal(solver, &pin, 1, &error);
        pl_inject_failure(0);
        CHECK(status == PL_OK || status == PL_ERROR_MEMORY);
        CHECK(nth < 1000);
        pl_mg_destroy(solver);
    }
    mg_sample_free(&s);
    pl_mesh_destroy(box);
}
