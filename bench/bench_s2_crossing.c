// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Modes of a swinging bar that change their order (S2 Fig. 5): the five lowest at rest, followed
// from frame to frame by their shapes, in a soft bar (1e4 Pa), in a stiffer one (1e5 Pa), and,
// without --quick, in a hand of ARAP (1e5 Pa) that is shaken, whose fingers have modes side by
// side. crossings: how often two of them change places; by the order of eigenvalues their ratios
// would be exchanged. slipped: frames in which one of them is no longer among the five lowest.
// PLIANT_PLOTS names a folder for plots.
#include "eigenfit/mode_match.h"
#include "math/vec3.h"
#include "plot_svg.h"
#include "s2_fit.h"

#include <math.h>
#include <pliant/modes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FOLLOWED = 5, MODES = 10, FRAMES = 100 };

typedef struct track {
    double time[FRAMES], lambda[FOLLOWED][FRAMES];
    int frames, crossings, slipped;
} track;

// a quarter of the volumes around each vertex: masses but for a factor
static double* find_masses(const pl_mesh* mesh) {
    double* masses = calloc((size_t)mesh->vertex_count, sizeof *masses);
    for (int e = 0; masses && e < mesh->tet_count; e++) {
        const int* t = mesh->tets + 4 * e;
        pl_vec3 a = pl_vec3_load(mesh->positions + 3 * t[0]), edges[3];
        for (int k = 0; k < 3; k++)
            edges[k] = pl_sub(pl_vec3_load(mesh->positions + 3 * t[k + 1]), a);
        double volume = fabs(pl_dot(edges[0], pl_cross(edges[1], edges[2]))) / 6.0;
        for (int k = 0; k < 4; k++) masses[t[k]] += 0.25 * volume;
    }
    return masses;
}

static double overlap(const double* u, const double* w, const double* masses, int vertex_count) {
    double sum[3] = {0.0, 0.0, 0.0}; // u w, u u, w w
    for (int i = 0; i < 3 * vertex_count; i++) {
        sum[0] += masses[i / 3] * u[i] * w[i];
        sum[1] += masses[i / 3] * u[i] * u[i];
        sum[2] += masses[i / 3] * w[i] * w[i];
    }
    return fabs(sum[0]) / sqrt(sum[1] * sum[2]);
}

// Where the followed modes, `last`, are among those of now; takes their shapes over.
static void follow(const pl_modes* now, const double* masses, double* last, int match[FOLLOWED]) {
    const size_t n = 3 * (size_t)now->vertex_count;
    double overlaps[FOLLOWED * MODES];
    for (int j = 0; j < FOLLOWED; j++)
        for (int k = 0; k < MODES; k++)
            overlaps[j * MODES + k] = overlap(last + (size_t)j * n, now->shapes + (size_t)k * n,
                                              masses, now->vertex_count);
    pl_match_modes(FOLLOWED, MODES, overlaps, match);
    for (int j = 0; j < FOLLOWED; j++)
        memcpy(last + (size_t)j * n, now->shapes + (size_t)match[j] * n, n * sizeof *last);
}

static void count_changes(track* t, const int before[FOLLOWED], const int now[FOLLOWED]) {
    bool has_slipped = false;
    for (int i = 0; i < FOLLOWED; i++) {
        has_slipped |= now[i] >= FOLLOWED;
        for (int j = 0; j < i; j++) t->crossings += (before[i] < before[j]) != (now[i] < now[j]);
    }
    t->slipped += has_slipped;
}

// A frame in which the bar is about to buckle has no modes and is left out.
static bool run(pl_world* world, const double* masses, double* last, track* t, pl_error* error) {
    int before[FOLLOWED] = {0, 1, 2, 3, 4};
    for (int frame = 0; frame < FRAMES; frame++) {
        pl_modes* modes = NULL;
        if (frame > 0 && pl_world_step(world, NULL, error) != PL_OK) return false;
        pl_status status = pl_world_modes(world, 0, MODES, &modes, error);
        if (status == PL_ERROR_ARGUMENT) continue;
        if (status != PL_OK) return false;
        int match[FOLLOWED] = {0, 1, 2, 3, 4};
        if (t->frames > 0) follow(modes, masses, last, match);
        else memcpy(last, modes->shapes, FOLLOWED * 3 * (size_t)modes->vertex_count * sizeof *last);
        t->time[t->frames] = 0.01 * frame;
        for (int j = 0; j < FOLLOWED; j++) {
            double speed = 2.0 * PL_PI * modes->frequency[match[j]];
            t->lambda[j][t->frames] = speed * speed;
        }
        t->frames++;
        count_changes(t, before, match);
        memcpy(before, match, sizeof before);
        pl_modes_destroy(modes);
    }
    return true;
}

static bool write_plot(const track* t, const char* name) {
    static const char* const names[FOLLOWED] = {"1 at rest", "2 at rest", "3 at rest", "4 at rest",
                                                "5 at rest"};
    const char* folder = getenv("PLIANT_PLOTS");
    if (!folder) return true;
    char path[1024], title[96];
    plot_line lines[FOLLOWED];
    for (int j = 0; j < FOLLOWED; j++)
        lines[j] = (plot_line){names[j], t->time, t->lambda[j], t->frames};
    snprintf(path, sizeof path, "%s/s2_crossing_%s.svg", folder, name);
    snprintf(title, sizeof title, "Modes at rest, followed: %s", name);
    return plot_svg_write(path, title, "time [s]", "eigenvalue [1/s^2]", lines, FOLLOWED, 1e-3);
}

static bool follow_case(bench* b, const char* name, const s2_case* c) {
    static track t;
    pl_error error = {0};
    pl_world* world = s2_make_world(c, S2_COARSE, &error);
    const pl_mesh* mesh = world ? pl_world_mesh(world, 0) : NULL;
    double* masses = mesh ? find_masses(mesh) : NULL;
    double* last = mesh ? calloc(FOLLOWED * 3 * (size_t)mesh->vertex_count, sizeof *last) : NULL;
    t = (track){0};
    bool done = masses && last && run(world, masses, last, &t, &error);
    if (!done) fprintf(stderr, "pliant-bench s2-crossing: %s\n", error.text);
    free(masses);
    free(last);
    pl_world_destroy(world);
    if (!done) return false;
    s2_result(b, "crossings", name, t.crossings, "", NAN);
    s2_result(b, "slipped", name, t.slipped, "frames", NAN);
    return write_plot(&t, name);
}

bool bench_s2_crossing(bench* b) {
    bool quick = bench_quick(b);
    s2_case soft = s2_swung_bar(1e4, "neohookean", quick),
            stiff = s2_swung_bar(1e5, "neohookean", quick),
            hand = s2_shaken(S2_HAND, 1e5, "arap", quick);
    if (quick) hand.coarse = 0.055;
    return follow_case(b, "1e4", &soft) && follow_case(b, "1e5", &stiff) &&
           follow_case(b, "hand", &hand);
}
