// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "motion_net.h"
#include "base/array.h"
#include "math/vec3.h"
#include "pbd_samples.h"
#include "run_samples.h"
#include "test.h"

#include <math.h>
#include <pliant/mesh.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FRAMES = 60, MOST_OVERRIDES = 12 };

// rest_frames: until the body is still, with mass damping
static const struct {
    const char *name, *text;
    int frames, rest_frames;
} cases[MOTION_BODIES] = {
    [MOTION_BAR] = {"bar",
                    "{\"pliant\": 1, \"threads\": 1, \"bodies\": [{\"name\": \"b\", \"generate\": "
                    "{\"shape\": \"bar\", \"size_x\": 0.6, \"size_y\": 0.15, \"size_z\": 0.15, "
                    "\"edge\": 0.075}, \"material\": {\"young\": 4e4, \"poisson\": 0.4}}], "
                    "\"attachments\": [{\"body\": \"b\", \"where\": {\"side\": \"-x\"}}]}",
                    40, 300},
    [MOTION_BEAR] = {"bear",
                     "{\"pliant\": 1, \"threads\": 1, \"bodies\": [{\"name\": \"b\", \"generate\": "
                     "{\"shape\": \"gummy_bear\", \"height\": 0.1, \"edge\": 0.014}, "
                     "\"transform\": {\"rotate\": [-75, 0, 0], \"translate\": [0, 0.04, 0]}, "
                     "\"material\": {\"young\": 1.5e4, \"poisson\": 0.45}, \"damping\": "
                     "{\"stiffness\": 0.002}}], \"colliders\": [{\"plane\": {}, \"friction\": "
                     "0.6}]}",
                     30, 100},
    [MOTION_DRAPE] = {"drape",
                      "{\"pliant\": 1, \"threads\": 1, \"bodies\": [{\"name\": \"b\", "
                      "\"generate\": {\"shape\": \"cloth\", \"size_x\": 1, \"size_y\": 1, "
                      "\"count_x\": 17, \"count_y\": 17}, \"transform\": {\"rotate\": [-90, 0, "
                      "0]}, \"material\": {\"bend\": 1e-4}}], \"attachments\": [{\"body\": \"b\", "
                      "\"where\": {\"nearest\": {\"point\": [0, 0, 0], \"count\": 1}}}, {\"body\": "
                      "\"b\", \"where\": {\"nearest\": {\"point\": [1, 0, 0], \"count\": 1}}}]}",
                      36, 240},
};

typedef struct motion_track {
    int frame_count;
    pl_vec3 centre[MOST_FRAMES + 1], tip[MOST_FRAMES + 1];
    double volume[MOST_FRAMES + 1], stretch[MOST_FRAMES + 1];
    double gain[MOST_FRAMES + 1]; // energy above that of the start [J]
    double lost;                  // most potential energy that was lost [J]
} motion_track;

static double percentile_of_stretch(const pl_mesh* mesh, const double* rest, const double* x) {
    int count = 3 * mesh->triangle_count;
    double* lengths = malloc((size_t)count * sizeof(double));
    CHECK(lengths);
    for (int k = 0; k < count; k++) {
        int a = mesh->triangles[k], b = mesh->triangles[k % 3 == 2 ? k - 2 : k + 1];
        lengths[k] = pl_distance(pl_vec3_load(x + 3 * a), pl_vec3_load(x + 3 * b)) /
                     pl_distance(pl_vec3_load(rest + 3 * a), pl_vec3_load(rest + 3 * b));
    }
    qsort(lengths, (size_t)count, sizeof(double), pl_compare_doubles);
    double found = lengths[count * 99 / 100];
    free(lengths);
    return found;
}

// Lumped masses of a body of density 1: a vertex has its part of the tets or triangles around it.
static double* unit_masses(const pl_mesh* mesh, double* total) {
    double* mass = calloc((size_t)mesh->vertex_count, sizeof(double));
    CHECK(mass);
    bool tets = mesh->tet_count > 0;
    int corners = tets ? 4 : 3, count = tets ? mesh->tet_count : mesh->triangle_count;
    const int* elements = tets ? mesh->tets : mesh->triangles;
    *total = 0.0;
    for (int e = 0; e < count; e++) {
        const int* v = elements + corners * e;
        pl_vec3 x[4];
        for (int i = 0; i < corners; i++) x[i] = pl_vec3_load(mesh->positions + 3 * v[i]);
        pl_vec3 n = pl_cross(pl_sub(x[1], x[0]), pl_sub(x[2], x[0]));
        double size = tets ? pl_dot(n, pl_sub(x[3], x[0])) / 6.0 : 0.5 * pl_norm(n);
        for (int i = 0; i < corners; i++) mass[v[i]] += size / corners;
        *total += size;
    }
    return mass;
}

static pl_world* start(motion_body body, const char* const* overrides, int count,
                       const char* const* more, int more_count) {
    const char* all[MOST_OVERRIDES];
    CHECK(count + more_count <= MOST_OVERRIDES);
    for (int k = 0; k < count; k++) all[k] = overrides[k];
    for (int k = 0; k < more_count; k++) all[count + k] = more[k];
    return pbd_world(cases[body].text, all, count + more_count);
}

