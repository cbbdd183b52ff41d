// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Bodies that touch, under each method that keeps bodies of one system apart: a stack of boxes that
// is to stay, a block on a slope that is to slip at its angle of friction. Under each pair of all
// methods two balls are to keep their momentum when they meet head-on, and to gain no energy.
// Crossings are counted in every frame. Parts: stack, slope, pairs.
#include "bench.h"
#include "math/vec3.h"
#include "s3_world.h"
#include "world/world_build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char NAME[] = "contact-stack";
static const char* const METHODS[] = {"fem", "mixed", "pbd", "rigid"};
enum { METHOD_COUNT = 4, MAX_BOXES = 10 };

static void result_of(bench* b, const char* name, int method, double value, const char* unit) {
    char full[64];
    snprintf(full, sizeof full, "%s_%s", name, METHODS[method]);
    bench_result(b, full, value, unit, NAN);
}

static pl_vec3 middle_of(pl_world* world, int body) {
    const int count = pl_world_mesh(world, body)->vertex_count;
    pl_vec3 sum = {0, 0, 0};
    for (int v = 0; v < count; v++)
        sum = pl_madd(sum, 1.0 / count,
                      pl_vec3_load(pl_world_positions(world, body) + 3 * (size_t)v));
    return sum;
}

// Frames of a world; adds up its crossings.
static bool run(pl_world* world, int frames, int* crossings) {
    for (int k = 0; k < frames; k++) {
        if (!s3_step(NAME, world, NULL)) return false;
        *crossings += pl_world_crossings(world);
    }
    return true;
}

// ------------------------------------------------------------------ stack

// How far the boxes of a stack go between the end of the first two seconds, in which it settles,
// and the end, in edges of a box.
static bool stack(bench* b, int method, int box_count, double seconds) {
    const double EDGE = 0.1;
    char bodies[8192] = "";
    for (int k = 0; k < box_count; k++)
        snprintf(bodies + strlen(bodies), sizeof bodies - strlen(bodies),
                 "%s{\"generate\": {\"shape\": \"box\", \"size_x\": %g, \"size_y\": %g, "
                 "\"size_z\": %g, \"edge\": 0.1}, \"method\": \"%s\", \"transform\": "
                 "{\"translate\": [0, %g, 0]}, \"damping\": {\"mass\": 5}, "
                 "\"material\": {\"young\": 1e6}}",
                 k ? ", " : "", EDGE, EDGE, EDGE, METHODS[method], 0.002 + 1.02 * EDGE * k);
    pl_world* world =
        s3_world(NAME,
                 "{\"pliant\": 1, \"bodies\": [%s], \"colliders\": [{\"plane\": {}, \"friction\": "
                 "0.5}]}",
                 bodies);
    if (!world) return false;
    pl_vec3 settled[MAX_BOXES];
    int crossings = 0;
    double drift = 0.0;
    const double start = s3_cpu_seconds();
    bool ok = run(world, 120, &crossings);
    for (int k = 0; ok && k < box_count; k++) settled[k] = middle_of(world, k);
    ok = ok && run(world, (int)(60.0 * seconds) - 120, &crossings);
    for (int k = 0; ok && k < box_count; k++)
        drift = fmax(drift, pl_distance(middle_of(world, k), settled[k]) / EDGE);
    pl_world_destroy(world);
    if (!ok) return false;
    result_of(b, "drift", method, drift, "edges");
    result_of(b, "stack_crossings", method, crossings, "");
    result_of(b, "stack_cpu", method, s3_cpu_seconds() - start, "s");
    return true;
}

// ------------------------------------------------------------------ slope

// How a block moves on a held one in a third of a second, after it has landed.
typedef struct slide {
    double speed;        // mean [m/s]
    double acceleration; // [m/s^2]
} slide;

static double speed_of(pl_world* world, int body) {
    const int count = pl_world_mesh(world, body)->vertex_count;
    double sum = 0.0;
    for (int v = 0; v < count; v++) sum += pl_world_velocities(world, body)[3 * (size_t)v];
    return sum / count;
}

// The larger of the two coefficients of friction counts: FRICTION.
static const double FRICTION = 0.5;

static bool slide_on(int method, double slope, slide* out) {
    const double angle = atan(slope), time = 20.0 / 60.0;
    int crossings = 0;
    pl_world* world = s3_world(
        NAME,
        "{\"pliant\": 1, \"gravity\": [%.9f, %.9f, 0], \"bodies\": [\n"
        " {\"name\": \"held\", \"generate\": {\"shape\": \"box\", \"size_x\": 0.6, \"size_y\": "
        "0.1, \"size_z\": 0.2, \"edge\": 0.1}, \"method\": \"%s\", \"material\": {\"young\": 1e5},"
        " \"contact\": {\"friction\": %g}},\n"
        " {\"name\": \"block\", \"generate\": {\"shape\": \"box\", \"size_x\": 0.1, \"size_y\": "
        "0.05, \"size_z\": 0.1, \"edge\": 0.05}, \"method\": \"%s\", \"transform\": {\"translate\":"
        " [0.05, 0.104, 0.05]}, \"material\": {\"young\": 1e5}, \"damping\": {\"stiffness\": "
        "0.01}, \"contact\": {\"friction\": 0.1}}],\n"
        " \"attachments\": [{\"body\": \"held\", \"where\": {\"side\": \"-y\"}}]}",
        9.81 * sin(angle), -9.81 * cos(angle), METHODS[method], FRICTION, METHODS[method]);
    if (!world) return false;
    bool ok = run(world, 30, &crossings); // it lands
    const double x = middle_of(world, 1).x, v = speed_of(world, 1);
    ok = ok && run(world, 20, &crossings);
    out->speed = (middle_of(world, 1).x - x) / time;
    out->acceleration = (speed_of(world, 1) - v) / time;
    pl_world_destroy(world);
    return ok;
}

