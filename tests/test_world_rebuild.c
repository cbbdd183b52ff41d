// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Numbers that are set without a curve, and methods and solvers that change between frames.
#include "base/memory.h"
#include "math/vec3.h"
#include "run_samples.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char held_box[] =
    "{\"pliant\": 1, \"bodies\": [{\"name\": \"box\", \"generate\": {\"shape\": \"box\",\n"
    " \"size_x\": 0.4, \"size_y\": 0.1, \"size_z\": 0.1, \"edge\": 0.05},\n"
    " \"integrator\": \"euler\", \"material\": {\"young\": 2e4, \"poisson\": 0.4}}],\n"
    " \"attachments\": [{\"body\": \"box\", \"where\": {\"side\": \"-x\"}}]}";
static const char held_sheet[] =
    "{\"pliant\": 1, \"bodies\": [{\"name\": \"sheet\", \"generate\": {\"shape\": \"cloth\",\n"
    " \"size_x\": 0.4, \"size_y\": 0.4, \"edge\": 0.1}, \"method\": \"%s\", \"transform\": "
    "{\"rotate\": [90, 0, 0]},\n"
    " \"material\": {\"law\": \"springs\", \"bend\": 0, \"shear\": 0}}],\n"
    " \"attachments\": [{\"body\": \"sheet\", \"where\": {\"side\": \"-x\"}}]}";
static const char free_box[] =
    "{\"pliant\": 1, \"time_step\": 0.01, \"gravity\": [0, -10, 0], \"bodies\": [{\"name\": "
    "\"box\",\n"
    " \"generate\": {\"shape\": \"box\", \"size_x\": 0.2, \"size_y\": 0.2, \"size_z\": 0.2,\n"
    "  \"edge\": 0.1}, \"velocity\": [1, 0, 0], \"grid\": {\"cell\": 0.05}, \"pbd\": "
    "{\"substeps\": 1}, \"material\": "
    "{\"young\": 2e4}, \"integrator\": \"euler\"}]}";
static const char two_boxes[] =
    "{\"pliant\": 1, \"bodies\": [{\"name\": \"a\", \"generate\": {\"shape\": \"box\", \"edge\": "
    "0.1,\n"
    " \"size_x\": 0.2, \"size_y\": 0.1, \"size_z\": 0.1}, \"integrator\": \"euler\", "
    "\"material\": {\"young\": 2e4}},\n"
    " {\"name\": \"b\", \"generate\": {\"shape\": \"box\", \"size_x\": 0.2, \"size_y\": 0.1,\n"
    " \"size_z\": 0.1, \"edge\": 0.1}, \"transform\": {\"translate\": [0, 0, 1]},\n"
    " \"integrator\": \"euler\", \"material\": {\"young\": 2e4}}],\n"
    " \"attachments\": [{\"body\": \"a\", \"where\": {\"side\": \"-x\"}},\n"
    " {\"body\": \"b\", \"where\": {\"side\": \"-x\"}}]}";

static void change(pl_world* world, const char* text) {
    pl_error error = {0};
    CHECK_OK(pl_world_change(world, &text, 1, NULL, &error), &error);
}

static double farthest(pl_world* a, pl_world* b, int body) {
    const double *x = pl_world_positions(a, body), *y = pl_world_positions(b, body);
    double most = 0.0;
    for (int i = 0; i < 3 * pl_world_mesh(a, body)->vertex_count; i++)
        most = fmax(most, fabs(x[i] - y[i]));
    return most;
}

// how far a number that is set after some frames takes the body from where it would be, and from
// where a world goes whose scene has a curve for it
static void check_set(const char* text, const char* path, double value, double moves) {
    pl_scene *plain = sample_scene(text), *curved = sample_scene(text);
    pl_world* alone = sample_world(plain);
    pl_error error = {0};
    pl_curve curve = pl_default_curve();
    curve.key_count = 2;
    const double keys[4] = {0.0, value, 1.0, value}; // ready from the start; set back below
    curve.keys = keys;
    CHECK_OK(pl_scene_animate(curved, path, &curve, &error), &error);
    pl_world *set = sample_world(plain), *ready = sample_world(curved);
    sample_step(set, 4, NULL);
    sample_step(alone, 4, NULL);
    // the curved world takes over the motion of the others
    for (int k = 0; k < 2; k++) {
        double* to = k ? pl_world_velocities(ready, 0) : pl_world_positions(ready, 0);
        const double* from = k ? pl_world_velocities(set, 0) : pl_world_positions(set, 0);
        memcpy(to, from, 3 * (size_t)pl_world_mesh(set, 0)->vertex_count * sizeof(double));
    }
    CHECK_OK(pl_world_set(set, path, value, &error), &error);
    sample_step(set, 6, NULL);
    sample_step(alone, 6, NULL);
    sample_step(ready, 6, NULL);
    if (farthest(set, ready, 0) > 1e-6)
        pl_test_fail(__FILE__, __LINE__, "%s: %g m from the curve", path, farthest(set, ready, 0));
    if (farthest(set, alone, 0) < moves)
        pl_test_fail(__FILE__, __LINE__, "%s: moves %g m only", path, farthest(set, alone, 0));
    pl_world_destroy(set);
    pl_world_destroy(alone);
    pl_world_destroy(ready);
    pl_scene_destroy(plain);
    pl_scene_destroy(curved);
}

