// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Method mixed from a scene on: what runs and what is refused, volumes, locking, the compressible
// limit, states and threads.
#include "base/memory.h"
#include "run_samples.h"
#include "test.h"

#include <pliant/pliant.h>
#include <stdarg.h>
#include <stdio.h>

// The falling box of run_samples.h by method mixed, with more changes: path, value, ..., NULL.
static pl_scene* mixed_scene(const char* text, ...) {
    pl_scene* scene = sample_scene(text);
    pl_error error;
    CHECK_OK(pl_scene_set(scene, "bodies[0].method", "mixed", &error), &error);
    va_list list;
    va_start(list, text);
    for (const char* path; (path = va_arg(list, const char*));)
        CHECK_OK(pl_scene_set(scene, path, va_arg(list, const char*), &error), &error);
    va_end(list);
    return scene;
}

static pl_world* start(pl_scene* scene) {
    pl_world* world = sample_world(scene);
    pl_scene_destroy(scene);
    return world;
}

// of the tets of body 0, by that at rest
static double volume_ratio(pl_world* world) {
    const pl_mesh* mesh = pl_world_mesh(world, 0);
    const double* x = pl_world_positions(world, 0);
    double sums[2] = {0.0};
    for (int e = 0; e < mesh->tet_count; e++)
        for (int k = 0; k < 2; k++) {
            const double* from = k ? x : mesh->positions;
            double a[3][3];
            for (int i = 0; i < 9; i++)
                a[i / 3][i % 3] = from[3 * mesh->tets[4 * e + 1 + i / 3] + i % 3] -
                                  from[3 * mesh->tets[4 * e] + i % 3];
            sums[k] += a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) -
                       a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
                       a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
        }
    return sums[1] / sums[0];
}

TEST(mixed_runs_by_changing_one_key)
{
    static const char* const laws[] = {"linear",     "corotated",         "stvk",
                                       "neohookean", "stable_neohookean", "mooney_rivlin"};
    static const char* const integrators[] = {"euler", "bdf2", "midpoint"};
    for (int k = 0; k < 6; k++) {
        pl_world* world = start(mixed_scene(sample_falling_box, "bodies[0].material.law", laws[k],
                                            "bodies[0].integrator", integrators[k % 3], NULL));
        pl_frame_info info;
        sample_step(world, 14, &info);
        const double* x = pl_world_positions(world, 0);
        CHECK(x[1] < 0.15 && x[1] > -0.05);
        CHECK_INT(info.unconverged_count, 0);
        pl_world_destroy(world);
    }
}

TEST(mixed_linearised_steps_stay_sound)
{
    static const char* const poissons[] = {"0.3", "0.49", "0.5"};
    for (int k = 0; k < 3; k++) {
        pl_world* world = start(mixed_scene(sample_falling_box, "bodies[0].nonlinear", "linearised",
                                            "bodies[0].material.poisson", poissons[k], NULL));
        for (int frame = 0; frame < 30; frame++) {
            sample_step(world, 1, NULL);
            CHECK_NEAR(volume_ratio(world), 1.0, k == 0 ? 0.2 : 0.02);
        }
        pl_world_destroy(world);
    }
}

