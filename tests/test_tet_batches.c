// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Tets in float batches against the double elements.
#include "base/memory.h"
#include "base/random.h"
#include "elements/tet_elements.h"
#include "elements/tet_batches.h"
#include "fem_samples.h"
#include "sample_meshes.h"

// a box of tets with stiffness that differs by a factor of 100, as double elements and as batches
typedef struct sample {
    pl_mesh* mesh;
    pl_material* materials;
    pl_element_set elements;
    pl_tet_batches batches;
    pl_block_matrix A;
    double* x;        // 3 per vertex
    double* expected; // gradient
    float* x4;
    float* gradient;
    float* blocks;
} sample;

static void fill_materials(const pl_mesh* mesh, pl_material_kind kind, pl_material* materials) {
    pl_random random = {.state = 11};
    for (int e = 0; e < mesh->tet_count; e++)
        materials[e] = (pl_material){.kind = kind,
                                     .mu = pow(10.0, pl_random_uniform(&random, 3.0, 5.0)),
                                     .lambda = pow(10.0, pl_random_uniform(&random, 3.0, 5.0)),
                                     .rivlin = pl_random_uniform(&random, 0.0, 1.0)};
}

static void create_matrix(const pl_mesh* mesh, pl_block_matrix* A) {
    pl_adjacency neighbours = sample_graph(mesh);
    pl_error error;
    CHECK_OK(pl_block_matrix_setup(A, mesh->vertex_count, 3, neighbours.offsets, neighbours.items,
                                   &error),
             &error);
    pl_adjacency_free(&neighbours);
}

static sample create_sample(pl_mesh* mesh, pl_material_kind kind) {
    sample s = {.mesh = mesh,
                .materials = PL_ALLOC(pl_material, mesh->tet_count),
                .x = PL_ALLOC(double, 3 * mesh->vertex_count),
                .expected = PL_ALLOC(double, 3 * mesh->vertex_count),
                .x4 = PL_ALLOC(float, 4 * mesh->vertex_count),
                .gradient = PL_ALLOC(float, 4 * mesh->vertex_count)};
    pl_error error;
    fill_materials(mesh, kind, s.materials);
    CHECK_OK(pl_tet_elements_setup(&s.elements, mesh->positions, mesh->vertex_count, mesh->tets,
                                   mesh->tet_count, s.materials, &error),
             &error);
    CHECK_OK(pl_tet_batches_setup(&s.batches, kind, mesh->positions, mesh->vertex_count, mesh->tets,
                                  mesh->tet_count, s.materials, NULL, &error),
             &error);
    CHECK_INT(s.batches.tet_count, mesh->tet_count);
    create_matrix(mesh, &s.A);
    CHECK_OK(pl_element_set_locate(&s.elements, &s.A, &error), &error);
    CHECK_OK(pl_tet_batches_locate(&s.batches, NULL, &s.A, &error), &error);
    s.blocks = PL_ALLOC(float, 9 * pl_block_matrix_entry_count(&s.A));
    return s;
}

static void free_sample(sample* s) {
    PL_FREE(s->materials, pl_material, s->mesh->tet_count);
    PL_FREE(s->x, double, 3 * s->mesh->vertex_count);
    PL_FREE(s->expected, double, 3 * s->mesh->vertex_count);
    PL_FREE(s->x4, float, 4 * s->mesh->vertex_count);
    PL_FREE(s->gradient, float, 4 * s->mesh->vertex_count);
    PL_FREE(s->blocks, float, 9 * pl_block_matrix_entry_count(&s->A));
    pl_element_set_free(&s->elements);
    pl_tet_batches_free(&s->batches);
    pl_block_matrix_free(&s->A);
    pl_mesh_destroy(s->mesh);
}

typedef enum state { REST, ROTATED, STRETCHED, INVERTED, STATE_COUNT } state;

// far from the origin of the world, so that float needs one of its own
static const double origin[3] = {1000.0, -2000.0, 500.0};

