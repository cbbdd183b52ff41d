// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The guard above all methods: steps that gain energy out of nothing are taken back, tried again,
// and end the run; steps that do not are left alone.
#include "run_samples.h"
#include "test.h"
#include "world/world_build.h"

#include <stdlib.h>

static const char box[] =
    "{\"pliant\": 1, \"time_step\": 0.01, \"bodies\": [{\"name\": \"box\", \"generate\": "
    "{\"shape\": \"box\", \"edge\": 0.5}, \"material\": {\"young\": 1e5, \"poisson\": 0.3, "
    "\"density\": 1000}}]}";

// A method that is that of the world, but for what it does to velocities after a step.
static struct {
    const pl_method_functions* method;
    double factor;    // of velocities
    double from_step; // in steps of at least so many seconds
    bool cured;       // by careful settings
    bool is_careful;
} fault;

static pl_status faulty_step(void* system, const pl_method_step* step, pl_method_info* info,
                             pl_error* error) {
    pl_status status = fault.method->step(system, step, info, error);
    if (step->time_step < fault.from_step || (fault.cured && fault.is_careful)) return status;
    double* v = fault.method->velocities(system);
    for (int i = 0; i < 81; i++) v[i] *= fault.factor;
    return status;
}

static void faulty_careful(void* system, const pl_method_body* bodies, bool is_careful) {
    (void)system, (void)bodies;
    fault.is_careful = is_careful;
}

// the world of the box after five good frames, with a method that errs from now on
static pl_world* faulty_world(double factor, double from_step, bool cured) {
    static pl_method_functions faulty;
    pl_world* world = sample_start(box);
    sample_step(world, 5, NULL);
    fault.method = world->systems[0].method;
    fault.factor = factor, fault.from_step = from_step, fault.cured = cured;
    fault.is_careful = false;
    faulty = *fault.method;
    faulty.step = faulty_step;
    faulty.careful = faulty_careful;
    world->systems[0].method = &faulty;
    return world;
}

TEST(guard_stops_what_explodes_with_the_last_good_state)
{
    pl_world* world = faulty_world(3.0, 0.0, false);
    uint64_t before = sample_world_hash(world);
    pl_error error;
    CHECK_INT(pl_world_step(world, NULL, &error), PL_ERROR_DIVERGED);
    CHECK_TEXT(error.text, "body \"box\"");
    CHECK_TEXT(error.text, "J at most");
    CHECK_TEXT(error.text, "m/s");
    CHECK_TEXT(error.text, "time_step");
    CHECK(sample_world_hash(world) == before);
    CHECK_INT(pl_world_frame(world), 5);
    // and goes on from there when the cause is gone, as if nothing had been
    fault.factor = 1.0;
    pl_world* good = sample_start(box);
    sample_step(good, 8, NULL);
    sample_step(world, 3, NULL);
    CHECK(sample_world_hash(world) == sample_world_hash(good));
    pl_world_destroy(good);
    pl_world_destroy(world);
}

// no single step is conspicuous
TEST(guard_finds_slow_explosions)
{
    pl_world* world = faulty_world(1.2, 0.0, false);
    pl_error error;
    int done = 0;
    while (done < 100 && pl_world_step(world, NULL, &error) == PL_OK) done++;
    CHECK(done < 40);
    CHECK_TEXT(error.text, "gains energy");
    pl_world_destroy(world);
}

TEST(guard_tries_smaller_steps)
{
    pl_world* world = faulty_world(3.0, 0.003, false);
    pl_frame_info info;
    pl_error error;
    CHECK_OK(pl_world_step(world, &info, &error), &error);
    CHECK_INT(info.retry_count, 2);
    CHECK_NEAR(pl_world_time(world), 0.06, 1e-15);
    // free fall in six steps, the last in four parts
    CHECK_NEAR(pl_world_velocities(world, 0)[1], -9.81 * 0.06, 1e-9);
    pl_world_destroy(world);
}

TEST(guard_tries_careful_settings_last)
{
    pl_world* world = faulty_world(3.0, 0.0, true);
    pl_frame_info info;
    pl_error error;
    CHECK_OK(pl_world_step(world, &info, &error), &error);
    CHECK_INT(info.retry_count, 4);
    CHECK(!fault.is_careful);
    pl_world_destroy(world);
}

TEST(guard_commits_nothing_that_is_not_finite)
{
    static const double factors[] = {NAN, INFINITY};
    for (int k = 0; k < 2; k++) {
        pl_world* world = faulty_world(factors[k], 0.0, false);
        uint64_t before = sample_world_hash(world);
        pl_error error;
        CHECK_INT(pl_world_step(world, NULL, &error), PL_ERROR_DIVERGED);
        CHECK_TEXT(error.text, "not finite");
        CHECK(sample_world_hash(world) == before);
        pl_world_destroy(world);
    }
}

