// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Projections of distance constraints per second, along and across the edges of a regular cloth:
// sweeps of pliant against a loop as libraries have it (constraints are objects with a function,
// called in the mesh's order), against the bare loop over arrays in that order, and against the
// same function called colour by colour on all threads; and against Bullet's soft body with the
// same distances, where it is installed. And whole steps of a cloth of a million triangles with the
// hierarchy and two iterations. Ratios on one thread are of its CPU time.
#include "base/memory.h"
#include "base/timer.h"
#include "bench.h"
#include "mesh/colouring.h"
#include "s1_bullet.h"
#include "s1_cloth.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

// Every timed run makes as many sweeps as the iterations of a step, so that threads wake up once.
enum { SWEEPS = 5 };

typedef struct vector3 {
    float x, y, z;
} vector3;

typedef struct constraints {
    int count;
    const int* ends;    // 2 each
    const float* rests; // one each
} constraints;

typedef struct other_loop {
    int particle_count;
    vector3* places;
    float* inverse_masses;
    constraints sets[2];
    pl_colouring colourings[2];
    struct object** objects;
    int object_count;
    pl_pool* pool;
} other_loop;

typedef struct our_loop {
    pl_pbd_level* level;
    pl_pool* pool;
} our_loop;

// One constraint, corrections by reference: false if nothing can move. In the order in which
// libraries write it with vectors: norm, unit vector, correction, each weighed.
__attribute__((noinline)) static bool solve_distance(const vector3* p0, float w0, const vector3* p1,
                                                     float w1, float rest, float stiffness,
                                                     vector3* c0, vector3* c1) {
    float w = w0 + w1;
    if (w == 0.0f) return false;
    vector3 n = {p1->x - p0->x, p1->y - p0->y, p1->z - p0->z};
    float d = sqrtf(n.x * n.x + n.y * n.y + n.z * n.z), error = d - rest;
    if (d > 0.0f) n.x /= d, n.y /= d, n.z /= d;
    vector3 c = {stiffness * n.x * error / w, stiffness * n.y * error / w,
                 stiffness * n.z * error / w};
    *c0 = (vector3){w0 * c.x, w0 * c.y, w0 * c.z};
    *c1 = (vector3){-w1 * c.x, -w1 * c.y, -w1 * c.z};
    return true;
}

// A constraint as an object: its bodies in an array of its own, its function by a pointer.
typedef struct object {
    bool (*solve)(struct object* self, vector3* places, const float* inverse_masses);
    int* bodies; // 2
    float rest, stiffness;
} object;

static bool solve_object(object* self, vector3* places, const float* inverse_masses) {
    vector3 *a = &places[self->bodies[0]], *b = &places[self->bodies[1]], ca, cb;
    float wa = inverse_masses[self->bodies[0]], wb = inverse_masses[self->bodies[1]];
    if (!solve_distance(a, wa, b, wb, self->rest, self->stiffness, &ca, &cb)) return false;
    if (wa != 0.0f) a->x += ca.x, a->y += ca.y, a->z += ca.z;
    if (wb != 0.0f) b->x += cb.x, b->y += cb.y, b->z += cb.z;
    return true;
}

static void run_library(void* user) {
    other_loop* o = user;
    for (int n = 0; n < SWEEPS; n++)
        for (int k = 0; k < o->object_count; k++)
            o->objects[k]->solve(o->objects[k], o->places, o->inverse_masses);
}

static void project_one(other_loop* o, const constraints* set, int k) {
    int i = set->ends[2 * k], j = set->ends[2 * k + 1];
    vector3 ci, cj;
    if (!solve_distance(&o->places[i], o->inverse_masses[i], &o->places[j], o->inverse_masses[j],
                        set->rests[k], 1.0f, &ci, &cj))
        return;
    o->places[i].x += ci.x, o->places[i].y += ci.y, o->places[i].z += ci.z;
    o->places[j].x += cj.x, o->places[j].y += cj.y, o->places[j].z += cj.z;
}

static void run_sequential(void* user) {
    other_loop* o = user;
    for (int n = 0; n < 2 * SWEEPS; n++)
        for (int k = 0; k < o->sets[n % 2].count; k++) project_one(o, &o->sets[n % 2], k);
}

