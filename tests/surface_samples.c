// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "surface_samples.h"
#include "run_samples.h"
#include "sample_meshes.h"
#include "world/world_build.h"

pl_mesh* sample_box_surface(double x, double y, double z, double size_x, double size_y,
                            double size_z) {
    static const int quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                    {0, 2, 3, 1}, {4, 5, 7, 6}, {2, 6, 7, 3}};
    double positions[24];
    int triangles[36];
    for (int v = 0; v < 8; v++) {
        positions[3 * v] = x + (v & 1) * size_x;
        positions[3 * v + 1] = y + (v >> 1 & 1) * size_y;
        positions[3 * v + 2] = z + (v >> 2 & 1) * size_z;
    }
    for (int f = 0; f < 6; f++)
        for (int i = 0; i < 6; i++) triangles[6 * f + i] = quads[f][i < 3 ? i : i == 3 ? 0 : i - 2];
    return sample_mesh(positions, 8, NULL, 0, triangles, 12);
}

pl_mesh* sample_cut(pl_mesh* mesh, int count) {
    pl_mesh* cut =
        sample_mesh(mesh->positions, mesh->vertex_count, NULL, 0, mesh->triangles, count);
    pl_mesh_destroy(mesh);
    return cut;
}

void sample_flip(pl_mesh* mesh, int first) {
    for (int t = first; t < mesh->triangle_count; t++) {
        int* v = mesh->triangles + 3 * (size_t)t;
        int kept = v[1];
        v[1] = v[2], v[2] = kept;
    }
}

void sample_write(pl_mesh* mesh, const char* name) {
    pl_error error;
    CHECK_OK(pl_mesh_write(mesh, pl_test_path(name), NULL, NULL, &error), &error);
    pl_mesh_destroy(mesh);
}

pl_world* sample_try(const char* text, pl_notes* notes, pl_error* error) {
    pl_scene* scene = sample_scene(text);
    pl_world* world;
    if (pl_world_create(scene, &world, notes, error) != PL_OK) world = NULL;
    pl_scene_destroy(scene);
    return world;
}

const char* sample_find_note(const pl_notes* notes, const char* part) {
    for (int k = 0; k < pl_notes_count(notes); k++)
        if (strstr(pl_notes_text(notes, k, NULL), part)) return pl_notes_text(notes, k, NULL);
    return NULL;
}

double sample_mass(const pl_world* world) {
    const pl_world_system* system = &world->systems[0];
    const double* masses = system->method->masses(system->data);
    double sum = 0.0;
    for (int v = 0; v < system->vertex_count; v++) sum += masses[v];
    return sum;
}

double sample_lowest(pl_world* world, int body) {
    double lowest = INFINITY;
    for (int v = 0; v < pl_world_mesh(world, body)->vertex_count; v++)
        lowest = fmin(lowest, pl_world_positions(world, body)[3 * v + 1]);
    return lowest;
}
