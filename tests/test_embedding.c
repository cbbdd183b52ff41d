// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "base/memory.h"
#include "base/random.h"
#include "base/timer.h"
#include "math/mat3.h"
#include "mesh/embedding.h"
#include "mesh/quality.h"
#include "test.h"

#include <pliant/generate.h>

static pl_mesh* make(const char* name, double edge, double radius) {
    pl_generate_options options;
    pl_error error;
    pl_mesh* mesh;
    CHECK_OK(pl_generate_defaults(name, &options, &error), &error);
    options.edge = edge;
    if (radius > 0.0) options.radius = radius;
    CHECK_OK(pl_generate(name, &options, &mesh, &error), &error);
    return mesh;
}

static void move(const pl_mesh* mesh, pl_mat3 A, pl_vec3 shift, double* moved) {
    for (size_t v = 0; v < (size_t)mesh->vertex_count; v++) {
        pl_vec3 p = pl_vec3_load(mesh->positions + 3 * v);
        pl_vec3_store(moved + 3 * v, pl_add(pl_mat3_apply(&A, p), shift));
    }
}

// the largest distance between where the surface goes and where the same motion would take it
static double motion_error(const pl_mesh* solid, const pl_mesh* surface, pl_mat3 A, pl_vec3 shift) {
    pl_embedding* embedding;
    pl_error error;
    CHECK_OK(pl_embedding_create(solid, surface, NULL, &embedding, &error), &error);
    size_t solid_size = 3 * (size_t)solid->vertex_count;
    size_t size = 3 * (size_t)surface->vertex_count;
    double *moved = PL_ALLOC(double, solid_size), *expected = PL_ALLOC(double, size);
    double* found = PL_ALLOC(double, size);
    move(solid, A, shift, moved);
    move(surface, A, shift, expected);
    pl_embedding_deform(embedding, moved, NULL, found, NULL);
    double worst = 0.0;
    for (size_t i = 0; i < size; i++) worst = fmax(worst, fabs(found[i] - expected[i]));
    PL_FREE(moved, double, solid_size);
    PL_FREE(expected, double, size);
    PL_FREE(found, double, size);
    pl_embedding_destroy(embedding);
    return worst;
}

static pl_mat3 some_rotation(void) {
    double c = cos(2.0), s = sin(2.0);
    pl_mat3 about_z = {{c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0}};
    pl_mat3 about_x = {{1.0, 0.0, 0.0, 0.0, s, -c, 0.0, c, s}};
    return pl_mat3_mul(about_z, about_x);
}

TEST(embedding_follows_affine_motions_inside)
{
    pl_mesh *solid = make("sphere", 0.15, 0.5), *surface = make("icosphere", 0.05, 0.44);
    pl_mat3 A = {{1.3, 0.4, -0.2, 0.1, 0.7, 0.5, -0.3, 0.2, 1.9}};
    CHECK(motion_error(solid, surface, A, (pl_vec3){3.0, -2.0, 1.0}) < 4e-15);
    pl_mat3 flat = pl_mat3_diagonal(1.0, 1.0, 0.0), mirror = pl_mat3_diagonal(-1.0, 1.0, 1.0);
    CHECK(motion_error(solid, surface, flat, (pl_vec3){0.0, 0.0, 0.0}) < 1e-15);
    CHECK(motion_error(solid, surface, mirror, (pl_vec3){0.0, 0.0, 0.0}) < 1e-15);
    pl_mesh_destroy(solid);
    pl_mesh_destroy(surface);
}

TEST(embedding_follows_rigid_motions_outside)
{
    // finer than the solid and larger: partly, then wholly, outside
    for (int i = 0; i < 2; i++) {
        pl_mesh* solid = make("sphere", 0.25, 0.5);
        pl_mesh* surface = make("icosphere", 0.06, i ? 0.7 : 0.495);
        pl_embedding* embedding;
        pl_error error;
        CHECK_OK(pl_embedding_create(solid, surface, NULL, &embedding, &error), &error);
        pl_embedding_info info = pl_embedding_get_info(embedding);
        pl_embedding_destroy(embedding);
        CHECK_INT(info.vertex_count, surface->vertex_count);
        if (i) CHECK_INT(info.outside_count, surface->vertex_count);
        else CHECK(info.outside_count > 10 && info.outside_count < surface->vertex_count);
        if (i) CHECK(info.farthest_distance > 0.2 && info.farthest_distance < 0.3);
        CHECK(motion_error(solid, surface, some_rotation(), (pl_vec3){1.0, 2.0, 3.0}) < 5e-15);
        pl_mesh_destroy(solid);
        pl_mesh_destroy(surface);
    }
}

