// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Frames that may take only so long, by a clock that the test turns.
#include "base/deadline.h"
#include "mesh/mesh_source.h"
#include "run_samples.h"
#include "sparse/linear_info.h"
#include "test.h"

#include <stdlib.h>

// Every look at the clock takes a tick.
typedef struct fake_clock {
    double now, tick;
} fake_clock;

static double read_clock(void* user) {
    fake_clock* clock = user;
    return clock->now += clock->tick;
}

// a bar that is held at one end and falls from rest
static pl_world* start_bar(const char* settings) {
    char text[1000];
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"threads\": 2, \"bodies\": [{\"name\": \"bar\", %s,\n"
             "  \"generate\": {\"shape\": \"box\", \"size_x\": 0.4, \"size_y\": 0.1, \"size_z\": "
             "0.1, \"edge\": 0.05},\n"
             "  \"material\": {\"young\": 3e4, \"poisson\": 0.4}}],\n"
             " \"attachments\": [{\"body\": \"bar\", \"where\": {\"side\": \"-x\"}}]}\n",
             settings);
    return sample_start(text);
}

static const struct {
    const char* settings;
    bool first_frame_measures; // what a round takes is known from the frame before
} methods[] = {
    {"\"nonlinear\": \"newton\", \"tolerance\": 1e-9", false},
    {"\"nonlinear\": \"newton\", \"linear\": \"mgpcg\", \"integrator\": \"bdf2\", \"tolerance\": "
     "1e-9",
     false},
    {"\"nonlinear\": \"newton\", \"linear\": \"direct\", \"tolerance\": 1e-9", false},
    {"\"nonlinear\": \"projective\", \"tolerance\": 1e-5", false},
    {"\"nonlinear\": \"projective\", \"linear\": \"direct\", \"tolerance\": 1e-7", false},
    {"\"method\": \"mixed\", \"linear\": \"mgpcg\", \"tolerance\": 1e-9", false},
    {"\"method\": \"mixed\", \"linear\": \"direct\", \"tolerance\": 1e-9", false},
    {"\"method\": \"grid\", \"grid\": {\"cell\": 0.05}, \"tolerance\": 1e-5", false},
    {"\"method\": \"pbd\", \"pbd\": {\"model\": \"stiffness\"}", true},
    {"\"method\": \"pbd\", \"pbd\": {\"model\": \"compliance\", \"substeps\": 8}", true},
};
enum { METHOD_COUNT = sizeof methods / sizeof methods[0] };

static int work_of(const pl_frame_info* info) { return info->iterations + info->linear_iterations; }

// every vertex within so much of the bar's place
static void check_bounded(pl_world* world) {
    const double* x = pl_world_positions(world, 0);
    const double* v = pl_world_velocities(world, 0);
    for (int i = 0; i < 3 * pl_world_mesh(world, 0)->vertex_count; i++)
        CHECK(fabs(x[i]) < 1.0 && fabs(v[i]) < 20.0);
}

LONG_TEST(budget_of_one_tick_leaves_one_round_of_every_method)
{
    for (int m = 0; m < METHOD_COUNT; m++) {
        pl_world* free_world = start_bar(methods[m].settings);
        pl_world* world = start_bar(methods[m].settings);
        fake_clock clock = {.tick = 1e-3};
        pl_world_set_budget(world, 1e-3, read_clock, &clock);
        pl_frame_info whole, cut;
        int whole_count = 0;
        for (int k = 0; k < 40; k++) {
            sample_step(free_world, 1, &whole);
            sample_step(world, 1, &cut);
            CHECK_INT(whole.cut_count, 0);
            if (k == 0 && methods[m].first_frame_measures) continue;
            // a frame whose cut state gains energy is made again, as a whole
            CHECK_INT(cut.cut_count, cut.retry_count > 0 ? 0 : 1);
            whole_count += cut.retry_count > 0;
            CHECK(work_of(&cut) >= 1);
            if (k == 1) CHECK(work_of(&cut) < work_of(&whole));
            check_bounded(world);
        }
        CHECK(whole_count <= 20);
        pl_world_destroy(world);
        pl_world_destroy(free_world);
    }
}

