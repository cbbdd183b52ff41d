// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "contact_samples.h"
#include "base/memory.h"
#include "pbd_samples.h"
#include "run_samples.h"
#include "test.h"
#include "world/world_build.h"

#include <stdlib.h>

void contact_momentum(pl_world* world, pl_vec3* linear, pl_vec3* angular, double* size) {
    pl_error error;
    *linear = *angular = (pl_vec3){0, 0, 0};
    *size = 0.0;
    for (int b = 0; b < pl_world_body_count(world); b++) {
        double own[3], spin[3];
        CHECK_OK(pl_world_momentum(world, b, own, spin, &error), &error);
        *linear = pl_add(*linear, pl_vec3_load(own));
        *angular = pl_add(*angular, pl_vec3_load(spin));
        *size += pl_norm(pl_vec3_load(own));
    }
}

pl_vec3 contact_middle(pl_world* world, int body) {
    pl_vec3 sum = {0, 0, 0};
    const int count = pl_world_mesh(world, body)->vertex_count;
    for (int v = 0; v < count; v++)
        sum = pl_madd(sum, 1.0 / count, pl_vec3_load(pl_world_positions(world, body) + 3 * v));
    return sum;
}

void contact_check_bits(const char* text, int frames) {
    const char* threads[] = {"threads=3"};
    pl_scene* scene = pbd_scene(text, NULL, 0);
    pl_world *one = sample_world(scene), *many = pbd_world(text, threads, 1);
    pl_error error;
    sample_step(one, frames, NULL);
    sample_step(many, frames, NULL);
    CHECK(sample_world_hash(one) == sample_world_hash(many));
    const size_t size = pl_world_state_size(one);
    void* state = malloc(size);
    pl_world_state_save(one, state);
    pl_frame_info info;
    sample_step(one, 1, &info);
    CHECK(info.contact_count > 0);
    pl_world* other = sample_world(scene);
    CHECK_OK(pl_world_state_load(other, state, size, &error), &error);
    sample_step(other, 1, NULL);
    CHECK(sample_world_hash(one) == sample_world_hash(other));
    // warm frames do not allocate
    CHECK_OK(pl_world_state_load(other, state, size, &error), &error);
    pl_inject_failure(0);
    sample_step(other, 1, NULL);
    CHECK_INT(pl_inject_failure(0), 0);
    free(state);
    pl_world_destroy(one);
    pl_world_destroy(many);
    pl_world_destroy(other);
    pl_scene_destroy(scene);
}

void contact_check_meeting(pl_world* world, int frames, int least_contacts, double tolerance) {
    double size, unused, energy = NAN;
    pl_vec3 before, after, turn;
    int contacts = 0;
    contact_momentum(world, &before, &turn, &size);
    for (int k = 0; k < frames; k++) {
        pl_frame_info info;
        sample_step(world, 1, &info);
        contacts += info.contact_count;
        CHECK_INT(pl_world_crossings(world), 0);
        const double sum = info.kinetic_energy + info.elastic_energy + info.contact_energy;
        if (k == 0) energy = sum;
        CHECK(sum < 1.01 * energy);
    }
    CHECK(contacts > least_contacts);
    contact_momentum(world, &after, &turn, &unused);
    CHECK_NEAR(pl_distance(before, after) / size, 0.0, tolerance);
    CHECK(contact_middle(world, 0).x < contact_middle(world, 1).x - 0.15);
    pl_world_destroy(world);
}