TEST(embedding_offsets_keep_their_length)
{
    // a solid stretched threefold carries what stands out of it without stretching it
    pl_mesh *solid = make("box", 0.3, 0.0), *surface;
    double spike[] = {1.5, 0.5, 0.5, 0.5, 0.5, 1.25, 0.5, 0.5, 0.5};
    pl_embedding* embedding;
    pl_error error;
    CHECK_OK(pl_mesh_create(spike, 3, NULL, 0, (int[]){0, 1, 2}, 1, &surface, &error), &error);
    CHECK_OK(pl_embedding_create(solid, surface, NULL, &embedding, &error), &error);
    CHECK_INT(pl_embedding_get_info(embedding).outside_count, 2);
    CHECK_INT(pl_embedding_get_info(embedding).farthest_vertex, 0);
    CHECK_NEAR(pl_embedding_get_info(embedding).farthest_distance, 0.5, 1e-15);
    size_t size = 3 * (size_t)solid->vertex_count;
    double *moved = PL_ALLOC(double, size), found[9], normals[9];
    move(solid, pl_mat3_diagonal(3.0, 1.0, 1.0), (pl_vec3){0.0, 0.0, 0.0}, moved);
    pl_embedding_deform(embedding, moved, NULL, found, normals);
    const double expected[] = {3.5, 0.5, 0.5, 1.5, 0.5, 1.25, 1.5, 0.5, 0.5};
    for (int i = 0; i < 9; i++) CHECK_NEAR(found[i], expected[i], 1e-14);
    for (int v = 0; v < 3; v++) CHECK_NEAR(normals[3 * v + 1], -1.0, 1e-15);
    // also where the solid is turned inside out or collapses, results are finite
    move(solid, pl_mat3_diagonal(0.0, 0.0, 0.0), (pl_vec3){1.0, 1.0, 1.0}, moved);
    pl_embedding_deform(embedding, moved, NULL, found, normals);
    for (int i = 0; i < 9; i++) CHECK(isfinite(found[i]) && isfinite(normals[i]));
    CHECK_NEAR(hypot(hypot(found[0] - 1.0, found[1] - 1.0), found[2] - 1.0), 0.5, 1e-14);
    PL_FREE(moved, double, size);
    pl_embedding_destroy(embedding);
    pl_mesh_destroy(surface);
    pl_mesh_destroy(solid);
}

TEST(embedding_finds_the_same_tet_as_a_search_of_all)
{
    pl_mesh* solid = make("torus", 0.2, 0.0);
    pl_random random = {5};
    pl_bvh tree = {0};
    pl_error error;
    CHECK_OK(pl_tet_tree_build(solid, &tree, &error), &error);
    int inside_count = 0;
    for (int i = 0; i < 300; i++) {
        pl_vec3 p = {pl_random_uniform(&random, -1.3, 1.3), pl_random_uniform(&random, -1.3, 1.3),
                     pl_random_uniform(&random, -0.3, 0.3)};
        pl_tet_point found = pl_tet_tree_find(solid, &tree, p);
        int holders = 0;
        bool among = false;
        for (int t = 0; t < solid->tet_count; t++) {
            pl_vec3 c[4];
            double w[4];
            pl_load_corners(solid->positions, solid->tets + 4 * (size_t)t, 4, c);
            CHECK(pl_barycentric(c, p, w));
            if (fmin(fmin(w[0], w[1]), fmin(w[2], w[3])) < 0.0) continue;
            holders++;
            among = among || t == found.tet;
        }
        CHECK(holders == 0 || among);
        CHECK(holders > 0 || found.tet < 0);
        inside_count += holders > 0;
    }
    CHECK(inside_count > 50 && inside_count < 250);
    pl_bvh_free(&tree);
    pl_mesh_destroy(solid);
}

TEST(embedding_normals_follow)
{
    pl_mesh *solid = make("sphere", 0.12, 0.5), *surface = make("icosphere", 0.05, 0.4);
    pl_embedding* embedding;
    pl_error error;
    CHECK_OK(pl_embedding_create(solid, surface, NULL, &embedding, &error), &error);
    size_t solid_size = 3 * (size_t)solid->vertex_count;
    size_t size = 3 * (size_t)surface->vertex_count;
    double *moved = PL_ALLOC(double, solid_size), *found = PL_ALLOC(double, size);
    double* normals = PL_ALLOC(double, size);
    // a sphere becomes an ellipsoid, whose normals are known: A^-T n
    move(solid, pl_mat3_diagonal(2.0, 1.0, 0.5), (pl_vec3){0.0, 0.0, 0.0}, moved);
    pl_embedding_deform(embedding, moved, NULL, found, normals);
    for (size_t v = 0; v < (size_t)surface->vertex_count; v++) {
        pl_vec3 p = pl_vec3_load(surface->positions + 3 * v);
        pl_vec3 n = pl_normalize((pl_vec3){p.x / 2.0, p.y, p.z / 0.5});
        CHECK(pl_distance(n, pl_vec3_load(normals + 3 * v)) < 0.03);
    }
    PL_FREE(moved, double, solid_size);
    PL_FREE(found, double, size);
    PL_FREE(normals, double, size);
    pl_embedding_destroy(embedding);
    pl_mesh_destroy(solid);
    pl_mesh_destroy(surface);
}