LONG_TEST(budget_that_suffices_changes_no_bit)
{
    for (int m = 0; m < METHOD_COUNT; m++) {
        pl_world* free_world = start_bar(methods[m].settings);
        pl_world* world = start_bar(methods[m].settings);
        fake_clock clock = {.tick = 1e-3};
        pl_world_set_budget(world, 1e3, read_clock, &clock);
        pl_frame_info info;
        for (int k = 0; k < 3; k++) {
            sample_step(free_world, 1, NULL);
            sample_step(world, 1, &info);
            CHECK_INT(info.cut_count, 0);
        }
        CHECK(sample_world_hash(world) == sample_world_hash(free_world));
        // from here on the budget no longer counts
        pl_world_set_budget(world, 0.0, NULL, NULL);
        double before = clock.now;
        sample_step(world, 1, &info);
        CHECK(clock.now == before);
        pl_world_destroy(world);
        pl_world_destroy(free_world);
    }
}

// Linear solves look at the clock, too: by cycles, by conjugate gradients, and by Newton's.
TEST(budget_ends_linear_solves)
{
    static const char* const settings[] = {
        "\"nonlinear\": \"newton\", \"linear\": \"pcg\"",
        "\"nonlinear\": \"newton\", \"linear\": \"mgpcg\"",
        "\"nonlinear\": \"projective\", \"linear\": \"pcg\"",
        "\"nonlinear\": \"projective\", \"linear\": \"mgpcg\", \"fixed\": true",
    };
    for (size_t m = 0; m < sizeof settings / sizeof settings[0]; m++) {
        char text[400];
        snprintf(text, sizeof text,
                 "%s, \"integrator\": \"bdf2\", \"iterations\": 1, \"linear_iterations\": 400, "
                 "\"linear_tolerance\": 1e-6",
                 settings[m]);
        pl_world* free_world = start_bar(text);
        pl_world* world = start_bar(text);
        fake_clock clock = {.tick = 1e-3};
        pl_world_set_budget(world, 1e-3, read_clock, &clock);
        pl_frame_info whole, cut;
        sample_step(free_world, 1, &whole);
        sample_step(world, 1, &cut);
        CHECK_INT(cut.cut_count, 1);
        CHECK_INT(cut.linear_iterations, 1);
        CHECK(whole.linear_iterations > 2);
        pl_world_destroy(world);
        pl_world_destroy(free_world);
    }
}

// The state that a cut step leaves may gain energy. The frame then is what it would have been
// without a budget, and not that of smaller steps.
TEST(budget_frame_that_fails_is_made_whole)
{
    pl_world* free_world = start_bar(methods[3].settings);
    pl_world* world = start_bar(methods[3].settings);
    fake_clock clock = {.tick = 1e-3};
    pl_world_set_budget(world, 1e-3, read_clock, &clock);
    size_t size = pl_world_state_size(world);
    void* state = malloc(size);
    int retried = 0;
    pl_error error;
    for (int k = 0; k < 40; k++) {
        pl_world_state_save(world, state);
        pl_frame_info info;
        sample_step(world, 1, &info);
        if (info.retry_count == 0) continue;
        retried++;
        CHECK_INT(info.retry_count, 1);
        CHECK_OK(pl_world_state_load(free_world, state, size, &error), &error);
        sample_step(free_world, 1, NULL);
        CHECK(sample_world_hash(world) == sample_world_hash(free_world));
    }
    CHECK(retried > 0);
    free(state);
    pl_world_destroy(world);
    pl_world_destroy(free_world);
}