// Below the angle of friction the block is to rest, above it to gain speed as theory has it.
static bool slope(bench* b, int method) {
    slide below, above;
    const double steep = 1.05 * FRICTION, angle = atan(steep);
    if (!slide_on(method, 0.95 * FRICTION, &below) || !slide_on(method, steep, &above))
        return false;
    result_of(b, "creep_below", method, below.speed, "m/s");
    result_of(b, "acceleration_above", method,
              above.acceleration / (9.81 * (sin(angle) - FRICTION * cos(angle))), "");
    return true;
}

// ------------------------------------------------------------------ head-on

// The momentum of all bodies; size: the sum of its lengths.
static bool find_momentum(pl_world* world, pl_vec3* sum, double* size) {
    *sum = (pl_vec3){0, 0, 0};
    *size = 0.0;
    for (int b = 0; b < pl_world_body_count(world); b++) {
        double own[3];
        if (pl_world_momentum(world, b, own, NULL, NULL) != PL_OK) return false;
        *sum = pl_add(*sum, pl_vec3_load(own));
        *size += pl_norm(pl_vec3_load(own));
    }
    return true;
}

// Bodies that meet: what a step leaves unbalanced is lost or gained.
#define EXACT "\"tolerance\": 1e-10, \"iterations\": 200"
static const struct {
    const char *name, *keys;
} MEETING[] = {
    {"fem", "\"method\": \"fem\", " EXACT},
    {"projective", "\"method\": \"fem\", \"nonlinear\": \"projective\", \"tolerance\": 1e-10, "
                   "\"iterations\": 1000"},
    {"eigenfit", "\"method\": \"fem\", \"eigenfit\": {\"modes\": 5, \"edge\": 0.05}, " EXACT},
    {"mixed", "\"method\": \"mixed\", " EXACT},
    {"pbd", "\"method\": \"pbd\""},
    {"grid", "\"method\": \"grid\", \"grid\": {\"cell\": 0.04}, \"tolerance\": 1e-8"},
    {"rigid", "\"rigid\": true"}};
enum { MEETING_COUNT = 7 };

// What two balls lose of their momentum, of the sum of its lengths; the most energy that they have,
// of that at the start.
typedef struct meeting {
    double lost, energy;
    int crossings, contacts;
} meeting;

static bool watch(pl_world* world, meeting* out) {
    double size, unused, start = 0.0;
    pl_vec3 before, after;
    if (!find_momentum(world, &before, &size)) return false;
    for (int k = 0; k < 15; k++) {
        pl_frame_info info;
        if (!s3_step(NAME, world, &info)) return false;
        const double energy = info.kinetic_energy + info.elastic_energy + info.contact_energy;
        if (k == 0) start = energy; // they do not touch yet
        out->energy = fmax(out->energy, energy / start);
        out->crossings += pl_world_crossings(world);
        out->contacts += info.contact_count;
    }
    if (!find_momentum(world, &after, &unused)) return false;
    out->lost = pl_distance(before, after) / size;
    return true;
}

static bool head_on(bench* b, int left, int right) {
    pl_world* world = s3_world(
        NAME,
        "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"bodies\": [\n"
        " {\"name\": \"left\", \"generate\": {\"shape\": \"sphere\", \"radius\": 0.1, \"edge\": "
        "0.08}, \"transform\": {\"translate\": [-0.12, 0, 0]}, \"velocity\": "
        "[2, 0, 0], \"material\": {\"young\": 2e4}, %s},\n"
        " {\"name\": \"right\", \"generate\": {\"shape\": \"sphere\", \"radius\": 0.1, \"edge\": "
        "0.08}, \"transform\": {\"translate\": [0.12, 0, 0]}, \"velocity\": "
        "[-1, 0, 0], \"material\": {\"young\": 2e4}, %s}]}",
        MEETING[left].keys, MEETING[right].keys);
    if (!world) return false;
    meeting seen = {0};
    const bool ok = watch(world, &seen);
    pl_world_destroy(world);
    if (!ok) return false;
    const struct {
        const char* name;
        double value;
    } results[] = {{"momentum", seen.lost},
                   {"energy", seen.energy},
                   {"head_on_contacts", seen.contacts},
                   {"head_on_crossings", seen.crossings}};
    for (int k = 0; k < 4; k++) {
        char name[96];
        snprintf(name, sizeof name, "%s_%s%s%s", results[k].name, MEETING[left].name,
                 left == right ? "" : "_", left == right ? "" : MEETING[right].name);
        bench_result(b, name, results[k].value, "", NAN);
    }
    return true;
}

static bool is_asked(const bench* b, const char* part) {
    return !bench_part(b) || strcmp(bench_part(b), part) == 0;
}

bool bench_contact_stack(bench* b) {
    const int boxes = bench_quick(b) ? 4 : MAX_BOXES;
    const double seconds = bench_quick(b) ? 3.0 : 10.0;
    bool ok = true;
    for (int m = 0; ok && m < METHOD_COUNT && is_asked(b, "stack"); m++)
        ok = stack(b, m, boxes, seconds);
    for (int m = 0; ok && m < METHOD_COUNT && is_asked(b, "slope"); m++) ok = slope(b, m);
    for (int m = 0; m < MEETING_COUNT && is_asked(b, "pairs"); m++)
        for (int other = m; ok && other < MEETING_COUNT; other++) ok = head_on(b, m, other);
    return ok;
}
