// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Stiff parts in a soft body, 1e4 to 1, in several shapes: nodes that follow stiffness keep the
// iterations near to those of a body of one material on the same mesh, held in the same way: of the
// soft one, which takes 9 (the stiff one 11). (Halves side by side: test_multigrid_solver.)
#include "base/memory.h"
#include "base/random.h"
#include "elements/tet_elements.h"
#include "mg_samples.h"
#include "multigrid/block_multigrid.h"
#include "multigrid/scalar_multigrid.h"
#include "sample_meshes.h"

static const mg_material rubber = {1e7, 0.3, 1000.0, 1.0 / 30.0, NULL};
static const double STIFF = 1e4;

// true where the body is stiff; point: the middle of a tet, in elements
typedef bool (*is_stiff)(const double point[3]);
enum { LENGTH = 24, WIDTH = 9 };

// the upper half along the body
static bool in_layer(const double point[3]) { return point[1] > 0.5 * WIDTH; }
// a row of lumps that do not touch one another
static bool in_lumps(const double point[3]) {
    double x = fmod(3.0 * point[0] / LENGTH, 1.0) - 0.5;
    return hypot(hypot(x, point[1] / WIDTH - 0.5), point[2] / WIDTH - 0.5) < 0.3;
}
static bool in_bone(const double point[3]) {
    return hypot(point[1] / WIDTH - 0.5, point[2] / WIDTH - 0.5) < 0.25;
}
static bool in_shell(const double point[3]) {
    double depth = fmin(point[0], LENGTH - point[0]);
    for (int c = 1; c < 3; c++) depth = fmin(depth, fmin(point[c], WIDTH - point[c]));
    return depth < 1.5;
}
// across and along the body; each stiff one is one and a half elements thick
static bool in_sheets(const double point[3]) { return fmod(point[0], 3.0) < 1.5; }
static bool in_long_sheets(const double point[3]) { return fmod(point[1], 3.0) < 1.5; }
// one element thick, and so is the soft between them: every vertex is one of a stiff sheet
static bool in_single_sheets(const double point[3]) { return fmod(point[0], 2.0) < 1.0; }
// a sheet and its folds back and forth: one part, with something soft between its folds
static bool in_comb(const double point[3]) { return point[0] < 1.0 || fmod(point[1], 2.0) < 1.0; }
static bool in_rods(const double point[3]) {
    return fmod(point[1], 3.0) < 1.5 && fmod(point[2], 3.0) < 1.5;
}

static bool in_single_rods(const double point[3]) {
    return fmod(point[1], 2.0) < 1.0 && fmod(point[2], 2.0) < 1.0;
}
// cubes that do not touch one another, of the eight vertices of one element
static bool in_grains(const double point[3]) {
    bool inside = true;
    for (int c = 0; c < 3; c++) inside = inside && (int)point[c] % 3 == 1;
    return inside;
}

static void fill_contrast(const pl_mesh* mesh, is_stiff stiff, double factor, double* contrast) {
    for (int t = 0; t < mesh->tet_count; t++) {
        double point[3] = {0};
        for (int k = 0; k < 12; k++)
            point[k % 3] += 0.25 * mesh->positions[3 * mesh->tets[4 * t + k / 3] + k % 3];
        contrast[t] = stiff(point) ? factor : 1.0;
    }
}

static int iterations_of(const mg_sample* s, bool aware) {
    pl_mg_def def = pl_default_mg_def();
    def.stiffness_aware = aware;
    pl_error error;
    pl_mg_solver* solver;
    pl_mg_blocks A = mg_sample_blocks(s);
    CHECK_OK(pl_mg_create(&def, &A, s->positions, &solver, &error), &error);
    memset(s->x, 0, 3 * (size_t)s->A.row_count * sizeof(double));
    pl_mg_info info;
    pl_mg_solve(solver, s->b, s->x, 1e-6, 500, &info);
    CHECK(info.converged);
    pl_mg_destroy(solver);
    return info.iterations;
}

static mg_sample create_sample(is_stiff stiff, double factor) {
    pl_mesh* box = sample_box(LENGTH, WIDTH, WIDTH);
    double* contrast = PL_ALLOC(double, box->tet_count);
    fill_contrast(box, stiff, factor, contrast);
    mg_material two = rubber;
    two.contrast = contrast;
    mg_sample mixed = mg_sample_create(box, &two, 1e5);
    PL_FREE(contrast, double, box->tet_count);
    pl_mesh_destroy(box);
    return mixed;
}