TEST(budget_buys_iterations)
{
    double residual = INFINITY;
    int iterations = 0, first = 0;
    for (int ticks = 1; ticks <= 64; ticks *= 4) {
        pl_world* world = start_bar(methods[0].settings);
        fake_clock clock = {.tick = 1e-3};
        pl_world_set_budget(world, 1e-3 * ticks, read_clock, &clock);
        pl_frame_info info;
        sample_step(world, 1, &info);
        CHECK(info.iterations >= iterations && info.residual <= residual);
        iterations = info.iterations;
        residual = info.residual;
        if (ticks == 1) first = iterations;
        pl_world_destroy(world);
    }
    CHECK_INT(first, 1);
    CHECK(iterations > first);
}

// Looks at the clock are all that takes time here, so a frame takes as many ticks as there are
// looks. The first substep must not use up what the others need.
TEST(budget_is_shared_by_substeps_and_kept)
{
    pl_world* world = start_bar(methods[0].settings);
    pl_error error;
    const char* change = "substeps=4";
    CHECK_OK(pl_world_change(world, &change, 1, NULL, &error), &error);
    fake_clock clock = {.tick = 1e-3};
    const double budget = 0.060;
    pl_world_set_budget(world, budget, read_clock, &clock);
    pl_frame_info info;
    for (int k = 0; k < 10; k++) {
        double before = clock.now;
        sample_step(world, 1, &info);
        CHECK(info.cut_count <= 4);
        CHECK(info.iterations >= 8); // two in each substep
        CHECK(clock.now - before < 1.25 * budget);
    }
    pl_world_destroy(world);
}

TEST(deadline_says_how_many_rounds_fit)
{
    fake_clock clock = {0};
    pl_deadline deadline = {1.0, read_clock, &clock};
    CHECK_INT(pl_deadline_rounds(&deadline, 0.3, 10), 3);
    CHECK_INT(pl_deadline_rounds(&deadline, 0.3, 2), 2);
    CHECK_INT(pl_deadline_rounds(&deadline, 7.0, 10), 1);
    CHECK_INT(pl_deadline_rounds(&deadline, 0.0, 10), 10);
    CHECK_INT(pl_deadline_rounds(NULL, 0.3, 10), 10);
    clock.now = 0.5;
    CHECK(pl_deadline_has_room(&deadline, 0.0) && !pl_deadline_has_room(&deadline, -0.1));
    CHECK(pl_deadline_has_room(NULL, -1e9));
    pl_linear_options options = {.max_iterations = 9, .deadline = &deadline};
    pl_linear_info info = {.iterations = 1};
    CHECK(!pl_linear_is_over(&options, &info));
    clock.now = 2.0;
    CHECK(pl_linear_is_over(&options, &info));
    info.iterations = 0; // one is done in any case
    CHECK(!pl_linear_is_over(&options, &info));
}

TEST(budget_of_a_run_is_told)
{
    static char text[4000];
    char command[900];
    pl_test_write_file(pl_test_path("box.json"), sample_falling_box, strlen(sample_falling_box));
    snprintf(command, sizeof command, "pliant run %s/box.json -o %s/run --budget 1us --quiet",
             pl_test_folder(), pl_test_folder());
    CHECK_INT(pl_test_run(command, text, sizeof text), 0);
    CHECK_TEXT(text, "the budget ended solves");
    pl_source log, metrics;
    pl_error error;
    CHECK_OK(pl_source_load(pl_test_path("run/log.txt"), 0, &log, &error), &error);
    CHECK_TEXT(log.data, "the budget cut solves in");
    pl_source_free(&log);
    CHECK_OK(pl_source_load(pl_test_path("run/metrics.csv"), 0, &metrics, &error), &error);
    CHECK_TEXT(metrics.data, ",switches,cuts");
    pl_source_free(&metrics);
    static const char* const wrong[] = {"8", "ms", "0ms", "8 ms", "-8ms", "8min", "1e3ms"};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        snprintf(command, sizeof command, "pliant run %s/box.json -o %s/no --budget '%s'",
                 pl_test_folder(), pl_test_folder(), wrong[k]);
        CHECK_INT(pl_test_run(command, text, sizeof text), 2);
        CHECK_TEXT(text, "give one like 8ms");
    }
}