typedef struct colour_job {
    other_loop* loop;
    int set;
    const int* items;
} colour_job;

static void colour_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const colour_job* job = user;
    for (int k = begin; k < end; k++)
        project_one(job->loop, &job->loop->sets[job->set], job->items[k]);
}

static void run_coloured(void* user) {
    other_loop* o = user;
    for (int n = 0; n < 2 * SWEEPS; n++) {
        int s = n % 2;
        const pl_adjacency* groups = &o->colourings[s].groups;
        for (int c = 0; c < groups->count; c++) {
            colour_job job = {o, s, groups->items + groups->offsets[c]};
            pl_parallel_for(o->pool, colour_task, groups->offsets[c + 1] - groups->offsets[c], 1024,
                            &job);
        }
    }
}

static void run_ours(void* user) {
    our_loop* o = user;
    for (int n = 0; n < SWEEPS; n++)
        pl_sweep(&o->level->sweeper, o->pool, 1.0 / 60.0, n % 2, o->level->particles);
}

static void objects_free(other_loop* o) {
    for (int k = 0; o->objects && k < o->object_count; k++) {
        if (o->objects[k]) PL_FREE(o->objects[k]->bodies, int, 2);
        PL_FREE(o->objects[k], object, 1);
    }
    PL_FREE(o->objects, struct object*, o->object_count);
}

static bool objects_create(other_loop* o) {
    o->object_count = o->sets[0].count + o->sets[1].count;
    o->objects = PL_ALLOC(struct object*, o->object_count);
    if (!o->objects) return false;
    for (int k = 0; k < o->object_count; k++) {
        int s = k >= o->sets[0].count, c = s ? k - o->sets[0].count : k;
        object* each = o->objects[k] = PL_ALLOC(object, 1);
        if (!each) return false;
        *each = (object){solve_object, PL_ALLOC(int, 2), o->sets[s].rests[c], 1.0f};
        if (!each->bodies) return false;
        each->bodies[0] = o->sets[s].ends[2 * (size_t)c];
        each->bodies[1] = o->sets[s].ends[2 * (size_t)c + 1];
    }
    return true;
}

