// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// How much the numbers of base/tuned_list.h matter on bodies that they were not tuned on: a ring of
// rubber, a figure with stiff parts, uneven cloth over a corner, a car by Projective Dynamics and
// two letters that touch (bench/sensitivity). Each number is halved and doubled, and every scene is
// run again. Results are ratios of iterations, the geometric mean over the scenes: nonlinear ones
// and those of linear solves. A scene that fails counts as ten times the iterations.
//
// The numbers are constants in every other build: configure with -DPLIANT_TUNABLE=ON.
// PART: the name of one number. --quick: the first two scenes and every eighth number.
#include "base/tuned.h"
#include "bench.h"

#include <math.h>
#include <pliant/world.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#ifdef PLIANT_TUNABLE
static const char* const scenes[] = {"torus", "cloth", "human", "car", "letters"};
enum { SCENES = 5, QUICK_SCENES = 2, QUICK_STRIDE = 8 };

typedef enum number_type { TYPE_int, TYPE_float, TYPE_double } number_type;
typedef struct number {
    const char* name;
    number_type type;
    size_t offset;
    double value, top;
    const char* measured_on;
} number;

static const number numbers[] = {
#define TUNED(type, name, value, top, measured_on)                                                 \
    {#name, TYPE_##type, offsetof(pl_tuned_numbers, name), value, top, measured_on},
#include "base/tuned_list.h"
#undef TUNED
};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

// what a scene took
typedef struct cost {
    double nonlinear, linear;
} cost;

static void set(const number* n, double value) {
    char* at = (char*)&pl_tuned + n->offset;
    if (n->type == TYPE_int) *(int*)at = (int)fmax(1.0, value);
    else if (n->type == TYPE_float) *(float*)at = (float)value;
    else *(double*)at = value;
}

static double scaled(const number* n, double factor) {
    return n->top > 0.0 ? n->top - (n->top - n->value) / factor : n->value * factor;
}

static bool run_world(pl_world* world, int frames, cost* out) {
    *out = (cost){0};
    for (int f = 0; f < frames; f++) {
        pl_frame_info info;
        if (pl_world_step(world, &info, NULL) != PL_OK) return false;
        out->nonlinear += info.iterations;
        out->linear += info.linear_iterations;
    }
    return true;
}

static bool run_scene(const char* name, cost* out) {
    char path[512];
    snprintf(path, sizeof path, PL_BENCH_SOURCE_DIR "/bench/sensitivity/%s.json", name);
    pl_scene* scene = NULL;
    pl_world* world = NULL;
    bool done = pl_scene_read(path, NULL, 0, &scene, NULL, NULL) == PL_OK &&
                pl_world_create(scene, &world, NULL, NULL) == PL_OK;
    done = done && run_world(world, scene->frames, out);
    pl_world_destroy(world);
    pl_scene_destroy(scene);
    return done;
}

// ratios over those of the scenes as they are, and that of the scene that changes most
static cost compare(const cost* usual, int scene_count, double* worst) {
    const double FAILED = 10.0;
    cost mean = {0};
    *worst = 1.0;
    for (int s = 0; s < scene_count; s++) {
        cost now, ratio = {FAILED, FAILED};
        if (run_scene(scenes[s], &now))
            ratio = (cost){now.nonlinear / usual[s].nonlinear,
                           (1.0 + now.linear) / (1.0 + usual[s].linear)};
        mean.nonlinear += log(ratio.nonlinear) / scene_count;
        mean.linear += log(ratio.linear) / scene_count;
        if (fabs(log(ratio.linear)) > fabs(log(*worst))) *worst = ratio.linear;
        if (fabs(log(ratio.nonlinear)) > fabs(log(*worst))) *worst = ratio.nonlinear;
    }
    return (cost){exp(mean.nonlinear), exp(mean.linear)};
}

static void measure(bench* b, const number* n, const cost* usual, int scene_count) {
    static const char* const names[] = {"half", "double"};
    for (int k = 0; k < 2; k++) {
        double worst;
        set(n, scaled(n, k == 0 ? 0.5 : 2.0));
        cost ratio = compare(usual, scene_count, &worst);
        const double values[] = {ratio.nonlinear, ratio.linear, worst};
        static const char* const kinds[] = {"nonlinear", "linear", "worst"};
        for (int v = 0; v < 3; v++) {
            char text[96];
            snprintf(text, sizeof text, "%s_%s_%s", n->name, names[k], kinds[v]);
            bench_result(b, text, values[v], "of usual", NAN);
        }
    }
    set(n, n->value);
}

bool bench_sensitivity(bench* b) {
    const int scene_count = bench_quick(b) ? QUICK_SCENES : SCENES;
    const char* part = bench_part(b);
    cost usual[SCENES];
    bool found = !part;
    for (int s = 0; s < scene_count; s++)
        if (!run_scene(scenes[s], &usual[s])) {
            fprintf(stderr, "pliant-bench sensitivity: %s.json failed\n", scenes[s]);
            return false;
        }
    for (int k = 0; k < NUMBERS; k += bench_quick(b) && !part ? QUICK_STRIDE : 1) {
        if (part && strcmp(part, numbers[k].name) != 0) continue;
        found = true;
        printf("%s = %g, tuned on %s\n", numbers[k].name, numbers[k].value, numbers[k].measured_on);
        measure(b, &numbers[k], usual, scene_count);
    }
    if (!found) fprintf(stderr, "pliant-bench sensitivity: no number is named %s\n", part);
    return found;
}
#else
bool bench_sensitivity(bench* b) {
    (void)b;
    fprintf(stderr,
            "pliant-bench sensitivity: tuned numbers are constants in this build; configure "
            "another one with -DPLIANT_TUNABLE=ON\n");
    return false;
}
#endif
