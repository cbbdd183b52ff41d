// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Method mixed from a scene on: what runs and what is refused, volumes, locking, the compressible
// limit, states and threads.
#include "base/memory.h"
#include "math/vec3.h"
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

static double tet_volume(const int* v, const double* x) {
    return pl_det4(pl_vec3_load(x + 3 * v[0]), pl_vec3_load(x + 3 * v[1]),
                   pl_vec3_load(x + 3 * v[2]), pl_vec3_load(x + 3 * v[3])) /
           6.0;
}

// of the tets of body 0, by that at rest
static double volume_ratio(pl_world* world) {
    const pl_mesh* mesh = pl_world_mesh(world, 0);
    double now = 0.0, rest = 0.0;
    for (int e = 0; e < mesh->tet_count; e++) {
        now += tet_volume(mesh->tets + 4 * e, pl_world_positions(world, 0));
        rest += tet_volume(mesh->tets + 4 * e, mesh->positions);
    }
    return now / rest;
}

// what the masses of a body of one density are multiples of
static void lump_volumes(const pl_mesh* mesh, double* out) {
    memset(out, 0, (size_t)mesh->vertex_count * sizeof(double));
    for (int k = 0; k < 4 * mesh->tet_count; k++)
        out[mesh->tets[k]] += tet_volume(mesh->tets + k / 4 * 4, mesh->positions);
}

LONG_TEST(mixed_runs_by_changing_one_key)
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
        {"bodies[0].material.law", "arap", "\"arap\" does not work with method \"mixed\""},
        {"bodies[0].material.law", "springs", "\"springs\" does not work with method \"mixed\""},
        {"bodies[0].nonlinear", "projective", "\"projective\" does not work with method \"mixed\""},
        {"bodies[0].kind", "cloth", "\"cloth\" does not work with method \"mixed\""},
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
    CHECK_TEXT(error.text, "only method \"mixed\" supports");
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

// elastic energy after some frames at rest, with one more change
static double give_after(int frames, const char* method, const char* poisson, double edge,
                         const char* stabilize, const char* path, const char* value) {
    char text[1024];
    snprintf(text, sizeof text, slab, edge);
    pl_world* world = start(mixed_scene(
        text, "bodies[0].method", method, "bodies[0].material.poisson", poisson,
        "bodies[0].mixed.stabilize", stabilize, "bodies[0].iterations", "24", path, value, NULL));
    pl_frame_info info;
    sample_step(world, frames, &info);
    CHECK_INT(info.unconverged_count, 0);
    pl_world_destroy(world);
    return info.elastic_energy;
}

static double give(const char* method, const char* poisson, double edge, const char* stabilize) {
    return give_after(1, method, poisson, edge, stabilize, "threads", "1");
}

// Mixed tets of edge 0.035 have 2.12e-3 J, at 0.4999.
LONG_TEST(mixed_gives_way_where_fem_locks)
{
    double locked = give("fem", "0.4999", 0.1, "full"),
           mixed = give("mixed", "0.4999", 0.1, "full");
    double unstabilised = give("mixed", "0.4999", 0.1, "matrix");
    CHECK(locked < 0.5 * mixed);
    CHECK(mixed > 0.9 * 2.12e-3 && mixed < 2.12e-3);
    CHECK(unstabilised > locked && unstabilised < mixed);
    CHECK_NEAR(give("mixed", "0.5", 0.1, "full"), mixed, 1e-3 * mixed);
    // where no end is judged, the stabilisation leaves the equations iteration by iteration
    double fixed = give_after(1, "mixed", "0.4999", 0.1, "matrix", "bodies[0].fixed", "true");
    double one_by_one =
        give_after(15, "mixed", "0.4999", 0.1, "matrix", "bodies[0].nonlinear", "linearised");
    CHECK_NEAR(fixed, unstabilised, 0.02 * mixed);
    CHECK_NEAR(one_by_one, unstabilised, 0.02 * mixed);
}