static double cpu_seconds(bench_run run, void* user) {
    struct timespec begin, end;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    run(user);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    return (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
}

// CPU seconds of base over ours, the least of each of interleaved runs
static double cpu_ratio(bench_run ours, void* our_user, bench_run base, void* base_user,
                        int repeats) {
    double least = INFINITY, least_base = INFINITY;
    for (int k = 0; k < repeats; k++) {
        least = fmin(least, cpu_seconds(ours, our_user));
        least_base = fmin(least_base, cpu_seconds(base, base_user));
    }
    return least_base / least;
}

static void other_free(other_loop* o) {
    objects_free(o);
    PL_FREE(o->places, vector3, o->particle_count);
    PL_FREE(o->inverse_masses, float, o->particle_count);
    for (int s = 0; s < 2; s++) pl_colouring_free(&o->colourings[s]);
}

static bool other_create(const pl_pbd_level* level, pl_pool* pool, other_loop* o) {
    int count = level->graph.particle_count;
    pl_error error;
    *o = (other_loop){.particle_count = count, .pool = pool};
    o->places = PL_ALLOC(vector3, count);
    o->inverse_masses = PL_ALLOC(float, count);
    if (!o->places || !o->inverse_masses) return false;
    for (int i = 0; i < count; i++) {
        const float* p = level->particles + 4 * (size_t)i;
        o->places[i] = (vector3){p[0], p[1], p[2]};
        o->inverse_masses[i] = p[3];
    }
    for (int s = 0; s < 2; s++) {
        o->sets[s] =
            (constraints){level->sets[s].count, level->sets[s].vertices, level->sets[s].values};
        if (pl_colour_elements(o->sets[s].ends, o->sets[s].count, 2, count, &o->colourings[s],
                               &error) != PL_OK)
            return false;
    }
    return objects_create(o);
}

// Bullet and pliant in turn; without Bullet there are no results, which is no failure
static void against_bullet(bench* b, our_loop* ours, our_loop* alone, double count) {
    enum { ROUNDS = 3 };
    double ratios[ROUNDS], cpu = INFINITY, cpu_of_ours = INFINITY;
    int repeats = bench_quick(b) ? 21 : 101;
    for (int round = 0; round < ROUNDS; round++) {
        s1_bullet_times bullet;
        if (!s1_bullet_run(ours->level, repeats, &bullet)) return;
        ratios[round] = SWEEPS * bullet.seconds / bench_seconds(run_ours, ours, repeats);
        cpu = fmin(cpu, SWEEPS * bullet.cpu);
        for (int k = 0; k < repeats; k++)
            cpu_of_ours = fmin(cpu_of_ours, cpu_seconds(run_ours, alone));
    }
    double low = fmin(ratios[0], ratios[1]), high = fmax(ratios[0], ratios[1]);
    bench_result(b, "vs_bullet", fmax(low, fmin(high, ratios[2])), "x", NAN);
    bench_result(b, "vs_bullet_1_thread", cpu / cpu_of_ours, "x", NAN);
    bench_result(b, "bullet_projections_per_second", count / cpu, "1/s", NAN);
}

static bool sweeps(bench* b, int side, pl_pool* pool) {
    s1_cloth cloth;
    other_loop other = {0};
    if (!s1_cloth_create(side, side, pool, &cloth)) return false;
    cloth.body.pbd.shear = 1.0;
    bool done = s1_cloth_start(&cloth) && s1_cloth_step(&cloth, 1);
    pl_pbd_level* level = done ? &cloth.system->bodies[0].hierarchy.levels[0] : NULL;
    done = done && other_create(level, pool, &other);
    if (done) {
        our_loop ours = {level, pool}, alone = {level, NULL};
        int repeats = bench_quick(b) ? 9 : 41;
        double constraint_count = level->sets[0].count + level->sets[1].count;
        double count = SWEEPS * constraint_count;
        bench_result(b, "constraints", constraint_count, "", NAN);
        bench_result(b, "projections_per_second", count / bench_seconds(run_ours, &ours, repeats),
                     "1/s", NAN);
        bench_result(b, "vs_sequential", bench_ratio(run_ours, &ours, run_library, &other, repeats),
                     "x", NAN);
        bench_result(b, "vs_coloured_scalar",
                     bench_ratio(run_ours, &ours, run_coloured, &other, repeats), "x", NAN);
        other.pool = NULL;
        double least = INFINITY;
        for (int k = 0; k < repeats; k++) least = fmin(least, cpu_seconds(run_ours, &alone));
        bench_result(b, "projections_per_second_1_thread", count / least, "1/s", NAN);
        bench_result(b, "vs_sequential_1_thread",
                     cpu_ratio(run_ours, &alone, run_library, &other, repeats), "x", NAN);
        bench_result(b, "vs_bare_loop_1_thread",
                     cpu_ratio(run_ours, &alone, run_sequential, &other, repeats), "x", NAN);
        bench_result(b, "vs_coloured_scalar_1_thread",
                     cpu_ratio(run_ours, &alone, run_coloured, &other, repeats), "x", NAN);
        against_bullet(b, &ours, &alone, count);
    }
    other_free(&other);
    s1_cloth_free(&cloth);
    return done;
}

static void run_step(void* user) { s1_cloth_step(user, 1); }

static bool million(bench* b, pl_pool* pool) {
    s1_cloth cloth;
    if (!s1_cloth_create(708, 708, pool, &cloth)) return false;
    cloth.body.pbd.shear = 1.0;
    cloth.body.pbd.hierarchy = 6;
    cloth.body.solver.iterations = 2;
    double start = pl_seconds();
    bool done = s1_cloth_start(&cloth) && s1_cloth_step(&cloth, 1);
    if (done) {
        bench_result(b, "triangles", cloth.mesh->triangle_count, "", NAN);
        bench_result(b, "setup_1m_triangles", pl_seconds() - start, "s", NAN);
        bench_result(b, "fps_1m_triangles",
                     1.0 / bench_seconds(run_step, &cloth, bench_quick(b) ? 21 : 61), "1/s", NAN);
    }
    s1_cloth_free(&cloth);
    return done;
}

bool bench_s1_throughput(bench* b) {
    pl_pool* pool = NULL;
    pl_error error;
    if (pl_pool_create(0, &pool, &error) != PL_OK) return false;
    bool done = sweeps(b, 201, pool) && million(b, pool);
    pl_pool_destroy(pool);
    return done;
}