static bool nowhere(const double point[3]) { return point[0] < 0.0; }

// at most so many times the iterations of the soft body, and this part of plain sampling's
static void check_shape(is_stiff stiff, double most_ratio, double most_of_plain) {
    mg_sample same = create_sample(nowhere, STIFF), mixed = create_sample(stiff, STIFF);
    int homogeneous = iterations_of(&same, true), aware = iterations_of(&mixed, true);
    int plain = iterations_of(&mixed, false);
    CHECK(aware <= most_ratio * homogeneous);
    CHECK(aware <= most_of_plain * plain);
    mg_sample_free(&same);
    mg_sample_free(&mixed);
}

// iterations, plain sampling: 10, 16
TEST(mg_contrast_stiff_layer)
{ check_shape(in_layer, 1.25, 0.75); }
// 11, 57
LONG_TEST(mg_contrast_stiff_lumps)
{ check_shape(in_lumps, 1.35, 0.25); }
// 10, 18
TEST(mg_contrast_stiff_bone)
{ check_shape(in_bone, 1.25, 0.7); }
// 12, 21
TEST(mg_contrast_stiff_shell)
{ check_shape(in_shell, 1.5, 0.7); }
// 15, 268
LONG_TEST(mg_contrast_thin_sheets)
{ check_shape(in_sheets, 1.8, 0.07); }
// 16, 208
LONG_TEST(mg_contrast_thin_sheets_along_the_body)
{ check_shape(in_long_sheets, 1.9, 0.1); }
// 14, 328
LONG_TEST(mg_contrast_sheets_of_one_element)
{ check_shape(in_single_sheets, 1.7, 0.06); }
// 20, 250
LONG_TEST(mg_contrast_folded_sheet)
{ check_shape(in_comb, 2.4, 0.1); }
// 16, 303
LONG_TEST(mg_contrast_thin_rods)
{ check_shape(in_rods, 1.9, 0.07); }
// 34, 389
LONG_TEST(mg_contrast_rods_of_one_element)
{ check_shape(in_single_rods, 4.0, 0.12); }
// 13, 178
LONG_TEST(mg_contrast_grains_of_one_element)
{ check_shape(in_grains, 1.6, 0.1); }

static pl_status setup_levels(const mg_sample* s, bool aware, pl_smoother smoother, pl_pool* pool,
                              pl_block_mg** mg, pl_error* error) {
    pl_mg_settings settings = {
        .smoother = smoother, .pre_sweeps = 1, .post_sweeps = 1, .stiffness_aware = aware};
    pl_mg_blocks A = mg_sample_blocks(s);
    pl_status status = pl_block_mg_setup(mg, &A, s->positions, &settings, pool, error);
    if (status == PL_OK) pl_block_mg_update(*mg, &A);
    return status;
}

// nodes of the first level with vertices of two sheets that are one element thick; every vertex
// belongs to one
static int count_mixed_nodes(const mg_sample* s, bool aware) {
    pl_error error;
    pl_block_mg* mg;
    CHECK_OK(setup_levels(s, aware, PL_SMOOTHER_GAUSS_SEIDEL, NULL, &mg, &error), &error);
    const pl_mg_transfer* t = &mg->hierarchy.transfers[0];
    int mixed = 0;
    for (int node = 0; node < t->coarse_count; node++) {
        int least = LENGTH, most = 0;
        for (int k = t->child_offsets[node]; k < t->child_offsets[node + 1]; k++) {
            int x = (int)(mg->positions[3 * t->children[k]] + 0.5);
            int sheet = (x < LENGTH ? x : LENGTH - 1) / 2; // what lies soft at the end may follow
            least = sheet < least ? sheet : least;
            most = sheet > most ? sheet : most;
        }
        mixed += least < most;
    }
    pl_block_mg_destroy(mg);
    return mixed;
}

TEST(mg_contrast_nodes_hold_vertices_of_one_stiff_part)
{
    mg_sample s = create_sample(in_single_sheets, STIFF);
    CHECK(count_mixed_nodes(&s, false) > 30);
    CHECK_INT(count_mixed_nodes(&s, true), 0);
    mg_sample_free(&s);
}