// At a Poisson's ratio of 0.3 both methods go to the same answer as the mesh gets finer.
LONG_TEST(mixed_is_fem_in_the_compressible_limit)
{
    double coarse = give("mixed", "0.3", 0.1, "full") / give("fem", "0.3", 0.1, "full") - 1.0;
    double fine = give("mixed", "0.3", 0.05, "full") / give("fem", "0.3", 0.05, "full") - 1.0;
    CHECK(coarse > 0.0 && fine > 0.0 && fine < 0.03 && fine < 0.6 * coarse);
}

// A bar whose ends are turned against each other, three quarters of a turn in all.
static const char twisted[] =
    "{\"pliant\": 1, \"frames\": 6, \"time_step\": 0.1666, \"gravity\": [0, 0, 0], \"threads\": 1, "
    "\"bodies\": [{\"name\": \"bar\", \"generate\": {\"shape\": \"bar\", \"size_x\": 0.3, "
    "\"size_y\": 0.1, \"size_z\": 0.1, \"edge\": 0.05}, \"integrator\": \"quasistatic\", "
    "\"iterations\": 40, \"material\": {\"young\": 1e5, \"poisson\": 0.49}}], \"attachments\": "
    "[{\"body\": \"bar\", \"where\": {\"side\": \"-x\"}}, {\"body\": \"bar\", \"where\": "
    "{\"side\": \"+x\"}, \"motion\": {\"spin_axis\": [1, 0, 0], \"spin_rate\": 270}}]}";

LONG_TEST(mixed_keeps_the_volume_of_a_twisted_bar)
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

static const char small_bar[] =
    "{\"pliant\": 1, \"threads\": 1, \"bodies\": [{\"name\": \"bar\", \"generate\": {\"shape\": "
    "\"bar\", \"size_x\": 0.4, \"size_y\": 0.1, \"size_z\": 0.1, \"edge\": 0.04}, \"material\": "
    "{\"young\": 2e4, \"poisson\": 0.4999}, \"levels\": [2, 8]}], "
    "\"attachments\": [{\"body\": \"bar\", \"where\": {\"side\": \"-x\"}}]}";

// by cycles, by the direct solver, and by MINRES, since cycles of this relaxation fail
static pl_world* start_one_of_three(int k) {
    pl_scene* scene = mixed_scene(k == 0   ? sample_falling_box
                                  : k == 1 ? twisted
                                           : small_bar,
                                  "bodies[0].material.poisson", "0.49", "bodies[0].mixed.stabilize",
                                  k == 1 ? "matrix" : "full", "bodies[0].linear",
                                  k == 1 ? "direct" : "multigrid", NULL);
    pl_error error;
    if (k == 2) CHECK_OK(pl_scene_set(scene, "bodies[0].mixed.relaxation", "1.5", &error), &error);
    return start(scene);
}

TEST(mixed_goes_on_from_a_saved_state_to_the_same_bits)
{
    for (int k = 0; k < 3; k++) {
        pl_world* world = start_one_of_three(k);
        pl_frame_info info;
        sample_step(world, 3, &info);
        CHECK((info.switch_count > 0) == (k == 2));
        size_t size = pl_world_state_size(world);
        void* state = pl_alloc(size);
        pl_error error;
        pl_world_state_save(world, state);
        sample_step(world, 2, NULL);
        uint64_t hash = sample_world_hash(world);
        pl_world_destroy(world);
        world = start_one_of_three(k);
        CHECK_OK(pl_world_state_load(world, state, size, &error), &error);
        sample_step(world, 2, NULL);
        CHECK(sample_world_hash(world) == hash);
        pl_world_destroy(world);
        pl_free(state, size);
    }
}

