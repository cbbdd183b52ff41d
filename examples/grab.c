// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A program that steps pliant in its own loop. A soft bar is held at its left side; a hand grabs
// the tip at its right side, lifts it and lets go. Build with `pkg-config --cflags --libs pliant`.
#include <pliant/pliant.h>
#include <stdio.h>

// a bar of soft rubber, 1 m long, held at its left side
static pl_status build_scene(pl_scene* scene, pl_error* error) {
    const pl_shape_value size[] = {
        {"size_x", 1.0, NULL}, {"size_y", 0.2, NULL}, {"size_z", 0.2, NULL}, {"edge", 0.1, NULL}};
    pl_body bar = pl_default_body();
    bar.name = "bar";
    bar.shape = PL_SHAPE_GENERATE;
    bar.generate = (pl_shape_maker){"bar", 4, size};
    bar.material.young = 2e5;     // [Pa]
    bar.damping.stiffness = 0.02; // [s]
    pl_status status = pl_scene_add_body(scene, &bar, error);
    if (status != PL_OK) return status;

    pl_attachment wall = pl_default_attachment();
    wall.name = "wall";
    wall.body = "bar";
    wall.where.kind = PL_SELECT_SIDE;
    wall.where.side.face = PL_SIDE_LOW_X;
    status = pl_scene_add_attachment(scene, &wall, error);
    return status == PL_OK ? pl_scene_resolve(scene, error) : status;
}

// the vertex farthest to the right and up
static int find_tip(const pl_mesh* mesh) {
    int tip = 0;
    for (int v = 1; v < mesh->vertex_count; v++) {
        const double *a = mesh->positions + 3 * v, *b = mesh->positions + 3 * tip;
        if (a[0] + a[1] > b[0] + b[1]) tip = v;
    }
    return tip;
}

static pl_status simulate(pl_world* world, pl_error* error) {
    int bar = pl_world_find_body(world, "bar");
    int tip = find_tip(pl_world_mesh(world, bar));
    const double* at = pl_world_positions(world, bar) + 3 * tip; // stays valid from step to step
    int hand = -1;
    for (int frame = 0; frame < 120; frame++) {
        if (frame == 40) hand = pl_world_grab(world, bar, tip, 1000.0);
        if (frame > 40 && frame <= 70) pl_world_move(world, hand, at[0], at[1] + 0.02, at[2]);
        if (frame == 80) pl_world_release(world, hand);
        pl_frame_info info;
        pl_status status = pl_world_step(world, &info, error);
        if (status != PL_OK) return status;
        if (frame % 10 == 9)
            printf("%.2f s: tip at (%.3f, %.3f, %.3f), %d iterations\n", info.time, at[0], at[1],
                   at[2], info.iterations);
    }
    return PL_OK;
}

int main(void) {
    pl_error error = {0};
    pl_scene* scene = NULL;
    pl_world* world = NULL;
    pl_status status = pl_scene_create(&scene, &error);
    if (status == PL_OK) status = build_scene(scene, &error);
    if (status == PL_OK) status = pl_world_create(scene, &world, NULL, &error);
    if (status == PL_OK) status = simulate(world, &error);
    if (status != PL_OK) fprintf(stderr, "%s: %s\n", pl_status_text(status), error.text);
    pl_world_destroy(world);
    pl_scene_destroy(scene);
    return status == PL_OK ? 0 : 1;
}