// what the host does is no explosion
TEST(guard_lets_the_host_write_and_push)
{
    pl_world* world = sample_start(box);
    sample_step(world, 2, NULL);
    double *x = pl_world_positions(world, 0), *v = pl_world_velocities(world, 0);
    pl_frame_info info;
    for (int i = 0; i < 27; i++) v[3 * i] += 1000.0;
    sample_step(world, 2, &info);
    CHECK_INT(info.retry_count, 0);
    for (int i = 0; i < 27; i++) x[3 * i] *= 1.5, x[3 * i + 2] *= 0.7;
    sample_step(world, 2, &info);
    CHECK_INT(info.retry_count, 0);
    for (int i = 0; i < 27; i++) pl_world_forces(world, 0)[3 * i + 1] = 1e6;
    sample_step(world, 2, &info);
    CHECK_INT(info.retry_count, 0);
    int hand = pl_world_grab(world, 0, 0, 1e6);
    pl_world_move(world, hand, 50.0, 20.0, 0.0);
    sample_step(world, 3, &info);
    CHECK_INT(info.retry_count, 0);
    pl_world_destroy(world);
}

// Pins that pull, jump and shake, a collider that strikes, a body that starts inside another one:
// energy comes in by all of them.
LONG_TEST(guard_knows_what_pins_and_colliders_put_in)
{
    static const char* const acts[] = {
        "\"attachments\": [{\"body\": \"box\", \"where\": {\"side\": \"-x\"}}, {\"body\": \"box\", "
        "\"where\": {\"side\": \"+x\"}, \"motion\": {\"keyframes\": [{\"time\": 0}, {\"time\": "
        "0.05, \"translate\": [1, 0, 0]}, {\"time\": 0.1, \"translate\": [0, 1, 0]}]}}]",
        "\"attachments\": [{\"body\": \"box\", \"where\": {\"side\": \"-x\"}, \"motion\": "
        "{\"keyframes\": [{\"time\": 0}, {\"time\": 0.05, \"translate\": [3, 0, 0]}, {\"time\": "
        "0.1}, {\"time\": 0.15, \"translate\": [3, 0, 0]}]}}]",
        "\"attachments\": [{\"body\": \"box\", \"where\": {\"side\": \"-x\"}, \"point\": [5, 1, "
        "0], \"stiffness\": 1e5, \"from\": 0.05}]",
        "\"colliders\": [{\"sphere\": {\"center\": [0.5, -2, 0.5], \"radius\": 1}, \"friction\": "
        "0.5, \"motion\": {\"keyframes\": [{\"time\": 0}, {\"time\": 0.1, \"translate\": [0, 3, "
        "0]}, {\"time\": 0.15, \"translate\": [1, 3, 0]}]}}]",
        "\"colliders\": [{\"plane\": {\"point\": [0, 0.3, 0]}, \"friction\": 0.5}]",
        "\"attachments\": [{\"body\": \"box\", \"where\": {\"side\": \"-x\"}, \"point\": [0, 1, "
        "0], \"until\": 0.1}]",
    };
    static const char* const methods[] = {"\"fem\"", "\"fem\", \"integrator\": \"bdf2\"",
                                          "\"fem\", \"integrator\": \"midpoint\"",
                                          "\"pbd\", \"material\": {\"law\": \"springs\"}"};
    for (size_t k = 0; k < sizeof acts / sizeof acts[0]; k++)
        for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
            char text[1400];
            if (m == 2 && k != 0) continue; // jolts do give energy to midpoint steps
            snprintf(text, sizeof text,
                     "{\"pliant\": 1, \"time_step\": 0.01, \"bodies\": [{\"name\": \"box\", "
                     "\"generate\": {\"shape\": \"box\", \"edge\": 0.5}, \"method\": %s}], %s}",
                     methods[m], acts[k]);
            pl_world* world = sample_start(text);
            pl_frame_info info;
            for (int frame = 0; frame < 20; frame++) {
                sample_step(world, 1, &info);
                if (info.retry_count)
                    pl_test_fail(__FILE__, __LINE__, "%s: retried in frame %d", text, frame);
            }
            pl_world_destroy(world);
        }
}