static void look(const pl_mesh* mesh, const double* rest, const double* mass, double total,
                 const double* x, int frame, motion_track* t) {
    int tip = 0;
    for (int v = 1; v < mesh->vertex_count; v++)
        if (rest[3 * v] - 1e-3 * rest[3 * v + 1] > rest[3 * tip] - 1e-3 * rest[3 * tip + 1])
            tip = v;
    t->tip[frame] = pl_vec3_load(x + 3 * tip);
    t->centre[frame] = (pl_vec3){0, 0, 0};
    for (int v = 0; v < mesh->vertex_count; v++)
        t->centre[frame] = pl_madd(t->centre[frame], mass[v] / total, pl_vec3_load(x + 3 * v));
    if (mesh->tet_count == 0) t->stretch[frame] = percentile_of_stretch(mesh, rest, x);
}

static void run(motion_body body, const char* const* overrides, int count, motion_track* t) {
    *t = (motion_track){.frame_count = cases[body].frames};
    pl_world* world = start(body, overrides, count, NULL, 0);
    const pl_mesh* mesh = pl_world_mesh(world, 0);
    size_t size = 3 * (size_t)mesh->vertex_count * sizeof(double);
    double total, *mass = unit_masses(mesh, &total), *rest = malloc(size);
    double density = mesh->tet_count ? 1000.0 : 0.2;
    CHECK(rest);
    memcpy(rest, pl_world_positions(world, 0), size);
    look(mesh, rest, mass, total, rest, 0, t);
    t->volume[0] = 1.0;
    for (int f = 1; f <= t->frame_count; f++) {
        pl_frame_info info;
        sample_step(world, 1, &info);
        look(mesh, rest, mass, total, pl_world_positions(world, 0), f, t);
        if (mesh->tet_count) t->volume[f] = info.volume / total;
        double fall = density * total * 9.81 * (t->centre[0].y - t->centre[f].y);
        t->gain[f] = info.kinetic_energy + info.elastic_energy - fall;
        t->lost = fmax(t->lost, fall);
    }
    free(mass), free(rest);
    pl_world_destroy(world);
}

// how far the places of a track go from the first one
static double way_of(const pl_vec3* places, int count) {
    double most = 0.0;
    for (int f = 0; f <= count; f++) most = fmax(most, pl_distance(places[0], places[f]));
    return most;
}

static void compare(motion_body body, const motion_track* a, const motion_track* b,
                    const motion_bounds* bounds) {
    double worst[5] = {0}, centre = way_of(a->centre, a->frame_count);
    double tip = way_of(a->tip, a->frame_count);
    for (int f = 0; f <= a->frame_count; f++) {
        worst[0] = fmax(worst[0], pl_distance(a->centre[f], b->centre[f]) / centre);
        if (body != MOTION_DRAPE) // its tip is held
            worst[1] = fmax(worst[1], pl_distance(a->tip[f], b->tip[f]) / tip);
        worst[2] = fmax(worst[2], fabs(a->volume[f] - b->volume[f]));
        worst[3] = fmax(worst[3], fabs(a->stretch[f] - b->stretch[f]));
        worst[4] = fmax(worst[4], b->gain[f] / a->lost);
    }
    printf("%s: centre %.3f, tip %.3f, volume %.4f, stretch %.4f, energy %.4f\n", cases[body].name,
           worst[0], worst[1], worst[2], worst[3], worst[4]);
    CHECK(worst[0] <= bounds->centre);
    CHECK(worst[1] <= bounds->tip);
    CHECK(worst[2] <= bounds->volume);
    CHECK(worst[3] <= bounds->stretch);
    CHECK(worst[4] <= bounds->energy);
}

static void check_rest(motion_body body, const char* const* overrides, int count,
                       const motion_bounds* bounds) {
    static const char* const damped[] = {"bodies[0].damping.mass=5"};
    pl_world* world = start(body, overrides, count, damped, 1);
    sample_step(world, cases[body].rest_frames, NULL);
    const double* v = pl_world_velocities(world, 0);
    double fastest = 0.0;
    for (int k = 0; k < pl_world_mesh(world, 0)->vertex_count; k++)
        fastest = fmax(fastest, pl_norm(pl_vec3_load(v + 3 * k)));
    printf("%s: %.5f m/s at rest\n", cases[body].name, fastest);
    CHECK(fastest <= bounds->rest_speed);
    pl_world_destroy(world);
}

void motion_check(motion_body body, const char* const* overrides, int override_count,
                  const motion_bounds* bounds) {
    static const char* const newton[] = {"substeps=4", "bodies[0].integrator=bdf2",
                                         "bodies[0].tolerance=1e-3"};
    motion_track reference, found;
    const char* settings[MOST_OVERRIDES];
    int count = 0;
    for (int k = bounds->same_step ? 2 : 0; k < 3; k++) settings[count++] = newton[k];
    for (int k = 0; k < override_count; k++) // the same material
        if (strstr(overrides[k], ".material.")) settings[count++] = overrides[k];
    run(body, settings, count, &reference);
    run(body, overrides, override_count, &found);
    compare(body, &reference, &found, bounds);
    if (bounds->rest_speed > 0.0) check_rest(body, overrides, override_count, bounds);
}