// Elements of bad shape are no jump of stiffness: the same levels, the same bits.
TEST(mg_contrast_bodies_of_one_material_stay_as_they_are)
{
    static const double heights[3] = {1.0, 0.2, 0.05};
    pl_random random = {3};
    for (int k = 0; k < 3; k++) {
        pl_mesh* box = sample_box(16, 7, 7);
        for (int i = 0; i < 3 * box->vertex_count; i++) {
            box->positions[i] += pl_random_uniform(&random, -0.15, 0.15);
            if (i % 3 == 1) box->positions[i] *= heights[k];
        }
        mg_sample s = mg_sample_create(box, &rubber, 1e5);
        pl_error error;
        pl_block_mg *aware, *plain;
        CHECK_OK(setup_levels(&s, true, PL_SMOOTHER_GAUSS_SEIDEL, NULL, &aware, &error), &error);
        CHECK_OK(setup_levels(&s, false, PL_SMOOTHER_GAUSS_SEIDEL, NULL, &plain, &error), &error);
        CHECK(!aware->uneven);
        CHECK_INT(aware->hierarchy.node_counts[1], plain->hierarchy.node_counts[1]);
        CHECK(memcmp(aware->hierarchy.transfers[0].parent, plain->hierarchy.transfers[0].parent,
                     (size_t)s.A.row_count * sizeof(int)) == 0);
        pl_block_mg_destroy(aware);
        pl_block_mg_destroy(plain);
        mg_sample_free(&s);
        pl_mesh_destroy(box);
    }
}

static double dot(int count, const double* a, const double* b) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

// The steps on the first coarse level leave the cycle a symmetric operator, up to the round-off of
// floats, which grows with the contrast: stiff forces of a part that moves as a whole add up to
// nothing.
TEST(mg_contrast_cycle_is_symmetric_and_positive)
{
    static const pl_smoother smoothers[2] = {PL_SMOOTHER_GAUSS_SEIDEL, PL_SMOOTHER_JACOBI};
    mg_sample s = create_sample(in_sheets, 100.0);
    int count = 3 * s.A.row_count;
    double *u = PL_ALLOC(double, 4 * (size_t)count), *v = u + count, *Mu = v + count,
           *Mv = Mu + count;
    pl_random random = {11};
    for (int i = 0; i < 2 * count; i++) u[i] = pl_random_uniform(&random, -1.0, 1.0);
    for (int k = 0; k < 2; k++) {
        pl_error error;
        pl_block_mg* mg;
        CHECK_OK(setup_levels(&s, true, smoothers[k], NULL, &mg, &error), &error);
        CHECK(mg->step != NULL);
        pl_block_mg_apply(mg, u, Mu);
        pl_block_mg_apply(mg, v, Mv);
        double square = dot(count, u, Mu) * dot(count, v, Mv);
        CHECK(dot(count, u, Mu) > 0.0 && dot(count, v, Mv) > 0.0);
        CHECK_NEAR(dot(count, Mu, v), dot(count, u, Mv), 1e-5 * sqrt(square));
        pl_block_mg_destroy(mg);
    }
    PL_FREE(u, double, 4 * (size_t)count);
    mg_sample_free(&s);
}

TEST(mg_contrast_same_bits_for_any_threads)
{
    mg_sample s = create_sample(in_rods, STIFF);
    int count = 3 * s.A.row_count;
    double *first = PL_ALLOC(double, count), *other = PL_ALLOC(double, count);
    for (int threads = 1; threads <= 4; threads *= 2) {
        pl_error error;
        pl_pool* pool;
        pl_block_mg* mg;
        CHECK_OK(pl_pool_create(threads, &pool, &error), &error);
        CHECK_OK(setup_levels(&s, true, PL_SMOOTHER_GAUSS_SEIDEL, pool, &mg, &error), &error);
        pl_block_mg_apply(mg, s.b, threads == 1 ? first : other);
        CHECK(threads == 1 || memcmp(first, other, (size_t)count * sizeof(double)) == 0);
        pl_block_mg_destroy(mg);
        pl_pool_destroy(pool);
    }
    PL_FREE(first, double, count);
    PL_FREE(other, double, count);
    mg_sample_free(&s);
}