static void deform(sample* s, state kind) {
    static const double stretches[STATE_COUNT][3] = {
        {1.0, 1.0, 1.0}, {1.0, 1.0, 1.0}, {1.3, 0.8, 1.1}, {1.1, 0.9, -0.5}};
    pl_mat3 R = pl_quat_to_mat3((pl_quat){0.48, -0.36, 0.64, 0.48});
    pl_mat3 F = pl_mat3_diagonal(stretches[kind][0], stretches[kind][1], stretches[kind][2]);
    if (kind != REST) F = pl_mat3_mul(R, F);
    double noise = kind == STRETCHED || kind == INVERTED ? 0.005 : 0.0;
    pl_random random = {.state = 5};
    for (int v = 0; v < s->mesh->vertex_count; v++) {
        pl_vec3 p = pl_mat3_apply(&F, pl_vec3_load(s->mesh->positions + 3 * v));
        p = pl_add(p, pl_vec3_load(origin));
        pl_vec3_store(s->x + 3 * v, p);
        for (int c = 0; c < 3; c++) s->x[3 * v + c] += noise * pl_random_normal(&random);
    }
    pl_float4_from_points(NULL, s->x, s->mesh->vertex_count, origin, s->x4);
    memset(s->expected, 0, 3 * sizeof(double) * (size_t)s->mesh->vertex_count);
    pl_element_set_gradient(&s->elements, NULL, s->x, s->expected);
}

// the stiffest block's diagonal: a force for each metre
static double stiffness(sample* s) {
    pl_block_matrix_zero(&s->A);
    pl_element_set_hessian(&s->elements, NULL, s->x, true, 1.0, &s->A);
    double most = 0.0;
    for (int k = 0; k < 9 * pl_block_matrix_entry_count(&s->A); k++)
        most = fmax(most, fabs(s->A.values[k]));
    return most;
}

static void clear_gradient(sample* s) {
    memset(s->gradient, 0, 4 * sizeof(float) * (size_t)s->mesh->vertex_count);
}

static double gradient_error(const sample* s) {
    double worst = 0.0;
    for (int v = 0; v < s->mesh->vertex_count; v++)
        for (int c = 0; c < 3; c++) {
            double off = fabs(s->gradient[4 * v + c] - s->expected[3 * v + c]);
            worst = off <= worst ? worst : off; // also takes NaN
        }
    return worst;
}

static double mixed_error(sample* s, double scale, double projected) {
    pl_block_matrix_zero(&s->A);
    pl_element_set_hessian(&s->elements, NULL, s->x, true, scale * projected, &s->A);
    pl_element_set_hessian(&s->elements, NULL, s->x, false, scale * (1.0 - projected), &s->A);
    double worst = 0.0;
    for (int k = 0; k < 9 * pl_block_matrix_entry_count(&s->A); k++) {
        double off = fabs(s->blocks[k] - s->A.values[k]);
        worst = off <= worst ? worst : off;
    }
    return worst;
}

static double matrix_error(sample* s, double scale) { return mixed_error(s, scale, 1.0); }

// Rounding moves positions (of size 1) by up to 6e-8: the bounds are a few times what that does to
// forces, and to stiffness through an F that is off by some 1e-6.
TEST(tet_batches_equal_the_double_elements)
{
    for (int kind = 0; kind < PL_MATERIAL_COUNT; kind++) {
        sample s = create_sample(fem_box(1.0, 0.7, 0.5, 7, 5, 3), (pl_material_kind)kind);
        for (int k = 0; k < STATE_COUNT; k++) {
            if (k == INVERTED && pl_material_needs_volume((pl_material_kind)kind)) continue;
            deform(&s, (state)k);
            double stiff = stiffness(&s);
            clear_gradient(&s);
            pl_tet_batches_gradient(&s.batches, NULL, s.x4, s.gradient);
            CHECK_NEAR(gradient_error(&s) / stiff, 0.0, 2e-7);
            memset(s.blocks, 0, 9 * sizeof(float) * (size_t)pl_block_matrix_entry_count(&s.A));
            pl_tet_batches_hessian(&s.batches, NULL, s.x4, 0.5f, 1.0f, s.blocks);
            CHECK_NEAR(matrix_error(&s, 0.5) / stiff, 0.0, 2e-6);
        }
        free_sample(&s);
    }
}

