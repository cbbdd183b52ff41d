// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Bodies that are solved apart and push each other.
#include "base/memory.h"
#include "base/notes.h"
#include "contact/push_list.h"
#include "contact_samples.h"
#include "run_samples.h"
#include "test.h"
#include "world/world_build.h"

#include <stdlib.h>
#include <string.h>

// Two balls that meet, one a little aside; what a step of Newton's method leaves unbalanced is lost
// or gained.
static pl_world* balls(const char* first, const char* second, int threads) {
    char text[2048];
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"threads\": %d, \"bodies\": [\n"
             " {\"name\": \"left\", \"generate\": {\"shape\": \"sphere\", \"radius\": 0.1, "
             "\"edge\": 0.08}, \"transform\": {\"translate\": [-0.12, 0, 0]}, \"velocity\": "
             "[2, 0, 0], \"material\": {\"young\": 2e4}, %s},\n"
             " {\"name\": \"right\", \"generate\": {\"shape\": \"sphere\", \"radius\": 0.1, "
             "\"edge\": 0.08}, \"transform\": {\"translate\": [0.12, 0.02, 0.01]}, \"velocity\": "
             "[-1, 0, 0], \"material\": {\"young\": 2e4}, %s}]}",
             threads, first, second);
    return sample_start(text);
}

#define EXACT "\"tolerance\": 1e-10, \"iterations\": 200"
static const char fem[] = "\"method\": \"fem\", " EXACT;
static const char euler[] = "\"method\": \"fem\", \"integrator\": \"euler\", " EXACT;
static const char mixed[] = "\"method\": \"mixed\", " EXACT;
static const char pbd[] = "\"method\": \"pbd\"";
static const char grid[] = "\"method\": \"grid\", \"grid\": {\"cell\": 0.04}, \"tolerance\": 1e-8";

static void check_head_on(const char* first, const char* second) {
    pl_world* world = balls(first, second, 1);
    pl_vec3 before, turn, after, turned;
    double size, unused, energy = NAN;
    int contacts = 0;
    contact_momentum(world, &before, &turn, &size);
    for (int k = 0; k < 10; k++) {
        pl_frame_info info;
        sample_step(world, 1, &info);
        contacts += info.contact_count;
        CHECK_INT(pl_world_crossings(world), 0);
        const double sum = info.kinetic_energy + info.elastic_energy;
        if (k == 0) energy = sum;
        CHECK(sum < 1.01 * energy);
    }
    CHECK(contacts > 5);
    contact_momentum(world, &after, &turned, &unused);
    CHECK_NEAR(pl_distance(before, after) / size, 0.0, 1e-9);
    CHECK(contact_middle(world, 0).x < contact_middle(world, 1).x - 0.15); // on their sides
    pl_world_destroy(world);
}

TEST(coupling_fem_and_pbd_keep_momentum_and_energy)
{ check_head_on(fem, pbd); }
TEST(coupling_fem_and_mixed_keep_momentum_and_energy)
{ check_head_on(fem, mixed); }
TEST(coupling_mixed_and_pbd_keep_momentum_and_energy)
{ check_head_on(mixed, pbd); }
TEST(coupling_two_integrators_keep_momentum_and_energy)
{ check_head_on(fem, euler); }
TEST(coupling_fem_and_grid_keep_momentum_and_energy)
{ check_head_on(fem, grid); }
TEST(coupling_pbd_and_grid_keep_momentum_and_energy)
{ check_head_on(pbd, grid); }