TEST(world_sets_numbers_without_a_curve)
{
    char sheet[1024];
    check_set(held_box, "bodies[0].material.young", 2e5, 1e-3);
    check_set(held_box, "bodies[0].material.poisson", 0.0, 1e-5);
    check_set(held_box, "bodies[0].material.density", 4e3, 1e-3);
    check_set(held_box, "bodies[0].damping.mass", 50.0, 1e-3);
    check_set(held_box, "bodies[0].damping.stiffness", 0.1, 1e-3);
    snprintf(sheet, sizeof sheet, held_sheet, "fem");
    check_set(sheet, "bodies[0].material.bend", 1.0, 1e-4);
    check_set(sheet, "bodies[0].material.stretch", 50.0, 1e-5);
    snprintf(sheet, sizeof sheet, held_sheet, "pbd");
    check_set(sheet, "bodies[0].material.bend", 1.0, 1e-4);
}

// a checkpoint with such a number goes on in a fresh world to the same bits
TEST(world_set_number_is_in_the_state)
{
    pl_scene* scene = sample_scene(held_box);
    pl_world *first = sample_world(scene), *second = sample_world(scene);
    pl_error error = {0};
    sample_step(first, 4, NULL);
    CHECK_OK(pl_world_set(first, "bodies[0].material.young", 2e5, &error), &error);
    sample_step(first, 3, NULL);
    size_t size = pl_world_state_size(first);
    void* state = malloc(size);
    pl_world_state_save(first, state);
    CHECK_OK(pl_world_state_load(second, state, size, &error), &error);
    sample_step(first, 5, NULL);
    sample_step(second, 5, NULL);
    CHECK(sample_world_hash(first) == sample_world_hash(second));
    free(state);
    pl_world_destroy(first);
    pl_world_destroy(second);
    pl_scene_destroy(scene);
}

// damping belongs to a system: a body that gets its own leaves the other as it was
TEST(world_sets_damping_of_one_body)
{
    pl_scene* scene = sample_scene(two_boxes);
    pl_world *one = sample_world(scene), *none = sample_world(scene);
    pl_error error = {0};
    sample_step(one, 2, NULL);
    sample_step(none, 2, NULL);
    CHECK_OK(pl_world_set(one, "bodies[1].damping.mass", 60.0, &error), &error);
    sample_step(one, 6, NULL);
    sample_step(none, 6, NULL);
    CHECK(farthest(one, none, 1) > 1e-3);
    CHECK(farthest(one, none, 0) < 1e-6);
    pl_world_destroy(one);
    pl_world_destroy(none);
    pl_scene_destroy(scene);
}

static pl_vec3 mean_of(const double* x, int count) {
    pl_vec3 sum = {0, 0, 0};
    for (int i = 0; i < count; i++) {
        sum.x += x[3 * i] / count;
        sum.y += x[3 * i + 1] / count;
        sum.z += x[3 * i + 2] / count;
    }
    return sum;
}

// A free body under gravity: implicit Euler gives v = v0 - n g h whatever the method, so that
// nothing of the motion may be lost or added at a change.
TEST(world_changes_method_in_free_fall)
{
    pl_world* world = sample_start(free_box);
    static const char* const methods[] = {"bodies[0].method=pbd", "bodies[0].method=grid",
                                          "bodies[0].method=fem", "bodies[0].nonlinear=projective"};
    double y = mean_of(pl_world_positions(world, 0), pl_world_mesh(world, 0)->vertex_count).y;
    double v = 0.0;
    int count = pl_world_mesh(world, 0)->vertex_count;
    for (int k = 0; k <= 4; k++) {
        for (int n = 0; n < 5; n++) v -= 0.1, y += 0.01 * v;
        sample_step(world, 5, NULL);
        pl_vec3 at = mean_of(pl_world_positions(world, 0), count);
        pl_vec3 speed = mean_of(pl_world_velocities(world, 0), count);
        CHECK_NEAR(speed.y, v, 1e-4);
        CHECK_NEAR(speed.x, 1.0, 1e-4);
        CHECK_NEAR(at.y, y, 1e-5);
        if (k == 4) break;
        uint64_t before = sample_world_hash(world);
        change(world, methods[k]);
        CHECK(sample_world_hash(world) == before);
    }
    CHECK(pl_world_frame(world) == 25);
    CHECK_NEAR(pl_world_time(world), 0.25, 1e-12);
    pl_world_destroy(world);
}