TEST(tet_batches_are_projected_in_part)
{
    for (int kind = 0; kind < PL_MATERIAL_COUNT; kind++) {
        sample s = create_sample(fem_box(1.0, 0.7, 0.5, 7, 5, 3), (pl_material_kind)kind);
        for (int k = 0; k < STATE_COUNT; k++) {
            if (k == INVERTED && pl_material_needs_volume((pl_material_kind)kind)) continue;
            deform(&s, (state)k);
            for (int quarters = 0; quarters < 4; quarters++) {
                float part = 0.25f * (float)quarters;
                memset(s.blocks, 0, 9 * sizeof(float) * (size_t)pl_block_matrix_entry_count(&s.A));
                pl_tet_batches_hessian(&s.batches, NULL, s.x4, 1.0f, part, s.blocks);
                CHECK_NEAR(mixed_error(&s, 1.0, (double)part) / stiffness(&s), 0.0, 4e-6);
            }
        }
        free_sample(&s);
    }
}

TEST(tet_batches_add_to_what_is_there)
{
    sample s = create_sample(fem_box(1.0, 0.7, 0.5, 3, 2, 2), PL_MATERIAL_STABLE_NEOHOOKEAN);
    deform(&s, STRETCHED);
    double stiff = stiffness(&s);
    for (int v = 0; v < s.mesh->vertex_count; v++) s.gradient[4 * v + 3] = (float)v;
    for (int k = 0; k < 2; k++) pl_tet_batches_gradient(&s.batches, NULL, s.x4, s.gradient);
    for (int k = 0; k < 2; k++)
        pl_tet_batches_hessian(&s.batches, NULL, s.x4, 1.0f, 1.0f, s.blocks);
    for (int i = 0; i < 3 * s.mesh->vertex_count; i++) s.expected[i] *= 2.0;
    CHECK_NEAR(gradient_error(&s) / stiff, 0.0, 2e-7);
    CHECK_NEAR(matrix_error(&s, 2.0) / stiff, 0.0, 2e-6);
    for (int v = 0; v < s.mesh->vertex_count; v++) CHECK(s.gradient[4 * v + 3] == (float)v);
    free_sample(&s);
}

static double warm_error(sample* s, int calls) {
    for (int k = 0; k < calls; k++) {
        clear_gradient(s);
        pl_tet_batches_gradient_warm(&s->batches, NULL, s->x4, s->gradient);
    }
    return gradient_error(s);
}

TEST(tet_batches_warm_gradient_converges_to_the_exact_one)
{
    static const pl_material_kind kinds[] = {PL_MATERIAL_ARAP, PL_MATERIAL_COROTATED};
    for (int i = 0; i < 2; i++) {
        sample s = create_sample(fem_box(1.0, 0.7, 0.5, 7, 5, 3), kinds[i]);
        for (int k = 0; k < STATE_COUNT; k++) {
            deform(&s, (state)k);
            CHECK_NEAR(warm_error(&s, 30) / stiffness(&s), 0.0, 2e-7);
        }
        // a small turn from there: one iteration is enough
        deform(&s, STRETCHED);
        warm_error(&s, 30);
        for (int v = 0; v < s.mesh->vertex_count; v++) s.x[3 * v] += 0.01 * s.x[3 * v + 1];
        double shift[3] = {origin[0] + 0.01 * origin[1], origin[1], origin[2]};
        pl_float4_from_points(NULL, s.x, s.mesh->vertex_count, shift, s.x4);
        memset(s.expected, 0, 3 * sizeof(double) * (size_t)s.mesh->vertex_count);
        pl_element_set_gradient(&s.elements, NULL, s.x, s.expected);
        CHECK_NEAR(warm_error(&s, 1) / stiffness(&s), 0.0, 2e-7);
        free_sample(&s);
    }
}