TEST(mg_contrast_survives_want_of_memory)
{
    mg_sample s = create_sample(in_lumps, STIFF);
    pl_status status = PL_ERROR_MEMORY;
    // every allocation of the first ones, then every twentieth
    for (int nth = 1; status != PL_OK; nth += nth < 60 ? 1 : 20) {
        pl_error error;
        pl_block_mg* mg;
        pl_inject_failure(nth);
        status = setup_levels(&s, true, PL_SMOOTHER_GAUSS_SEIDEL, NULL, &mg, &error);
        pl_inject_failure(0);
        CHECK(status == PL_OK || status == PL_ERROR_MEMORY);
        CHECK(nth < 1000);
        pl_block_mg_destroy(mg);
    }
    mg_sample_free(&s);
}

// the matrix of Projective Dynamics of the same box, with the structure of a sample
static void fill_projective(is_stiff stiff, pl_block_matrix* A) {
    pl_error error;
    pl_mesh* box = sample_box(LENGTH, WIDTH, WIDTH);
    double* contrast = PL_ALLOC(double, box->tet_count);
    pl_material* materials = PL_ALLOC(pl_material, box->tet_count);
    fill_contrast(box, stiff, STIFF, contrast);
    for (int e = 0; e < box->tet_count; e++)
        materials[e] = (pl_material){.kind = PL_MATERIAL_ARAP, .mu = 4e6 * contrast[e]};
    pl_element_set set;
    CHECK_OK(pl_tet_elements_setup(&set, box->positions, box->vertex_count, box->tets,
                                   box->tet_count, materials, &error),
             &error);
    CHECK_OK(pl_element_set_locate(&set, A, &error), &error);
    pl_element_set_projective(&set, NULL, A);
    for (int i = 0; i < A->row_count; i++) A->values[A->diagonal[i]] += 9e5;
    pl_element_set_free(&set);
    PL_FREE(materials, pl_material, box->tet_count);
    PL_FREE(contrast, double, box->tet_count);
    pl_mesh_destroy(box);
}

static int projective_iterations(is_stiff stiff, bool aware) {
    pl_error error;
    mg_sample s = create_sample(nowhere, 1.0);
    pl_edges edges;
    pl_adjacency graph;
    pl_mesh* box = sample_box(LENGTH, WIDTH, WIDTH);
    CHECK_OK(pl_edges_create(box->tets, box->tet_count, 4, box->vertex_count, &edges, &error),
             &error);
    CHECK_OK(pl_vertex_neighbours(&edges, box->vertex_count, &graph, &error), &error);
    pl_block_matrix A;
    CHECK_OK(pl_block_matrix_setup(&A, box->vertex_count, 1, graph.offsets, graph.items, &error),
             &error);
    fill_projective(stiff, &A);
    pl_scalar_mg_options options = {.half_sweeps = 2, .stiffness_aware = aware};
    pl_scalar_mg* mg;
    CHECK_OK(pl_scalar_mg_setup(&A, s.positions, &options, NULL, &mg, &error), &error);
    CHECK_OK(pl_scalar_mg_update(mg, s.positions, NULL, &error), &error);
    pl_linear_options solve = {.tolerance = 1e-6, .max_iterations = 500};
    pl_linear_info info = {0};
    pl_scalar_mg_solve(mg, true, &solve, s.b, s.x, &info);
    CHECK(info.converged);
    pl_scalar_mg_destroy(mg);
    pl_block_matrix_free(&A);
    pl_adjacency_free(&graph);
    pl_edges_free(&edges);
    pl_mesh_destroy(box);
    mg_sample_free(&s);
    return info.iterations;
}

// 7 iterations in one material; 8, 8, 7 and 10 here; plain sampling: 9, 9, 67 and 82
LONG_TEST(mg_contrast_projective_dynamics)
{
    static const is_stiff shapes[4] = {in_layer, in_bone, in_sheets, in_rods};
    static const double most_ratio[4] = {1.3, 1.3, 1.2, 1.5};
    static const double most_of_plain[4] = {1.0, 1.0, 0.15, 0.15};
    int homogeneous = projective_iterations(nowhere, true);
    for (int k = 0; k < 4; k++) {
        int aware = projective_iterations(shapes[k], true);
        CHECK(aware <= most_ratio[k] * homogeneous);
        CHECK(aware <= most_of_plain[k] * projective_iterations(shapes[k], false));
    }
}