TEST(mixed_refuses_by_name_what_it_cannot_do)
{
    static const struct {
        const char *path, *value, *message;
    } cases[] = {
        {"bodies[0].material.law", "arap", "\"arap\" does not go with method \"mixed\""},
        {"bodies[0].material.law", "springs", "\"springs\" does not go with method \"mixed\""},
        {"bodies[0].nonlinear", "projective", "\"projective\" does not go with method \"mixed\""},
        {"bodies[0].kind", "cloth", "\"cloth\" does not go with method \"mixed\""},
        {"bodies[0].material.poisson", "-0.1", "is below 0"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        pl_scene* scene = mixed_scene(sample_falling_box, cases[k].path, cases[k].value, NULL);
        pl_world* world;
        pl_error error;
        CHECK(pl_world_create(scene, &world, NULL, &error) != PL_OK);
        CHECK_TEXT(error.text, cases[k].message);
        pl_scene_destroy(scene);
    }
    pl_scene* scene = sample_scene(sample_falling_box);
    pl_error error;
    pl_world* world;
    CHECK_OK(pl_scene_set(scene, "bodies[0].material.poisson", "0.5", &error), &error);
    CHECK(pl_world_create(scene, &world, NULL, &error) != PL_OK);
    CHECK_TEXT(error.text, "only method \"mixed\" can do");
    pl_scene_destroy(scene);
}

// A slab that is glued to the ground and pressed by its weight. How much it gives way is measured
// by its elastic energy, half the work of the weight.
static const char slab[] = // with room for the edge
    "{\"pliant\": 1, \"frames\": 1, \"gravity\": [0, -1, 0], \"bodies\": [{\"name\": \"slab\", "
    "\"generate\": {\"shape\": \"box\", \"size_x\": 0.6, \"size_y\": 0.2, \"size_z\": 0.6, "
    "\"edge\": %g}, \"integrator\": \"quasistatic\", \"linear\": \"direct\", "
    "\"material\": {\"young\": 1e5, \"poisson\": 0.3, \"density\": 1000}}], \"attachments\": "
    "[{\"body\": \"slab\", \"where\": {\"box\": {\"min\": [-1, -0.01, -1], \"max\": [1, 0.01, "
    "1]}}}]}";

static double give(const char* method, const char* poisson, double edge, const char* stabilize) {
    char text[1024];
    snprintf(text, sizeof text, slab, edge);
    pl_world* world =
        start(mixed_scene(text, "bodies[0].method", method, "bodies[0].material.poisson", poisson,
                          "bodies[0].mixed.stabilize", stabilize, NULL));
    pl_frame_info info;
    sample_step(world, 1, &info);
    CHECK_INT(info.unconverged_count, 0);
    pl_world_destroy(world);
    return info.elastic_energy;
}

// 1.88e-3 J is what mixed tets of edge 0.035 have, at 0.4999
TEST(mixed_gives_way_where_fem_locks)
{
    double locked = give("fem", "0.4999", 0.1, "full"),
           mixed = give("mixed", "0.4999", 0.1, "full");
    double unstabilised = give("mixed", "0.4999", 0.1, "matrix");
    CHECK(locked < 0.5 * mixed);
    CHECK(mixed > 0.9 * 1.88e-3 && mixed < 1.88e-3);
    CHECK(unstabilised > locked && unstabilised < mixed);
    CHECK_NEAR(give("mixed", "0.5", 0.1, "full"), mixed, 1e-3 * mixed);
}

// At a Poisson's ratio of 0.3 both methods go to the same answer as the mesh gets finer.
TEST(mixed_is_fem_in_the_compressible_limit)
{
    double coarse = give("mixed", "0.3", 0.1, "full") / give("fem", "0.3", 0.1, "full") - 1.0;
    double fine = give("mixed", "0.3", 0.05, "full") / give("fem", "0.3", 0.05, "full") - 1.0;
    CHECK(coarse > 0.0 && fine > 0.0 && fine < 0.02 && fine < 0.6 * coarse);
}

// A bar whose ends are turned against each other, three quarters of a turn in all.
static const char twisted[] =
    "{\"pliant\": 1, \"frames\": 6, \"fps\": 6, \"gravity\": [0, 0, 0], \"threads\": 1, "
    "\"bodies\": [{\"name\": \"bar\", \"generate\": {\"shape\": \"bar\", \"size_x\": 0.3, "
    "\"size_y\": 0.1, \"size_z\": 0.1, \"edge\": 0.05}, \"integrator\": \"quasistatic\", "
    "\"iterations\": 40, \"material\": {\"young\": 1e5, \"poisson\": 0.5}}], \"attachments\": "
    "[{\"body\": \"bar\", \"where\": {\"side\": \"-x\"}}, {\"body\": \"bar\", \"where\": "
    "{\"side\": \"+x\"}, \"motion\": {\"spin_axis\": [1, 0, 0], \"spin_rate\": 270}}]}";

TEST(mixed_keeps_the_volume_of_a_twisted_bar)
{
    static const char* const poissons[] = {"0.4999", "0.5"};
    for (int k = 0; k < 4; k++) {
        pl_world* world =
            start(mixed_scene(twisted, "bodies[0].material.poisson", poissons[k % 2],
                              "bodies[0].mixed.stabilize", k < 2 ? "full" : "matrix", NULL));
        for (int frame = 0; frame < 6; frame++) {
            pl_frame_info info;
            sample_step(world, 1, &info);
            CHECK_INT(info.unconverged_count, 0);
            CHECK_NEAR(volume_ratio(world), 1.0, k % 2 ? 2e-6 : 2e-4);
        }
        pl_world_destroy(world);
    }
}

TEST(mixed_has_the_same_bits_on_any_threads)
{
    uint64_t hashes[2];
    for (int k = 0; k < 2; k++) {
        pl_world* world = start(mixed_scene(sample_falling_box, "threads", k ? "3" : "1",
                                            "bodies[0].material.poisson", "0.499", NULL));
        sample_step(world, 12, NULL);
        hashes[k] = sample_world_hash(world);
        pl_world_destroy(world);
    }
    CHECK(hashes[0] == hashes[1]);
}

TEST(mixed_goes_on_from_a_saved_state_to_the_same_bits)
{
    for (int k = 0; k < 2; k++) {
        const char* text = k ? twisted : sample_falling_box;
        pl_world* world =
            start(mixed_scene(text, "bodies[0].material.poisson", "0.49",
                              "bodies[0].mixed.stabilize", k ? "matrix" : "full", NULL));
        sample_step(world, 3, NULL);
        size_t size = pl_world_state_size(world);
        void* state = pl_alloc(size);
        pl_error error;
        pl_world_state_save(world, state);
        sample_step(world, 2, NULL);
        uint64_t hash = sample_world_hash(world);
        pl_world_destroy(world);
        world = start(mixed_scene(text, "bodies[0].material.poisson", "0.49",
                                  "bodies[0].mixed.stabilize", k ? "matrix" : "full", NULL));
        CHECK_OK(pl_world_state_load(world, state, size, &error), &error);
        sample_step(world, 2, NULL);
        CHECK(sample_world_hash(world) == hash);
        pl_world_destroy(world);
        pl_free(state, size);
    }
}