TEST(tet_batches_recover_from_positions_that_are_no_numbers)
{
    sample s = create_sample(fem_box(1.0, 0.7, 0.5, 3, 2, 2), PL_MATERIAL_COROTATED);
    deform(&s, STRETCHED);
    warm_error(&s, 30);
    float good = s.x4[5];
    s.x4[5] = NAN;
    warm_error(&s, 2);
    s.x4[5] = good;
    CHECK_NEAR(warm_error(&s, 1) / stiffness(&s), 0.0, 2e-7);
    free_sample(&s);
}

// marks[v]: the last chunk seen there, + 1
static void check_apart(const pl_tet_batches* set, int chunk, int* marks, bool first_of_colour,
                        int vertex_count) {
    if (first_of_colour) memset(marks, 0, sizeof(int) * (size_t)vertex_count);
    int begin = chunk * set->chunks.size, end = begin + set->chunks.size;
    for (int b = begin; b < end && b < set->batch_count; b++)
        for (int k = 0; k < 4 * PL_LANES; k++) {
            int* mark = &marks[set->batches[b].corners[k / PL_LANES][k % PL_LANES]];
            CHECK(*mark == 0 || *mark == chunk + 1);
            *mark = chunk + 1;
        }
}

TEST(tet_batches_chunks_of_a_colour_share_no_vertex)
{
    sample s = create_sample(fem_box(2.0, 1.0, 1.0, 16, 8, 8), PL_MATERIAL_ARAP);
    const pl_adjacency* colours = &s.batches.chunks.colours.groups;
    int* marks = PL_ALLOC(int, s.mesh->vertex_count);
    int chunk_count = 0;
    for (int c = 0; c < colours->count; c++)
        for (int k = colours->offsets[c]; k < colours->offsets[c + 1]; k++, chunk_count++)
            check_apart(&s.batches, colours->items[k], marks, k == colours->offsets[c],
                        s.mesh->vertex_count);
    CHECK(chunk_count > 32);
    CHECK(chunk_count * s.batches.chunks.size >= s.batches.batch_count);
    PL_FREE(marks, int, s.mesh->vertex_count);
    free_sample(&s);
}

TEST(tet_batches_give_the_same_bits_on_any_threads)
{
    sample s = create_sample(fem_box(2.0, 1.0, 1.0, 16, 8, 8), PL_MATERIAL_COROTATED);
    CHECK(s.batches.chunks.colours.groups.count > 1);
    deform(&s, STRETCHED);
    size_t gradient_size = 4 * sizeof(float) * (size_t)s.mesh->vertex_count;
    size_t block_count = 9 * (size_t)pl_block_matrix_entry_count(&s.A);
    pl_tet_batches_gradient(&s.batches, NULL, s.x4, s.gradient);
    clear_gradient(&s);
    pl_tet_batches_gradient_warm(&s.batches, NULL, s.x4, s.gradient);
    pl_tet_batches_hessian(&s.batches, NULL, s.x4, 1.0f, 1.0f, s.blocks);
    float* gradient = PL_ALLOC(float, gradient_size / sizeof(float));
    float* blocks = PL_ALLOC(float, block_count);
    for (int threads = 1; threads <= 4; threads *= 2) {
        pl_pool* pool;
        pl_error error;
        CHECK_OK(pl_pool_create(threads, &pool, &error), &error);
        // from the same starts
        pl_tet_batches again;
        CHECK_OK(pl_tet_batches_setup(&again, PL_MATERIAL_COROTATED, s.mesh->positions,
                                      s.mesh->vertex_count, s.mesh->tets, s.mesh->tet_count,
                                      s.materials, NULL, &error),
                 &error);
        CHECK_OK(pl_tet_batches_locate(&again, pool, &s.A, &error), &error);
        memset(gradient, 0, gradient_size);
        pl_tet_batches_gradient(&again, pool, s.x4, gradient);
        memset(gradient, 0, gradient_size);
        memset(blocks, 0, block_count * sizeof(float));
        pl_tet_batches_gradient_warm(&again, pool, s.x4, gradient);
        pl_tet_batches_hessian(&again, pool, s.x4, 1.0f, 1.0f, blocks);
        CHECK(memcmp(gradient, s.gradient, gradient_size) == 0);
        CHECK(memcmp(blocks, s.blocks, block_count * sizeof(float)) == 0);
        pl_tet_batches_free(&again);
        pl_pool_destroy(pool);
    }
    PL_FREE(gradient, float, gradient_size / sizeof(float));
    PL_FREE(blocks, float, block_count);
    free_sample(&s);
}

