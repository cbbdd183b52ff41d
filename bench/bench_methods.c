// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// One body under every method and solver: how far its motion is from that of Newton at a quarter of
// the step, and what a frame takes. The bar, the bear and the sheet of scenes/, one law for all
// methods. scripts/plot_methods.py draws the results.
//
// Error: the distance of vertices from those of the reference, relative to how far these have moved
// from the start; both as root mean squares over all vertices and frames. 1 is a body that does not
// move at all. Times: the median of a frame on one thread, in seconds of its processor, which other
// programs do not change much. Rows on a coarser mesh are compared at their own vertices, with the
// places that these have in the tets of the reference.
#include "base/array.h"
#include "base/memory.h"
#include "bench.h"

#include <math.h>
#include <pliant/embed.h>
#include <pliant/world.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SETTINGS = 5, MOST_OVERRIDES = 16 };
// A row that takes longer is given up: what it misses would not change what to choose.
static const double LIMIT_SECONDS = 60.0;

typedef enum body_kind { SOLID = 1, CLOTH = 2 } body_kind;

static const struct {
    const char *name, *scene;
    body_kind kind;
    int frames, quick_frames;
    const char* settings[SETTINGS];       // for all rows
    const char* quick_settings[SETTINGS]; // with --quick, besides
    // Of rows on a coarser mesh, and of those that are fitted to the mesh of the others: in full
    // and with --quick. 0: no such rows.
    const char *coarse_settings[2], *fine_settings[2];
} bodies[] = {
    {"bar",
     "/scenes/bar.json",
     SOLID,
     60,
     20,
     {"bodies[0].material.law=corotated"},
     {"bodies[0].generate.edge=0.1"},
     {"bodies[0].generate.edge=0.12", "bodies[0].generate.edge=0.2"},
     {"bodies[0].eigenfit.edge=0.06", "bodies[0].eigenfit.edge=0.1"}},
    {"bear",
     "/scenes/demo.json",
     SOLID,
     40, // until it lands: how it tumbles then hangs on a hair
     20,
     {"bodies[0].material.law=corotated"},
     {"bodies[0].generate.edge=0.01", "attachments[0].where.sphere.radius=0.012",
      "attachments[1].where.sphere.radius=0.012"},
     {0},
     {0}},
    {"drape",
     "/scenes/pbd_sheet.json",
     CLOTH,
     60,
     15,
     {"bodies[0].method=fem"},
     {"bodies[0].generate.count_x=17", "bodies[0].generate.count_y=17"},
     {0},
     {0}},
};
enum { BODY_COUNT = sizeof bodies / sizeof bodies[0] };

// A method joins with a row.
static const struct {
    const char* name;
    int kinds;
    const char* settings[SETTINGS];
    bool is_coarse; // on the coarser mesh of the body; with settings: fitted to the others' mesh
} rows[] = {
    {"newton", SOLID | CLOTH, {0}, false}, // all defaults
    {"newton-bdf2", CLOTH, {"bodies[0].integrator=bdf2"}, false},
    {"newton-multigrid", SOLID | CLOTH, {"bodies[0].linear=multigrid"}, false},
    {"newton-mgpcg", SOLID | CLOTH, {"bodies[0].linear=mgpcg"}, false},
    {"newton-direct", SOLID | CLOTH, {"bodies[0].linear=direct"}, false},
    {"newton-icpcg", SOLID | CLOTH, {"bodies[0].linear=icpcg"}, false},
    {"newton-pcg", SOLID | CLOTH, {"bodies[0].linear=pcg"}, false},
    {"newton-rough", SOLID | CLOTH, {"bodies[0].tolerance=0.05"}, false},
    {"linearised", SOLID | CLOTH, {"bodies[0].nonlinear=linearised"}, false},
    {"projective", SOLID | CLOTH, {"bodies[0].nonlinear=projective"}, false},
    {"projective-4",
     SOLID | CLOTH,
     {"bodies[0].nonlinear=projective", "bodies[0].iterations=4", "bodies[0].fixed=true"},
     false},
    {"projective-1",
     SOLID | CLOTH,
     {"bodies[0].nonlinear=projective", "bodies[0].iterations=1", "bodies[0].fixed=true"},
     false},
    {"mixed", SOLID, {"bodies[0].method=mixed"}, false},
    {"coarse", SOLID, {0}, true}, // Newton there
    {"eigenfit", SOLID, {"bodies[0].eigenfit.modes=10"}, true},
    {"grid", SOLID, {"bodies[0].method=grid"}, false},
    {"pbd", SOLID | CLOTH, {"bodies[0].method=pbd"}, false},
    {"pbd-stiffness",
     SOLID | CLOTH,
     {"bodies[0].method=pbd", "bodies[0].pbd.model=stiffness", "bodies[0].material.law=springs"},
     false},
};
enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