// solvers that all converge go the same way; the number of levels and of iterations is a setting
TEST(world_changes_solver)
{
    static const char* const changes[] = {"bodies[0].linear=direct", "bodies[0].linear=mgpcg",
                                          "bodies[0].linear=icpcg",  "bodies[0].levels=[2, 8]",
                                          "bodies[0].linear=pcg",    "bodies[0].linear=multigrid",
                                          "bodies[0].iterations=40"};
    pl_scene* scene = sample_scene(held_box);
    pl_world *still = sample_world(scene), *world = sample_world(scene);
    for (size_t k = 0; k < sizeof changes / sizeof changes[0]; k++) {
        change(world, changes[k]);
        sample_step(world, 2, NULL);
        sample_step(still, 2, NULL);
    }
    CHECK(farthest(world, still, 0) < 1e-4);
    pl_frame_info few, many;
    change(world, "bodies[0].iterations=1");
    change(world, "bodies[0].fixed=true");
    sample_step(world, 1, &few);
    change(world, "bodies[0].iterations=9");
    sample_step(world, 1, &many);
    CHECK(few.iterations == 1 && many.iterations == 9);
    pl_world_destroy(still);
    pl_world_destroy(world);
    pl_scene_destroy(scene);
}

// one body of two gets another method; the hand on it, its force and the other body stay
TEST(world_changes_one_body_of_two)
{
    pl_scene* scene = sample_scene(two_boxes);
    pl_world *world = sample_world(scene), *other = sample_world(scene);
    const pl_mesh* mesh = pl_world_mesh(world, 1);
    int tip = 0;
    for (int v = 1; v < mesh->vertex_count; v++)
        if (mesh->positions[3 * v] > mesh->positions[3 * tip]) tip = v;
    int hand = pl_world_grab(world, 1, tip, 200.0);
    pl_world_forces(world, 1)[1] = 0.5;
    change(world, "bodies[1].grid.cell=0.05");
    change(world, "bodies[1].method=grid");
    sample_step(world, 3, NULL);
    sample_step(other, 3, NULL);
    CHECK_NEAR(pl_world_forces(world, 1)[1], 0.5, 0.0);
    const double* held = pl_world_positions(world, 1) + 3 * tip;
    double before = held[1];
    pl_world_move(world, hand, held[0], held[1] + 0.3, held[2]);
    sample_step(world, 20, NULL);
    sample_step(other, 20, NULL);
    CHECK(held[1] > before + 0.05);
    CHECK(farthest(world, other, 0) < 1e-6);
    // and back into one system
    change(world, "bodies[1].method=fem");
    change(world, "bodies[1].material.law=stable_neohookean");
    sample_step(world, 2, NULL);
    pl_world_destroy(world);
    pl_world_destroy(other);
    pl_scene_destroy(scene);
}

TEST(world_refuses_changes_by_name)
{
    static const struct {
        const char *change, *text;
    } cases[] = {{"bodies[0].material.law=springs", "does not work with method"},
                 {"bodies[0].linear=fast", "linear"},
                 {"bodies[0].mesh=x.obj", "cannot change"},
                 {"bodies[0].transform.size=2", "cannot change"},
                 {"bodies[7].method=pbd", "bodies[7]"},
                 {"gravity", "path=value"},
                 {"frames=3", "cannot change"},
                 {"bodies[0].material.poisson=0.5", "only method \"mixed\""},
                 {"bodies[0].iterations=-4", "iterations"}};
    pl_scene* scene = sample_scene(held_box);
    pl_world *world = sample_world(scene), *other = sample_world(scene);
    sample_step(world, 2, NULL);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        // the first would be fine: all or none
        const char* both[2] = {"bodies[0].linear=pcg", cases[k].change};
        pl_error error = {0};
        CHECK(pl_world_change(world, both, 2, NULL, &error) != PL_OK);
        if (!strstr(error.text, cases[k].text))
            pl_test_fail(__FILE__, __LINE__, "%s: %s", cases[k].change, error.text);
    }
    sample_step(world, 5, NULL);
    sample_step(other, 7, NULL);
    CHECK(sample_world_hash(world) == sample_world_hash(other));
    pl_world_destroy(world);
    pl_world_destroy(other);
    pl_scene_destroy(scene);
}

