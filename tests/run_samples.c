// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "run_samples.h"
#include "base/hash.h"
#include "test.h"

#include <stdlib.h>

const char sample_falling_box[] =
    "{\"pliant\": 1, \"frames\": 14, \"substeps\": 2, \"threads\": 2,\n"
    " \"bodies\": [{\"name\": \"box\", \"generate\": {\"shape\": \"box\", \"size_x\": 0.1,\n"
    "  \"size_y\": 0.1, \"size_z\": 0.1, \"edge\": 0.05},\n"
    "  \"transform\": {\"rotate\": [25, 0, 40], \"translate\": [0, 0.15, 0]},\n"
    "  \"angular_velocity\": [0, 90, 30], \"integrator\": \"bdf2\",\n"
    "  \"material\": {\"young\": 2e4, \"poisson\": 0.4}}],\n"
    " \"colliders\": [{\"name\": \"ground\", \"plane\": {}, \"friction\": 0.4}],\n"
    " \"output\": {\"checkpoint_every\": 2, \"fields\": [\"velocity\", \"stretch\"]}}\n";

pl_scene* sample_scene(const char* text) {
    pl_scene* scene;
    pl_error error;
    const char* path = pl_test_path("sample.json");
    pl_test_write_file(path, text, strlen(text));
    CHECK_OK(pl_scene_read(path, NULL, 0, &scene, NULL, &error), &error);
    return scene;
}

pl_world* sample_world(const pl_scene* scene) {
    pl_world* world;
    pl_error error;
    CHECK_OK(pl_world_create(scene, &world, NULL, &error), &error);
    return world;
}

void sample_point_cache(const char* name, float rate, const double* places, int points,
                        int samples) {
    size_t size = 32 + 12 * (size_t)(points * samples);
    unsigned char* bytes = calloc(1, size);
    CHECK(bytes != NULL);
    uint32_t words[5] = {1, (uint32_t)points, 0, 0, (uint32_t)samples};
    memcpy(&words[3], &rate, 4);
    memcpy(bytes, "POINTCACHE2", 12);
    memcpy(bytes + 12, words, sizeof words);
    for (int i = 0; i < 3 * points * samples; i++) {
        float value = (float)places[i];
        memcpy(bytes + 32 + 4 * i, &value, 4);
    }
    pl_test_write_file(pl_test_path(name), bytes, size);
    free(bytes);
}

pl_world* sample_start(const char* text) {
    pl_scene* scene = sample_scene(text);
    pl_world* world = sample_world(scene);
    pl_scene_destroy(scene);
    return world;
}

void sample_step(pl_world* world, int count, pl_frame_info* info) {
    pl_error error;
    for (int k = 0; k < count; k++) CHECK_OK(pl_world_step(world, info, &error), &error);
}

uint64_t sample_world_hash(pl_world* world) {
    uint64_t hash = 0;
    for (int b = 0; b < pl_world_body_count(world); b++) {
        size_t size = 3 * (size_t)pl_world_mesh(world, b)->vertex_count * sizeof(double);
        hash = pl_hash_bytes(pl_world_positions(world, b), size, hash);
        hash = pl_hash_bytes(pl_world_velocities(world, b), size, hash);
    }
    return hash;
}
