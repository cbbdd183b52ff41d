// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Bodies of method mixed that meet one another.
#include "contact_samples.h"
#include "pbd_samples.h"
#include "run_samples.h"
#include "test.h"
#include "world/world_build.h"

// two boxes that hit each other off their middles, no weight
static const char boxes[] =
    "{\"pliant\": 1, \"threads\": 1, \"gravity\": [0, 0, 0], \"bodies\": [\n"
    " {\"name\": \"left\", \"method\": \"mixed\", \"generate\": {\"shape\": \"box\", \"size_x\": "
    "0.1,\n"
    "  \"size_y\": 0.1, \"size_z\": 0.1, \"edge\": 0.1}, \"velocity\": [1.5, 0, 0],\n"
    "  \"material\": {\"young\": 2e4, \"poisson\": 0.49}},\n"
    " {\"name\": \"right\", \"method\": \"mixed\", \"generate\": {\"shape\": \"box\", \"size_x\": "
    "0.1,\n"
    "  \"size_y\": 0.1, \"size_z\": 0.1, \"edge\": 0.1}, \"velocity\": [-0.5, 0, 0],\n"
    "  \"transform\": {\"rotate\": [10, 20, 30], \"translate\": [0.19, 0.02, 0.03]},\n"
    "  \"material\": {\"young\": 2e4, \"poisson\": 0.49}}]}";

static void check_bounce(const char* const* sets, int set_count) {
    pl_world* world = pbd_world(boxes, sets, set_count);
    double size, unused, energy = NAN, volume = NAN;
    pl_vec3 before, after, turn;
    contact_momentum(world, &before, &turn, &size);
    int contacts = 0;
    for (int k = 0; k < 6; k++) {
        pl_frame_info info;
        sample_step(world, 1, &info);
        contacts += info.contact_count;
        CHECK_INT(pl_world_crossings(world), 0);
        const double sum = info.kinetic_energy + info.elastic_energy + info.contact_energy;
        if (k == 0) energy = sum, volume = info.volume;
        CHECK(sum < 1.01 * energy);
        CHECK_NEAR(info.volume / volume, 1.0, 0.02); // nearly incompressible
    }
    CHECK(contacts > 10);
    contact_momentum(world, &after, &turn, &unused);
    CHECK_NEAR(pl_distance(before, after) / size, 0.0, 1e-4);
    // the two have passed speed to one another
    const double* v = world->systems[0].method->velocities(world->systems[0].data);
    const int first_of_right = world->bodies[1].first_vertex;
    CHECK(v[0] < 1.0 && v[3 * first_of_right] > 0.0);
    pl_world_destroy(world);
}

TEST(mixed_contact_boxes_bounce_and_keep_momentum_energy_and_volume)
{
    const char* direct[] = {"bodies[0].linear=direct", "bodies[1].linear=direct"};
    check_bounce(NULL, 0);
    check_bounce(direct, 2);
}

// the iterations of Newton's method in all of five frames
static int iterations_of(const char* const* sets, int set_count, int* switches) {
    pl_world* world = pbd_world(boxes, sets, set_count);
    int iterations = 0;
    *switches = 0;
    for (int k = 0; k < 5; k++) {
        pl_frame_info info;
        sample_step(world, 1, &info);
        *switches += info.switch_count;
        iterations += info.iterations;
        CHECK_INT(info.unconverged_count, 0);
    }
    pl_world_destroy(world);
    return iterations;
}

// Cycles that may not go on leave the system to the direct solver, which solves it: no iterations
// are lost by that. (A few are by the matrix, which is always projected for cycles.)
TEST(mixed_contact_falls_back_to_the_direct_solver)
{
    const char* cycles[] = {"bodies[0].linear=multigrid", "bodies[1].linear=multigrid",
                            "bodies[0].linear_iterations=3", "bodies[1].linear_iterations=3"};
    const char* direct[] = {"bodies[0].linear=direct", "bodies[1].linear=direct",
                            "bodies[0].linear_iterations=3", "bodies[1].linear_iterations=3"};
    int switches;
    int of_direct = iterations_of(direct, 4, &switches);
    int of_cycles = iterations_of(cycles, 4, &switches);
    printf("%d iterations, %d with the direct solver alone\n", of_cycles, of_direct);
    CHECK(switches > 0);
    CHECK(of_cycles <= of_direct + of_direct / 10);
}