TEST(embedding_has_the_same_bits_on_every_pool)
{
    pl_mesh *solid = make("sphere", 0.12, 0.5), *surface = make("icosphere", 0.01, 0.499);
    size_t size = 3 * (size_t)surface->vertex_count;
    double* results[3];
    pl_error error;
    for (int threads = 0; threads < 3; threads++) {
        pl_pool* pool = NULL;
        pl_embedding* embedding;
        if (threads) CHECK_OK(pl_pool_create(2 * threads, &pool, &error), &error);
        CHECK_OK(pl_embedding_create(solid, surface, pool, &embedding, &error), &error);
        results[threads] = PL_ALLOC(double, 2 * size);
        pl_embedding_deform(embedding, solid->positions, pool, results[threads],
                            results[threads] + size);
        pl_embedding_destroy(embedding);
        pl_pool_destroy(pool);
        CHECK(memcmp(results[0], results[threads], 2 * size * sizeof(double)) == 0);
    }
    for (size_t i = 0; i < size; i++) CHECK_NEAR(results[0][i], surface->positions[i], 1e-15);
    for (int i = 0; i < 3; i++) PL_FREE(results[i], double, 2 * size);
    pl_mesh_destroy(solid);
    pl_mesh_destroy(surface);
}

TEST(embedding_refuses_what_it_cannot_use)
{
    pl_mesh *solid = make("sphere", 0.3, 0.5), *surface = make("icosphere", 0.2, 0.7), *twice;
    pl_embedding* embedding;
    pl_error error;
    CHECK_INT(pl_embedding_create(surface, surface, NULL, &embedding, &error), PL_ERROR_MESH);
    CHECK_TEXT(error.text, "has no tets");
    CHECK(!embedding);
    surface->positions[7] = NAN;
    CHECK_INT(pl_embedding_create(solid, surface, NULL, &embedding, &error), PL_ERROR_MESH);
    CHECK_TEXT(error.text, "vertex 2 of the surface is not finite");
    surface->positions[7] = 0.0;
    // every tet twice: no face is on the boundary
    int pair[] = {0, 1, 2, 3, 0, 1, 2, 3};
    double corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    CHECK_OK(pl_mesh_create(corners, 4, pair, 2, NULL, 0, &twice, &error), &error);
    CHECK_INT(pl_embedding_create(twice, surface, NULL, &embedding, &error), PL_ERROR_MESH);
    CHECK_TEXT(error.text, "is in no tet");
    // a flat tet still has a boundary to hold on to
    twice->positions[11] = 0.0;
    for (int i = 0; i < 4; i++) twice->tets[4 + i] = 0;
    CHECK_OK(pl_embedding_create(twice, surface, NULL, &embedding, &error), &error);
    CHECK_INT(pl_embedding_get_info(embedding).outside_count, surface->vertex_count);
    pl_embedding_destroy(embedding);
    pl_embedding_destroy(NULL);
    pl_mesh_destroy(twice);
    pl_mesh_destroy(solid);
    pl_mesh_destroy(surface);
}

LONG_TEST(embedding_of_a_large_surface)
{
    pl_mesh *solid = make("sphere", 0.025, 0.5), *surface = make("icosphere", 0.005, 0.49);
    pl_embedding* embedding;
    pl_error error;
    pl_pool* pool;
    CHECK_OK(pl_pool_create(2, &pool, &error), &error);
    double start = pl_seconds();
    CHECK_OK(pl_embedding_create(solid, surface, pool, &embedding, &error), &error);
    double create_seconds = pl_seconds() - start;
    size_t size = 3 * (size_t)surface->vertex_count;
    double *found = PL_ALLOC(double, size), *normals = PL_ALLOC(double, size);
    pl_embedding_deform(embedding, solid->positions, pool, found, normals);
    start = pl_seconds();
    pl_embedding_deform(embedding, solid->positions, pool, found, normals);
    printf("  %d vertices in %d tets: create %.3f s, deform with normals %.2f ms\n",
           surface->vertex_count, solid->tet_count, create_seconds, 1e3 * (pl_seconds() - start));
    PL_FREE(found, double, size);
    PL_FREE(normals, double, size);
    pl_embedding_destroy(embedding);
    pl_pool_destroy(pool);
    pl_mesh_destroy(solid);
    pl_mesh_destroy(surface);
}

TEST(embedding_survives_every_failing_allocation)
{
    pl_mesh *solid = make("sphere", 0.5, 0.5), *surface = make("icosphere", 0.4, 0.5);
    pl_embedding* embedding;
    pl_error error;
    size_t before = pl_byte_count();
    for (int64_t nth = 1;; nth++) {
        pl_inject_failure(nth);
        pl_status status = pl_embedding_create(solid, surface, NULL, &embedding, &error);
        pl_inject_failure(0);
        if (status == PL_OK) break;
        CHECK_INT(status, PL_ERROR_MEMORY);
        CHECK(!embedding);
        CHECK_INT(pl_byte_count(), before);
    }
    pl_embedding_destroy(embedding);
    pl_mesh_destroy(solid);
    pl_mesh_destroy(surface);
}
