// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "pbd_samples.h"
#include "base/memory.h"
#include "base/random.h"
#include "mesh/mesh_object.h"
#include "run_samples.h"
#include "test.h"

#include <pliant/generate.h>
#include <stdlib.h>
#include <string.h>

static pl_mesh* generate(const char* name, const pl_generate_options* options) {
    pl_error error;
    pl_mesh* mesh;
    CHECK_OK(pl_generate(name, options, &mesh, &error), &error);
    return mesh;
}

static pl_generate_options defaults(const char* name) {
    pl_error error;
    pl_generate_options options;
    CHECK_OK(pl_generate_defaults(name, &options, &error), &error);
    return options;
}

pl_mesh* pbd_cloth(int columns, int rows) {
    pl_generate_options options = defaults("cloth");
    options.count_x = columns, options.count_y = rows;
    options.size_x = options.size_y = 1.0;
    return generate("cloth", &options);
}

pl_mesh* pbd_irregular_cloth(int side) {
    pl_generate_options options = defaults("cloth_irregular");
    options.size_x = options.size_y = 1.0;
    options.edge = 1.0 / side;
    return generate("cloth_irregular", &options);
}

pl_mesh* pbd_box(int cells) {
    pl_generate_options options = defaults("box");
    options.size_x = options.size_y = options.size_z = 1.0;
    options.edge = 1.0 / cells;
    return generate("box", &options);
}

pl_mesh* pbd_two_cloths(int side) {
    pl_mesh *one = pbd_irregular_cloth(side), *two;
    pl_error error;
    int n = one->vertex_count, m = one->triangle_count;
    double* positions = malloc(6 * (size_t)n * sizeof(double));
    int* triangles = malloc(6 * (size_t)m * sizeof(int));
    CHECK(positions && triangles);
    for (int v = 0; v < 2 * n; v++)
        for (int i = 0; i < 3; i++)
            positions[3 * v + i] = one->positions[3 * (v % n) + i] + (v >= n && i == 0 ? 2 : 0);
    for (int k = 0; k < 6 * m; k++)
        triangles[k] = one->triangles[k % (3 * m)] + (k >= 3 * m ? n : 0);
    CHECK_OK(pl_mesh_create(positions, 2 * n, NULL, 0, triangles, 2 * m, &two, &error), &error);
    free(positions), free(triangles);
    pl_mesh_destroy(one);
    return two;
}

pl_body pbd_body(void) {
    pl_body body = pl_default_body();
    body.name = "sample";
    body.method = PL_METHOD_PBD;
    body.pbd.bend = 0.0;
    body.pbd.model = PL_PBD_STIFFNESS;
    return body;
}

pbd_sample pbd_sample_create(pl_mesh* mesh, const pl_body* body, pl_pool* pool) {
    pbd_sample s = {.mesh = mesh, .body = *body};
    pl_error error;
    bool is_cloth = mesh->tet_count == 0;
    int count = is_cloth ? mesh->triangle_count : mesh->tet_count;
    pl_element_material* materials = PL_ALLOC(pl_element_material, count);
    s.force = PL_ALLOC(double, 3 * (size_t)mesh->vertex_count);
    CHECK(materials && s.force);
    for (int e = 0; e < count; e++)
        materials[e] = (pl_element_material){.law = body->material.law,
                                             .density = is_cloth ? 0.2 : 1000.0,
                                             .mu = 1e4,
                                             .lambda = 1e4,
                                             .bend = 1e-5};
    pl_method_body method_body = {
        .body = body, .mesh = mesh, .is_cloth = is_cloth, .materials = materials};
    CHECK_OK(
        pl_pbd_system_create(&method_body, 1, mesh->vertex_count, pool, &s.system, NULL, &error),
        &error);
    PL_FREE(materials, pl_element_material, count);
    return s;
}

void pbd_sample_free(pbd_sample* s) {
    pl_pbd_system_destroy(s->system);
    PL_FREE(s->force, double, 3 * (size_t)s->mesh->vertex_count);
    pl_mesh_destroy(s->mesh);
}

void pbd_sample_step(pbd_sample* s, double time_step, const pl_pin* pins, int pin_count) {
    pl_method_step step = {
        .time_step = time_step, .force = s->force, .pins = pins, .pin_count = pin_count};
    pl_method_info info;
    pl_error error;
    CHECK_OK(pl_pbd_system_step(s->system, &step, &info, &error), &error);
}

bool pbd_fails_at(const pl_scene* scene, int64_t nth, int step_count, bool* done) {
    pl_world* world = NULL;
    pl_error error;
    pl_inject_failure(nth);
    pl_status status = pl_world_create(scene, &world, NULL, &error);
    uint64_t before = 0;
    for (int k = 0; k < step_count && status == PL_OK; k++) {
        before = sample_world_hash(world);
        status = pl_world_step(world, NULL, &error);
    }
    *done = pl_inject_failure(0) < nth;
    if (status != PL_OK) {
        CHECK_INT(status, PL_ERROR_MEMORY);
        if (world) {
            CHECK(sample_world_hash(world) == before);
            pbd_world_step(world, 1);
        }
    }
    pl_world_destroy(world);
    return status != PL_OK;
}

pl_vec3 pbd_momentum(const pbd_sample* s) {
    pl_vec3 sum = {0, 0, 0};
    for (int v = 0; v < s->mesh->vertex_count; v++)
        sum = pl_madd(sum, s->system->mass[v], pl_vec3_load(s->system->velocities + 3 * v));
    return sum;
}

pl_vec3 pbd_angular_momentum(const pbd_sample* s) {
    pl_vec3 sum = {0, 0, 0};
    for (int v = 0; v < s->mesh->vertex_count; v++)
        sum = pl_madd(sum, s->system->mass[v],
                      pl_cross(pl_vec3_load(s->system->positions + 3 * v),
                               pl_vec3_load(s->system->velocities + 3 * v)));
    return sum;
}

void pbd_shake(pbd_sample* s, double amount, uint64_t seed) {
    pl_random random = {seed};
    for (int i = 0; i < 3 * s->mesh->vertex_count; i++)
        s->system->velocities[i] = amount * pl_random_normal(&random);
}

pl_scene* pbd_scene(const char* text, const char* const* overrides, int count) {
    pl_scene* scene;
    pl_error error;
    const char* path = pl_test_path("pbd.json");
    pl_test_write_file(path, text, strlen(text));
    CHECK_OK(pl_scene_read(path, overrides, count, &scene, NULL, &error), &error);
    return scene;
}

pl_world* pbd_world(const char* text, const char* const* overrides, int count) {
    pl_scene* scene = pbd_scene(text, overrides, count);
    pl_world* world = sample_world(scene);
    pl_scene_destroy(scene);
    return world;
}

void pbd_world_step(pl_world* world, int count) {
    pl_error error;
    for (int k = 0; k < count; k++) CHECK_OK(pl_world_step(world, NULL, &error), &error);
}