// whichever allocation fails, the world goes on as if nothing had been asked
TEST(world_change_survives_every_failing_allocation)
{
    pl_scene* scene = sample_scene(two_boxes);
    pl_world* other = sample_world(scene);
    sample_step(other, 2, NULL);
    uint64_t hash = sample_world_hash(other);
    const char* text = "bodies[1].method=pbd";
    bool done = false;
    pl_world* world = sample_world(scene);
    for (int64_t nth = 1; !done; nth += 1 + nth / 20) {
        pl_error error = {0};
        pl_inject_failure(nth);
        pl_status status = pl_world_change(world, &text, 1, NULL, &error);
        pl_inject_failure(0);
        done = status == PL_OK;
        if (!done) CHECK(status == PL_ERROR_MEMORY && error.text[0]);
    }
    pl_world_destroy(world);
    world = sample_world(scene);
    for (int64_t nth = 1; nth < 200; nth += 7) {
        pl_inject_failure(nth);
        pl_status status = pl_world_change(world, &text, 1, NULL, NULL);
        pl_inject_failure(0);
        if (status == PL_OK) break;
    }
    pl_world_destroy(world);
    world = sample_world(scene);
    pl_inject_failure(40);
    CHECK(pl_world_change(world, &text, 1, NULL, NULL) == PL_ERROR_MEMORY);
    pl_inject_failure(0);
    sample_step(world, 2, NULL);
    CHECK(sample_world_hash(world) == hash);
    pl_world_destroy(world);
    pl_world_destroy(other);
    pl_scene_destroy(scene);
}

// every vertex has a node, nodes of a level hold whole nodes of the one below, and the levels are
// those that were asked for
TEST(world_tells_the_aggregates_of_levels)
{
    static const char* const changes[] = {"bodies[0].linear=mgpcg", "bodies[0].levels=[4, 12]",
                                          "bodies[0].material.law=arap",
                                          "bodies[0].nonlinear=projective"};
    pl_world* world = sample_start(held_box);
    int count = pl_world_mesh(world, 0)->vertex_count;
    int *fine = malloc((size_t)count * sizeof(int)), *coarse = malloc((size_t)count * sizeof(int));
    change(world, "bodies[0].linear=direct");
    CHECK(pl_world_aggregates(world, 0, 1, fine) == 0);
    for (int k = 0; k < 4; k++) {
        change(world, changes[k]);
        if (k == 0 || k == 2) continue;
        CHECK(pl_world_aggregates(world, 0, 1, fine) == 12);
        CHECK(pl_world_aggregates(world, 0, 2, coarse) == 4);
        CHECK(pl_world_aggregates(world, 0, 3, coarse) == 0);
        int parent[12], seen = 0;
        for (int n = 0; n < 12; n++) parent[n] = -1;
        for (int v = 0; v < count; v++) {
            CHECK(fine[v] >= 0 && fine[v] < 12 && coarse[v] >= 0 && coarse[v] < 4);
            if (parent[fine[v]] < 0) parent[fine[v]] = coarse[v], seen++;
            CHECK(parent[fine[v]] == coarse[v]);
        }
        CHECK(seen == 12);
    }
    free(fine);
    free(coarse);
    pl_world_destroy(world);
}