// The state names a solver that a world of other settings does not have.
TEST(mixed_goes_on_from_a_state_of_other_settings)
{
    static const char* const changes[] = {"bodies[0].linear=direct",
                                          "bodies[0].multigrid.fallback=false"};
    for (int k = 0; k < 4; k++) {
        pl_world* world = start_one_of_three(k % 2 ? 2 : 0);
        pl_error error;
        sample_step(world, 4, NULL);
        const size_t size = pl_world_state_size(world);
        void* state = pl_alloc(size);
        pl_world_state_save(world, state);
        CHECK_OK(pl_world_change(world, &changes[k / 2], 1, NULL, &error), &error);
        CHECK(pl_world_state_size(world) == size);
        CHECK_OK(pl_world_state_load(world, state, size, &error), &error);
        sample_step(world, 1, NULL);
        pl_world_destroy(world);
        pl_free(state, size);
    }
}

// The pressure of a column under its weight grows with depth: rho g h, in the middle of its foot.
TEST(mixed_pressure_is_that_of_the_weight)
{
    pl_world* world = start(mixed_scene(
        "{\"pliant\": 1, \"frames\": 1, \"bodies\": [{\"name\": \"column\", \"generate\": "
        "{\"shape\": \"box\", \"size_x\": 0.4, \"size_y\": 0.1, \"size_z\": 0.4, \"edge\": 0.05}, "
        "\"integrator\": \"quasistatic\", \"material\": {\"young\": 1e6, \"density\": 1000}}], "
        "\"attachments\": [{\"body\": \"column\", \"where\": {\"side\": \"-y\"}}]}",
        "bodies[0].material.poisson", "0.5", NULL));
    sample_step(world, 1, NULL);
    const pl_mesh* mesh = pl_world_mesh(world, 0);
    double pressure[2000];
    pl_error error;
    CHECK(mesh->vertex_count <= 2000);
    CHECK_OK(pl_world_field(world, 0, PL_OUTPUT_PRESSURE, pressure, &error), &error);
    int tested = 0;
    for (int v = 0; v < mesh->vertex_count; v++) {
        const double* at = mesh->positions + 3 * v;
        bool inside = fabs(at[0] - 0.2) < 0.06 && fabs(at[2] - 0.2) < 0.06;
        if (!inside || at[1] > 1e-6) continue;
        CHECK_NEAR(pressure[v], 1000 * 9.81 * 0.1, 0.2 * 1000 * 9.81 * 0.1);
        tested++;
    }
    CHECK(tested > 0);
    pl_world_destroy(world);
}

// Soft and compressible beside stiff and incompressible: both move, and the stiff part keeps its
// volume.
TEST(mixed_takes_materials_side_by_side)
{
    pl_world* world = start(mixed_scene(
        "{\"pliant\": 1, \"frames\": 8, \"bodies\": [{\"name\": \"bar\", \"generate\": {\"shape\": "
        "\"bar\", \"size_x\": 0.4, \"size_y\": 0.1, \"size_z\": 0.1, \"edge\": 0.05}, "
        "\"material\": "
        "{\"young\": 1e4, \"poisson\": 0.3}, \"vary\": [{\"parameter\": \"poisson\", "
        "\"gradient\": {\"from\": 0, \"to\": 0.5, \"direction\": [1, 0, 0]}}]}], \"attachments\": "
        "[{\"body\": \"bar\", \"where\": "
        "{\"side\": \"-x\"}}]}",
        NULL));
    pl_frame_info info;
    sample_step(world, 8, &info);
    CHECK_INT(info.unconverged_count, 0);
    CHECK(volume_ratio(world) > 0.9 && volume_ratio(world) < 1.1);
    pl_world_destroy(world);
}