static const char* const reference_settings[SETTINGS] = {"substeps=4", "bodies[0].integrator=bdf2",
                                                         "bodies[0].tolerance=1e-5",
                                                         "bodies[0].iterations=200"};

// Positions of all frames, the start first.
typedef struct track {
    pl_world* world; // has the mesh
    int vertex_count, frame_count;
    double* positions;
    double seconds; // median of a frame
} track;

static size_t track_size(const track* t) {
    return 3 * (size_t)t->vertex_count * (size_t)(t->frame_count + 1);
}

static void free_track(track* t) {
    PL_FREE(t->positions, double, track_size(t));
    pl_world_destroy(t->world);
    *t = (track){0};
}

static bool fails(const char* what, pl_status status, const pl_error* error) {
    if (status != PL_OK) fprintf(stderr, "pliant-bench methods: %s: %s\n", what, error->text);
    return status != PL_OK;
}

static double own_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static pl_world* start(const bench* b, int body, const char* const* settings, bool is_coarse,
                       const char* what) {
    const char* all[MOST_OVERRIDES];
    int count = 0;
    all[count++] = "threads=1";
    const char* const* lists[] = {bodies[body].settings,
                                  bench_quick(b) ? bodies[body].quick_settings : NULL, settings};
    for (int l = 0; l < 3; l++)
        for (int k = 0; lists[l] && k < SETTINGS && lists[l][k]; k++) all[count++] = lists[l][k];
    if (is_coarse) all[count++] = bodies[body].coarse_settings[bench_quick(b)];
    if (is_coarse && settings[0]) all[count++] = bodies[body].fine_settings[bench_quick(b)];
    char path[1000];
    snprintf(path, sizeof path, "%s%s", PL_BENCH_SOURCE_DIR, bodies[body].scene);
    pl_scene* scene = NULL;
    pl_world* world = NULL;
    pl_error error;
    if (fails(what, pl_scene_read(path, all, count, &scene, NULL, &error), &error)) return NULL;
    fails(what, pl_world_create(scene, &world, NULL, &error), &error);
    pl_scene_destroy(scene);
    return world;
}

static void keep(pl_world* world, int frame, track* t) {
    size_t count = 3 * (size_t)t->vertex_count;
    memcpy(t->positions + (size_t)frame * count, pl_world_positions(world, 0),
           count * sizeof(double));
}

static bool step_all(pl_world* world, const char* what, track* t, double* times) {
    double begin = own_seconds();
    keep(world, 0, t);
    for (int f = 1; f <= t->frame_count; f++) {
        pl_error error;
        double now = own_seconds();
        if (fails(what, pl_world_step(world, NULL, &error), &error)) return false;
        times[f - 1] = own_seconds() - now;
        keep(world, f, t);
        if (own_seconds() - begin < LIMIT_SECONDS || f == t->frame_count) continue;
        fprintf(stderr, "pliant-bench methods: %s: given up after %d of %d frames, %.0f s\n", what,
                f, t->frame_count, LIMIT_SECONDS);
        return false;
    }
    qsort(times, (size_t)t->frame_count, sizeof(double), pl_compare_doubles);
    t->seconds = times[t->frame_count / 2];
    return true;
}

