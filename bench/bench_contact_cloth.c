// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A square of cloth under method fem, with contact of its own, stands on edge, folds over itself as
// it falls, and drapes over a ball: crossings in all frames [intersections], and how long its edges
// get at most [stretch]. Then what `contact.self` costs where nothing touches: processor time of a
// hanging cloth with it, relative to that without [self_cost]. 20k triangles and 300 frames;
// --quick: 400 triangles and 40 frames. --frames N: the first N of these.
#include "math/vec3.h"
#include "s3_world.h"

#include <math.h>
#include <stdio.h>

static const char NAME[] = "contact-cloth";

static double stretch_of(const pl_mesh* mesh, const double* x) {
    double largest = 0.0;
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            const size_t a = 3 * (size_t)mesh->triangles[3 * (size_t)t + (size_t)k];
            const size_t c = 3 * (size_t)mesh->triangles[3 * (size_t)t + (size_t)((k + 1) % 3)];
            const double rest =
                pl_distance(pl_vec3_load(mesh->positions + a), pl_vec3_load(mesh->positions + c));
            largest = fmax(largest, pl_distance(pl_vec3_load(x + a), pl_vec3_load(x + c)) / rest);
        }
    return largest;
}

static bool drop(bench* b, double edge, int frames) {
    pl_world* world =
        s3_world(NAME,
                 "{\"pliant\": 1, \"bodies\": [{\"generate\": {\"shape\": \"cloth\", "
                 "\"size_x\": 1, \"size_y\": 1, \"edge\": %g}, \"transform\": {\"rotate\": "
                 "[8, 0, 0], \"translate\": [0, 0.45, 0]}, \"method\": \"fem\", \"tolerance\": "
                 "1e-3, \"contact\": {\"self\": true, \"friction\": 0.2}}], \"colliders\": "
                 "[{\"sphere\": {\"center\": [0.5, 0.2, 0.05], \"radius\": 0.2}}, {\"plane\": "
                 "{}}]}",
                 edge);
    if (!world) return false;
    int crossings = 0, unconverged = 0, most = 0;
    double stretch = 0.0, detect = 0.0, seconds = 0.0;
    bool ok = true;
    const double start = s3_cpu_seconds();
    for (int k = 0; ok && k < frames; k++) {
        pl_frame_info info;
        ok = s3_step(NAME, world, &info);
        if (!ok) break;
        crossings += pl_world_crossings(world);
        unconverged += info.unconverged_count > 0;
        if (info.contact_count > most) most = info.contact_count;
        detect += info.detect_seconds;
        seconds += info.seconds;
        stretch = fmax(stretch, stretch_of(pl_world_mesh(world, 0), pl_world_positions(world, 0)));
    }
    if (ok) {
        bench_result(b, "triangles", pl_world_mesh(world, 0)->triangle_count, "", NAN);
        bench_result(b, "frames", frames, "", NAN);
        bench_result(b, "intersections", crossings, "", NAN);
        bench_result(b, "contacts", most, "", NAN);
        bench_result(b, "frames_not_converged", unconverged, "", NAN);
        bench_result(b, "stretch", stretch, "", NAN);
        bench_result(b, "detect_share", detect / seconds, "", NAN);
        bench_result(b, "cpu_per_frame", (s3_cpu_seconds() - start) / frames, "s", NAN);
    }
    pl_world_destroy(world);
    return ok;
}

// processor time of frames of a hanging cloth
static double hang(double edge, bool self, int frames) {
    pl_world* world =
        s3_world(NAME,
                 "{\"pliant\": 1, \"bodies\": [{\"name\": \"cloth\", \"generate\": {\"shape\": "
                 "\"cloth\", \"size_x\": 1, \"size_y\": 1, \"edge\": %g}, \"method\": \"fem\", "
                 "\"contact\": {\"self\": %s}}], \"attachments\": [{\"body\": \"cloth\", "
                 "\"where\": {\"side\": \"+y\"}}], \"gravity\": [0, -9.81, 3]}",
                 edge, self ? "true" : "false");
    if (!world) return NAN;
    const double start = s3_cpu_seconds();
    bool ok = true;
    for (int k = 0; ok && k < frames; k++) ok = s3_step(NAME, world, NULL);
    const double seconds = s3_cpu_seconds() - start;
    pl_world_destroy(world);
    return ok ? seconds : NAN;
}

bool bench_contact_cloth(bench* b) {
    const bool quick = bench_quick(b);
    if (!drop(b, quick ? 0.07 : 0.01, bench_frames(b, quick ? 40 : 300))) return false;
    const double without = hang(quick ? 0.05 : 0.02, false, 20);
    bench_result(b, "self_cost", hang(quick ? 0.05 : 0.02, true, 20) / without, "", NAN);
    return true;
}