// A free body that starts with any velocities keeps its momentum to round-off.
TEST(mixed_keeps_momentum)
{
    pl_world* world =
        start(mixed_scene(sample_falling_box, "gravity", "[0, 0, 0]", "bodies[0].material.poisson",
                          "0.4999", "bodies[0].tolerance", "1e-9", NULL));
    int n = pl_world_mesh(world, 0)->vertex_count;
    double* v = pl_world_velocities(world, 0);
    for (int i = 0; i < 3 * n; i++) v[i] += 0.3 * sin(7.0 * i);
    double mass[200];
    CHECK(n <= 200);
    lump_volumes(pl_world_mesh(world, 0), mass);
    double before[3] = {0.0}, after[3] = {0.0}, size = 0.0;
    for (int i = 0; i < 3 * n; i++) {
        before[i % 3] += mass[i / 3] * v[i];
        size += mass[i / 3] * fabs(v[i]);
    }
    sample_step(world, 4, NULL);
    v = pl_world_velocities(world, 0);
    for (int i = 0; i < 3 * n; i++) after[i % 3] += mass[i / 3] * v[i];
    for (int c = 0; c < 3; c++) CHECK_NEAR(after[c], before[c], 1e-8 * size);
    pl_world_destroy(world);
}

// Fails the allocations first, first + stride, ...; returns how many there are.
static int64_t fail_allocations(const char* linear, const char* relaxation, int64_t first,
                                int64_t stride) {
    for (int64_t n = first;; n += stride) {
        pl_scene* scene =
            mixed_scene(sample_falling_box, "threads", "1", "bodies[0].levels", "[2, 8]",
                        "bodies[0].linear", linear, "bodies[0].mixed.relaxation", relaxation, NULL);
        pl_error error;
        pl_world* world = NULL;
        pl_inject_failure(n);
        pl_status status = pl_world_create(scene, &world, NULL, &error);
        if (status == PL_OK) status = pl_world_step(world, NULL, &error);
        int64_t count = pl_inject_failure(0);
        pl_world_destroy(world);
        pl_scene_destroy(scene);
        if (count < n) {
            CHECK_INT(status, PL_OK);
            return count;
        }
        CHECK(status == PL_OK || status == PL_ERROR_MEMORY);
    }
}

TEST(mixed_survives_every_failing_allocation)
{
    fail_allocations("direct", "0.5", 1, 1);
    int64_t count = fail_allocations("multigrid", "0.5", 1, 1);
    // this relaxation lets cycles fail, and the allocations of MINRES follow
    CHECK(fail_allocations("multigrid", "2", count, 17) > count + 100);
}

// Multigrid and the direct solver lead to the same motion, up to incompressible material.
LONG_TEST(mixed_multigrid_goes_where_direct_goes)
{
    static const char* const poissons[] = {"0", "0.3", "0.499", "0.5"};
    for (int k = 0; k < 4; k++) {
        pl_world* worlds[2];
        for (int j = 0; j < 2; j++)
            worlds[j] = start(mixed_scene(
                "{\"pliant\": 1, \"frames\": 5, \"bodies\": [{\"name\": \"bar\", \"generate\": "
                "{\"shape\": \"bar\", \"size_x\": 0.6, \"size_y\": 0.2, \"size_z\": 0.2, \"edge\": "
                "0.05}, \"tolerance\": 1e-6, \"material\": {\"young\": 2e4}}], \"attachments\": "
                "[{\"body\": \"bar\", \"where\": {\"side\": \"-x\"}}]}",
                "bodies[0].linear", j ? "mgpcg" : "direct", "bodies[0].material.poisson",
                poissons[k], "threads", j ? "2" : "1", NULL));
        for (int j = 0; j < 2; j++) {
            pl_frame_info info;
            sample_step(worlds[j], 3, &info);
            CHECK_INT(info.unconverged_count, 0);
            CHECK_INT(info.switch_count, 0);
        }
        int count = 3 * pl_world_mesh(worlds[0], 0)->vertex_count;
        const double *a = pl_world_positions(worlds[0], 0), *b = pl_world_positions(worlds[1], 0);
        for (int i = 0; i < count; i++) CHECK_NEAR(a[i], b[i], 1e-6);
        pl_world_destroy(worlds[0]);
        pl_world_destroy(worlds[1]);
    }
}