TEST(mixed_contact_is_the_same_at_any_thread_count_and_after_resume)
{ contact_check_bits(boxes, 2); }

TEST(mixed_contact_survives_lack_of_memory)
{
    const char* near[] = {"bodies[1].transform={\"translate\": [0.103, 0, 0]}"};
    pl_scene* scene = pbd_scene(boxes, near, 1);
    bool done = false;
    int failures = 0;
    for (int64_t nth = 1; !done; nth += 1 + nth / 8) failures += pbd_fails_at(scene, nth, 1, &done);
    CHECK(failures > 30);
    pl_scene_destroy(scene);
}

// drops a letter on its edge, and checks every frame until after its landing
static void check_landing(char letter, const char* turn, int frames) {
    char text[600];
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"bodies\": [{\"name\": \"letter\", \"method\": \"mixed\", "
             "\"generate\": {\"shape\": \"letter\", \"letter\": %d, \"height\": 0.1, \"edge\": "
             "0.012}, \"transform\": {\"rotate\": %s, \"translate\": [0, 0.2, 0]}, \"material\": "
             "{\"young\": 2e4, \"poisson\": 0.49999}, \"tolerance\": 1e-3}], \"colliders\": "
             "[{\"plane\": {}, \"friction\": 0.3}]}",
             letter - 'A', turn);
    pl_world* world = pbd_world(text, NULL, 0);
    double before = NAN;
    int contacts = 0;
    for (int k = 0; k < frames; k++) {
        pl_frame_info info;
        sample_step(world, 1, &info);
        if (k == 0) before = info.volume;
        contacts += info.contact_count;
        CHECK_INT(info.unconverged_count, 0);
        CHECK_NEAR(info.volume / before, 1.0, 5e-5);
    }
    CHECK(contacts > 0);
    pl_world_destroy(world);
}

// Where a body lands, its stiffness may curve down along a direction in the energy that the line
// search sees, and up in the one with all of the bulk modulus: the direction then leads nowhere.
// And a pressure that is off by the same in all of a body leaves no forces to see, but a volume.
LONG_TEST(mixed_contact_letters_land_and_keep_their_volume)
{
    check_landing('S', "[0, 40, 90]", 13);
    check_landing('A', "[0, 40, 90]", 13);
    check_landing('I', "[35, 0, 20]", 15);
}

// Two coarse bears, one of which falls on the other, as in scenes/bears_on_ball.json.
static const char bears[] =
    "{\"pliant\": 1, \"threads\": 1, \"bodies\": [\n"
    " {\"name\": \"lower\", \"method\": \"mixed\", \"generate\": {\"shape\": \"gummy_bear\",\n"
    "  \"height\": 0.1, \"edge\": 0.03}, \"transform\": {\"rotate\": [-20, 0, 10],\n"
    "  \"translate\": [0, 0.235, 0]}, \"material\": {\"young\": 2e4, \"poisson\": 0.499},\n"
    "  \"damping\": {\"stiffness\": 0.002}, \"tolerance\": 0.005, \"iterations\": 5},\n"
    " {\"name\": \"upper\", \"method\": \"mixed\", \"generate\": {\"shape\": \"gummy_bear\",\n"
    "  \"height\": 0.1, \"edge\": 0.03}, \"transform\": {\"rotate\": [10, 180, -15],\n"
    "  \"translate\": [0.012, 0.36, 0.005]}, \"material\": {\"young\": 2e4, \"poisson\": 0.499},\n"
    "  \"damping\": {\"stiffness\": 0.002}, \"tolerance\": 0.005, \"iterations\": 5}],\n"
    " \"colliders\": [{\"sphere\": {\"center\": [0, 0.08, 0], \"radius\": 0.08}, \"friction\": "
    "0.4}]}";

// A step whose iterations reach a minimum, where friction or pressures make it another function,
// has more of them for the next one.
TEST(mixed_contact_iterates_on_where_functions_change)
{
    pl_world* world = pbd_world(bears, NULL, 0);
    int most = 0;
    for (int k = 0; k < 16; k++) {
        pl_frame_info info;
        sample_step(world, 1, &info);
        CHECK_INT(info.unconverged_count, 0);
        most = most > info.iterations ? most : info.iterations;
    }
    CHECK(most > 20); // four times the `iterations` of the scene
    pl_world_destroy(world);
}