// A bar that hangs down, bent and moving, gets another method: it goes on from there, and no step
// is taken for one that gains energy.
LONG_TEST(world_changes_method_of_a_bent_bar)
{
    static const char bar[] =
        "{\"pliant\": 1, \"bodies\": [{\"name\": \"box\", \"generate\": {\"shape\": \"box\",\n"
        " \"size_x\": 0.4, \"size_y\": 0.1, \"size_z\": 0.1, \"edge\": 0.05},\n"
        " \"grid\": {\"cell\": 0.025}, \"damping\": {\"mass\": 3},\n"
        " \"material\": {\"young\": 3e4, \"poisson\": 0.4}}],\n"
        " \"attachments\": [{\"body\": \"box\", \"where\": {\"side\": \"-x\"}}]}";
    static const char* const methods[] = {"bodies[0].method=pbd", "bodies[0].method=fem",
                                          "bodies[0].linear=direct"};
    pl_world* world = sample_start(bar);
    int count = pl_world_mesh(world, 0)->vertex_count;
    sample_step(world, 34, NULL); // almost at rest, with the most of elastic energy
    for (int k = 0; k < 3; k++) {
        pl_vec3 before = mean_of(pl_world_positions(world, 0), count);
        change(world, methods[k]);
        sample_step(world, 1, NULL);
        pl_vec3 after = mean_of(pl_world_positions(world, 0), count);
        CHECK(pl_distance(before, after) < 0.05);
        sample_step(world, 12, NULL);
    }
    pl_world_destroy(world);
    // one that bends takes new settings
    world = sample_start(bar);
    change(world, "bodies[0].method=grid");
    sample_step(world, 30, NULL);
    pl_vec3 before = mean_of(pl_world_positions(world, 0), count);
    change(world, "bodies[0].linear_iterations=12");
    sample_step(world, 1, NULL);
    CHECK(pl_distance(before, mean_of(pl_world_positions(world, 0), count)) < 0.05);
    sample_step(world, 10, NULL);
    pl_world_destroy(world);
}

// A bar that hangs down, bent and moving, becomes a lattice. In the next frame it is where the bar
// would be without the change, up to the lattice's resolution, and its free half moves as fast.
LONG_TEST(world_bent_bar_becomes_a_lattice)
{
    static const char bar[] =
        "{\"pliant\": 1, \"time_step\": 0.004, \"bodies\": [{\"name\": \"box\",\n"
        " \"generate\": {\"shape\": \"box\", \"size_x\": 0.4, \"size_y\": 0.1,\n"
        "  \"size_z\": 0.1, \"edge\": 0.025}, \"grid\": {\"cell\": 0.025},\n"
        " \"integrator\": \"euler\", \"material\": {\"young\": 3e4, \"poisson\": 0.4}}],\n"
        " \"attachments\": [{\"body\": \"box\", \"where\": {\"side\": \"-x\"}}]}";
    pl_world *fem = sample_start(bar), *grid = sample_start(bar);
    int count = pl_world_mesh(fem, 0)->vertex_count;
    sample_step(fem, 40, NULL);
    sample_step(grid, 40, NULL);
    double low = 0.0;
    for (int v = 0; v < count; v++) low = fmin(low, pl_world_positions(fem, 0)[3 * (size_t)v + 1]);
    CHECK(low < -0.1); // it is bent
    change(grid, "bodies[0].method=grid");
    sample_step(fem, 1, NULL);
    sample_step(grid, 1, NULL);
    CHECK(farthest(fem, grid, 0) < 0.1 * 0.025);
    // of the free half: beside the held side, forces of both differ by their resolution
    double sum = 0.0, apart = 0.0;
    for (size_t v = 0; v < (size_t)count; v++) {
        if (pl_world_mesh(fem, 0)->positions[3 * v] < 0.2) continue;
        pl_vec3 speed = pl_vec3_load(pl_world_velocities(fem, 0) + 3 * v);
        sum += pl_norm(speed);
        apart += pl_distance(speed, pl_vec3_load(pl_world_velocities(grid, 0) + 3 * v));
    }
    CHECK(apart < 0.03 * sum);
    pl_world_destroy(fem);
    pl_world_destroy(grid);
}

// What a page plots: residuals that fall, the last of them below the tolerance, for each method
// that has some.
TEST(world_tells_residuals_of_cycles)
{
    static const char box[] =
        "{\"pliant\": 1, \"bodies\": [{\"name\": \"box\", \"generate\": {\"shape\": \"box\",\n"
        " \"size_x\": 0.4, \"size_y\": 0.1, \"size_z\": 0.1, \"edge\": 0.05},\n"
        " \"grid\": {\"cell\": 0.05}, \"linear\": \"mgpcg\", \"levels\": [8]}],\n"
        " \"attachments\": [{\"body\": \"box\", \"where\": {\"side\": \"-x\"}}]}";
    static const char* const methods[] = {"bodies[0].method=fem", "bodies[0].nonlinear=projective",
                                          "bodies[0].method=grid"};
    pl_world* world = sample_start(box);
    const float* values;
    for (int k = 0; k < 3; k++) {
        change(world, methods[k]);
        sample_step(world, 3, NULL);
        int count = pl_world_residuals(world, 0, &values);
        CHECK(count >= 2 && count <= 64);
        CHECK(values[count - 1] < 0.01f * values[0]);
    }
    change(world, "bodies[0].method=pbd");
    sample_step(world, 1, NULL);
    CHECK(pl_world_residuals(world, 0, &values) == 0);
    pl_world_destroy(world);
}