// A solve that ends before its tolerance is redone directly, unless the scene forbids it.
LONG_TEST(mixed_falls_back_where_it_may)
{
    for (int k = 0; k < 2; k++) {
        pl_world* world = start(mixed_scene(
            sample_falling_box, "bodies[0].linear", "mgpcg", "bodies[0].linear_iterations", "1",
            "bodies[0].linear_tolerance", "1e-6", "bodies[0].material.poisson", "0.499",
            "bodies[0].multigrid.fallback", k ? "false" : "true", NULL));
        pl_frame_info info;
        sample_step(world, 1, &info);
        CHECK((info.switch_count > 0) == (k == 0));
        pl_world_destroy(world);
    }
}

// Whatever the relaxation is, a frame ends with a finite state and within its tolerance: a bad one
// costs the direct solver, the one that is chosen does not.
TEST(mixed_bears_any_relaxation)
{
    static const char* const values[] = {"0.1", "1.5", NULL};
    for (int k = 0; k < 3; k++) {
        pl_scene* scene = mixed_scene(small_bar, "bodies[0].linear", "mgpcg", NULL);
        pl_error error;
        if (values[k])
            CHECK_OK(pl_scene_set(scene, "bodies[0].mixed.relaxation", values[k], &error), &error);
        pl_world* world = start(scene);
        pl_frame_info info;
        sample_step(world, 3, &info);
        CHECK_INT(info.unconverged_count, 0);
        CHECK((info.switch_count > 0) == (k == 1));
        const double* x = pl_world_positions(world, 0);
        for (int i = 0; i < 3 * pl_world_mesh(world, 0)->vertex_count; i++) CHECK(isfinite(x[i]));
        pl_world_destroy(world);
    }
}

// A block whose surface is held while its top goes down: at 0.5 that cannot be, and is said; the
// state stays. At 0.49 it is only a question of force.
TEST(mixed_names_a_volume_that_cannot_be_kept)
{
    static const char squeezed[] =
        "{\"pliant\": 1, \"frames\": 4, \"time_step\": 0.1, \"gravity\": [0, 0, 0], \"bodies\": "
        "[{\"name\": \"block\", \"generate\": {\"shape\": \"box\", \"edge\": 0.5}, \"iterations\": "
        "100, \"integrator\": \"quasistatic\"}%s], \"attachments\": [{\"body\": \"block\", "
        "\"where\": "
        "{\"side\": \"+y\"}, \"motion\": {\"keyframes\": [{\"time\": 0}, {\"time\": 0.4, "
        "\"translate\": [0, -0.05, 0]}]}}, {\"body\": \"block\", \"hold\": \"y\", \"where\": "
        "{\"side\": \"-y\"}}, {\"body\": \"block\", \"hold\": \"x\", \"where\": {\"side\": "
        "\"-x\"}}, {\"body\": \"block\", \"hold\": \"x\", \"where\": {\"side\": \"+x\"}}, "
        "{\"body\": \"block\", \"hold\": \"z\", \"where\": {\"side\": \"-z\"}}, {\"body\": "
        "\"block\", \"hold\": \"z\", \"where\": {\"side\": \"+z\"}}]}";
    // another body of the same system, which gives way
    static const char beside[] =
        ", {\"name\": \"soft\", \"method\": \"mixed\", \"generate\": {\"shape\": \"box\", "
        "\"edge\": 0.5}, \"iterations\": 100, \"integrator\": \"quasistatic\", \"transform\": "
        "{\"translate\": [5, 0, 0]}, \"material\": {\"poisson\": 0.3}}";
    char text[2][1600];
    for (int k = 0; k < 2; k++) snprintf(text[k], sizeof text[k], squeezed, k ? beside : "");
    pl_world* world = start(mixed_scene(text[0], "bodies[0].material.poisson", "0.49", NULL));
    sample_step(world, 2, NULL);
    CHECK(volume_ratio(world) < 0.99);
    pl_world_destroy(world);
    for (int k = 0; k < 2; k++) {
        pl_error error;
        world = start(mixed_scene(text[k], "bodies[0].material.poisson", "0.5", NULL));
        uint64_t before = sample_world_hash(world);
        CHECK_INT(pl_world_step(world, NULL, &error), PL_ERROR_UNSUPPORTED);
        CHECK_TEXT(error.text, "which a Poisson's ratio of 0.5 does not allow");
        CHECK(sample_world_hash(world) == before);
        pl_world_destroy(world);
    }
}