// Elements that a pin has turned inside out have no finite energy: no state to go on with.
// A block is pressed slowly from above, by 5 cm in 4 s.
static void press(const char* collider) {
    char text[1024];
    snprintf(
        text, sizeof text,
        "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"block\", "
        "\"generate\": {\"shape\": \"box\", \"size_x\": 0.1, \"size_y\": 0.1, \"size_z\": 0.1, "
        "\"edge\": 0.05}, \"material\": {\"young\": 1e4, \"poisson\": 0.3}}], \"attachments\": "
        "[{\"body\": \"block\", \"where\": {\"side\": \"-y\"}}], \"colliders\": [%s]}",
        collider);
    pl_world* world = sample_start(text);
    pl_frame_info info;
    for (int k = 0; k < 240; k++) {
        sample_step(world, 1, &info); // fails if the guard stops the run
        CHECK_INT(info.retry_count, 0);
    }
    CHECK(info.elastic_energy > 1.0);
    pl_world_destroy(world);
}

// The force of a stiff contact does its work too, although the vertex is hardly below the surface.
TEST(guard_knows_the_work_of_stiff_contacts)
{
    press("{\"plane\": {\"point\": [0, 0.105, 0], \"normal\": [0, -1, 0]}, \"stiffness\": 1e6, "
          "\"motion\": {\"keyframes\": [{\"time\": 0}, {\"time\": 4, \"translate\": [0, -0.05, "
          "0]}]}}");
}

TEST(guard_knows_the_work_of_colliders_that_grow)
{
    press("{\"sphere\": {\"center\": [0.05, 0.3, 0.05], \"radius\": {\"keyframes\": [[0, 0.195], "
          "[4, 0.25]]}}}");
}

TEST(guard_tells_of_energy_that_is_not_finite)
{
    pl_world* world = sample_start(
        "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"c\", \"generate\": "
        "{\"shape\": \"box\", \"edge\": 0.5, \"size_x\": 2}, \"integrator\": \"quasistatic\", "
        "\"material\": {\"law\": \"neohookean\", \"young\": 1e5, \"poisson\": 0.35}}],\n"
        "\"attachments\": [{\"body\": \"c\", \"where\": {\"side\": \"-x\"}}, {\"body\": \"c\", "
        "\"where\": {\"side\": \"+x\"}, \"motion\": {\"keyframes\": [{\"time\": 0}, {\"time\": "
        "0.0166, \"translate\": [-3, 0, 0]}]}}]}");
    pl_error error;
    CHECK_INT(pl_world_step(world, NULL, &error), PL_ERROR_DIVERGED);
    CHECK_TEXT(error.text, "energy is not finite");
    CHECK_INT(pl_world_frame(world), 0);
    pl_world_destroy(world);
}

// Each of these ran to its end with 1e7 J and more. They stop, or they keep their energy.
static void check_energy(const char* text, int frames, double most) {
    pl_world* world = sample_start(text);
    pl_error error;
    for (int frame = 0; frame < frames; frame++) {
        pl_frame_info info;
        pl_status status = pl_world_step(world, &info, &error);
        if (status != PL_OK) {
            CHECK_INT(status, PL_ERROR_DIVERGED);
            CHECK_TEXT(error.text, "gains energy");
            break;
        }
        CHECK(info.kinetic_energy + info.elastic_energy < most);
    }
    pl_world_destroy(world);
}

LONG_TEST(guard_keeps_watch_over_midpoint_and_contact)
{
    // m g z = 4 kg 9.81 m/s^2 0.3 m, and elastic energy comes with it
    check_energy("{\"pliant\": 1, \"bodies\": [{\"name\": \"ball\", \"generate\": {\"shape\": "
                 "\"sphere\", \"radius\": 0.1, \"edge\": 0.08}, \"transform\": {\"translate\": [0, "
                 "0.3, 0]}, \"integrator\": \"midpoint\", \"material\": {\"young\": 1e5, "
                 "\"poisson\": 0.4, \"density\": 1000}}], \"colliders\": [{\"plane\": {}}]}",
                 150, 50.0);
}

TEST(guard_keeps_watch_over_few_projective_iterations)
{
    check_energy("{\"pliant\": 1, \"bodies\": [{\"name\": \"bear\", \"generate\": {\"shape\": "
                 "\"gummy_bear\", \"edge\": 0.015}, \"transform\": {\"translate\": [0, 0.05, 0], "
                 "\"rotate\": [20, 0, 0]}, \"material\": {\"young\": 2e4, \"poisson\": 0.45, "
                 "\"density\": 1100}, \"nonlinear\": \"projective\", \"iterations\": 1}], "
                 "\"colliders\": [{\"plane\": {}, \"friction\": 0.5}]}",
                 60, 2.0);
}