TEST(tet_batches_of_two_laws_make_one_body)
{
    sample s = create_sample(fem_box(1.0, 0.7, 0.5, 4, 3, 2), PL_MATERIAL_COROTATED);
    pl_element_set_free(&s.elements);
    pl_tet_batches_free(&s.batches);
    for (int e = 0; e < s.mesh->tet_count; e += 3)
        s.materials[e].kind = PL_MATERIAL_STABLE_NEOHOOKEAN;
    pl_error error;
    CHECK_OK(pl_tet_elements_setup(&s.elements, s.mesh->positions, s.mesh->vertex_count,
                                   s.mesh->tets, s.mesh->tet_count, s.materials, &error),
             &error);
    CHECK_OK(pl_element_set_locate(&s.elements, &s.A, &error), &error);
    deform(&s, STRETCHED);
    int count = 0;
    for (int kind = 0; kind < PL_MATERIAL_COUNT; kind++) {
        CHECK_OK(pl_tet_batches_setup(&s.batches, (pl_material_kind)kind, s.mesh->positions,
                                      s.mesh->vertex_count, s.mesh->tets, s.mesh->tet_count,
                                      s.materials, NULL, &error),
                 &error);
        CHECK_OK(pl_tet_batches_locate(&s.batches, NULL, &s.A, &error), &error);
        pl_tet_batches_gradient(&s.batches, NULL, s.x4, s.gradient);
        pl_tet_batches_hessian(&s.batches, NULL, s.x4, 1.0f, 1.0f, s.blocks);
        count += s.batches.tet_count;
        pl_tet_batches_free(&s.batches);
    }
    CHECK_INT(count, s.mesh->tet_count);
    double stiff = stiffness(&s);
    CHECK_NEAR(gradient_error(&s) / stiff, 0.0, 2e-7);
    CHECK_NEAR(matrix_error(&s, 1.0) / stiff, 0.0, 2e-6);
    free_sample(&s);
}

TEST(tet_batches_name_a_flat_tet)
{
    sample s = create_sample(fem_box(1.0, 1.0, 1.0, 2, 1, 1), PL_MATERIAL_ARAP);
    int* tet = s.mesh->tets + 4 * 3;
    int first = tet[0];
    tet[0] = tet[1], tet[1] = first;
    pl_tet_batches set;
    pl_error error;
    CHECK_INT(pl_tet_batches_setup(&set, PL_MATERIAL_ARAP, s.mesh->positions, s.mesh->vertex_count,
                                   s.mesh->tets, s.mesh->tet_count, s.materials, NULL, &error),
              PL_ERROR_MESH);
    CHECK_TEXT(error.text, "tet 3 ");
    CHECK(!set.batches);
    free_sample(&s);
}

TEST(tet_batches_survive_every_failing_allocation)
{
    sample s = create_sample(fem_box(1.0, 1.0, 1.0, 3, 2, 2), PL_MATERIAL_MOONEY_RIVLIN);
    for (int nth = 1;; nth++) {
        pl_tet_batches set;
        pl_error error;
        int64_t before = pl_byte_count();
        pl_inject_failure(nth);
        pl_status status = pl_tet_batches_setup(&set, PL_MATERIAL_MOONEY_RIVLIN, s.mesh->positions,
                                                s.mesh->vertex_count, s.mesh->tets,
                                                s.mesh->tet_count, s.materials, NULL, &error);
        if (status == PL_OK) status = pl_tet_batches_locate(&set, NULL, &s.A, &error);
        bool all_done = pl_inject_failure(0) < nth;
        CHECK_INT(status, all_done ? PL_OK : PL_ERROR_MEMORY);
        pl_tet_batches_free(&set);
        CHECK_INT(pl_byte_count(), before);
        if (all_done) break;
        CHECK(nth < 100);
    }
    free_sample(&s);
}