// A cube falls on one of its corners. The line search sees soft walls where the material has stiff
// ones, so that landing takes about as many iterations as that of compressible material.
LONG_TEST(mixed_lands_in_few_iterations)
{
    pl_world* world = start(mixed_scene(
        "{\"pliant\": 1, \"frames\": 10, \"threads\": 1, \"bodies\": [{\"name\": \"cube\", "
        "\"method\": \"mixed\", \"generate\": {\"shape\": \"box\", \"size_x\": 0.1, \"size_y\": "
        "0.1, \"size_z\": 0.1, "
        "\"edge\": 0.034}, \"velocity\": [0, -2, 0], \"transform\": {\"rotate\": [25, 0, 40], "
        "\"translate\": [0, 0.1, 0]}, \"material\": {\"young\": 5e3, \"poisson\": 0.5}, "
        "\"damping\": {\"stiffness\": 0.002}, \"tolerance\": 1e-3}], \"colliders\": [{\"name\": "
        "\"ground\", \"plane\": {\"normal\": [0, 1, 0]}, \"friction\": 0.4}]}",
        NULL));
    int iterations = 0;
    for (int frame = 0; frame < 10; frame++) {
        pl_frame_info info;
        sample_step(world, 1, &info);
        CHECK_INT(info.unconverged_count, 0);
        iterations += info.iterations;
    }
    CHECK(iterations <= 100);
    CHECK_NEAR(volume_ratio(world), 1.0, 1e-5);
    pl_world_destroy(world);
}

// A soft bar swings down from one end and is stretched by its weight. With projected matrices
// alone, the iterations of Newton's method would converge linearly, and there would be 256.
LONG_TEST(mixed_swings_in_few_iterations)
{
    pl_world* world = start(mixed_scene(
        "{\"pliant\": 1, \"threads\": 1, \"bodies\": [{\"name\": \"bar\", \"method\": \"mixed\", "
        "\"generate\": {\"shape\": \"bar\", \"size_x\": 1, \"size_y\": 0.2, \"size_z\": 0.2, "
        "\"edge\": 0.06}, \"material\": {\"young\": 1e5, \"poisson\": 0.45}}], \"attachments\": "
        "[{\"body\": \"bar\", \"where\": {\"side\": \"-x\"}}]}",
        NULL));
    int iterations = 0;
    for (int frame = 0; frame < 45; frame++) {
        pl_frame_info info;
        sample_step(world, 1, &info);
        CHECK_INT(info.unconverged_count + info.switch_count, 0);
        iterations += info.iterations;
    }
    CHECK(iterations <= 130);
    pl_world_destroy(world);
}

// The midpoint rule keeps the volume in the middle of a step, and not at its end.
TEST(mixed_midpoint_is_not_taken_for_lost_volume)
{
    pl_world* world = start(mixed_scene(
        "{\"pliant\": 1, \"threads\": 1, \"bodies\": [{\"name\": \"bar\", \"method\": \"mixed\", "
        "\"integrator\": \"midpoint\", \"generate\": {\"shape\": \"box\", \"size_x\": 0.4, "
        "\"size_y\": 0.1, \"size_z\": 0.1, \"edge\": 0.05}, \"material\": {\"young\": 2e4, "
        "\"poisson\": 0.5}}], \"attachments\": [{\"body\": \"bar\", \"where\": {\"side\": "
        "\"-x\"}}]}",
        NULL));
    sample_step(world, 12, NULL);
    CHECK(fabs(volume_ratio(world) - 1.0) > 1e-4);
    pl_world_destroy(world);
}