// all frames of a body; what is left by a failure is freed
static bool run(const bench* b, int body, const char* const* settings, bool is_coarse,
                const char* what, track* t) {
    *t = (track){.frame_count = bench_quick(b) ? bodies[body].quick_frames : bodies[body].frames};
    t->world = start(b, body, settings, is_coarse, what);
    if (!t->world) return false;
    t->vertex_count = pl_world_mesh(t->world, 0)->vertex_count;
    t->positions = PL_ALLOC(double, track_size(t));
    double* times = PL_ALLOC(double, t->frame_count);
    bool done = t->positions && times && step_all(t->world, what, t, times);
    PL_FREE(times, double, t->frame_count);
    if (!done) free_track(t);
    return done;
}

// the error as the top of this file says
static double error_of(const track* reference, const track* t) {
    size_t count = 3 * (size_t)t->vertex_count;
    double off = 0.0, moved = 0.0;
    for (size_t i = count; i < track_size(t); i++) {
        double x = reference->positions[i];
        double d = t->positions[i] - x, m = x - reference->positions[i % count];
        off += d * d;
        moved += m * m;
    }
    return sqrt(off / moved);
}

// The error of a track on another mesh than the reference.
static double error_on_its_own_mesh(const track* reference, const track* t) {
    pl_embedding* embedding;
    pl_error error;
    if (fails("a coarser mesh",
              pl_embedding_create(pl_world_mesh(reference->world, 0), pl_world_mesh(t->world, 0),
                                  NULL, &embedding, &error),
              &error))
        return NAN;
    track there = {.vertex_count = t->vertex_count, .frame_count = t->frame_count};
    there.positions = PL_ALLOC(double, track_size(&there));
    double found = NAN;
    if (there.positions) {
        for (size_t f = 0; f <= (size_t)t->frame_count; f++)
            pl_embedding_deform(embedding,
                                reference->positions + 3 * f * (size_t)reference->vertex_count,
                                NULL, there.positions + 3 * f * (size_t)t->vertex_count, NULL);
        found = error_of(&there, t);
    }
    free_track(&there);
    pl_embedding_destroy(embedding);
    return found;
}

static void report(bench* b, int body, const char* row, const char* quantity, double value,
                   const char* unit) {
    char name[96];
    snprintf(name, sizeof name, "%s.%s.%s", bodies[body].name, row, quantity);
    bench_result(b, name, value, unit, NAN);
}

static bool measure(bench* b, int body) {
    track reference, t;
    if (!run(b, body, reference_settings, false, "the reference", &reference)) return false;
    report(b, body, "reference", "ms", 1e3 * reference.seconds, "ms");
    for (int r = 0; r < ROW_COUNT; r++) {
        if (!(rows[r].kinds & (int)bodies[body].kind)) continue;
        if (rows[r].is_coarse && !bodies[body].coarse_settings[0]) continue;
        char what[96];
        snprintf(what, sizeof what, "%s by %s", bodies[body].name, rows[r].name);
        bool is_coarse = rows[r].is_coarse;
        bool done = run(b, body, rows[r].settings, is_coarse, what, &t); // a failure counts too
        double error = !done       ? NAN
                       : is_coarse ? error_on_its_own_mesh(&reference, &t)
                                   : error_of(&reference, &t);
        report(b, body, rows[r].name, "error", error, "");
        report(b, body, rows[r].name, "ms", done ? 1e3 * t.seconds : NAN, "ms");
        if (done) free_track(&t);
    }
    free_track(&reference);
    return true;
}

bool bench_methods(bench* b) {
    for (int body = 0; body < BODY_COUNT; body++)
        if (!measure(b, body)) return false;
    return true;
}
