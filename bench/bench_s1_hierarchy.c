// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// S1 section 9: "the total number of constraints in the entire hierarchy is typically smaller than
// the number of constraints on level 0". For the regular cloth, whose levels are made directly, and
// for an irregular one of the same size, which goes through restriction and collapse.
#include "base/memory.h"
#include "bench.h"
#include "s1_cloth.h"

#include <math.h>
#include <pliant/generate.h>
#include <stdio.h>

static int constraint_count(const pl_pbd_level* level) {
    int count = 0;
    for (int k = 0; k < level->set_count; k++) count += level->sets[k].count;
    return count;
}

static void report(bench* b, const pl_hierarchy* h, const char* what, const char* ratio_name) {
    char name[64];
    double coarse = 0.0;
    for (int l = 0; l < h->level_count; l++) {
        int count = constraint_count(&h->levels[l]);
        snprintf(name, sizeof name, "%s_level%d_constraints", what, l);
        bench_result(b, name, count, "", NAN);
        if (l > 0) coarse += count;
    }
    bench_result(b, ratio_name, coarse / constraint_count(&h->levels[0]), "", NAN);
}

static bool regular(bench* b, int hierarchy) {
    s1_cloth cloth;
    if (!s1_cloth_create(47, 127, NULL, &cloth)) return false;
    cloth.body.pbd.hierarchy = hierarchy;
    bool done = s1_cloth_start(&cloth) && s1_cloth_step(&cloth, 1); // the first step has the pins
    if (done)
        report(b, &cloth.system->bodies[0].hierarchy, "regular", "regular_coarse_constraint_ratio");
    s1_cloth_free(&cloth);
    return done;
}

static bool irregular(bench* b, int hierarchy) {
    pl_generate_options options;
    pl_error error;
    s1_cloth cloth = {.body = pl_default_body()};
    cloth.body.pbd.bend = 0.0;
    cloth.body.pbd.hierarchy = hierarchy;
    if (pl_generate_defaults("cloth_irregular", &options, &error) != PL_OK) {
        fprintf(stderr, "pliant-bench s1-hierarchy: %s\n", error.text);
        return false;
    }
    options.edge = sqrt(options.size_x * options.size_y / 5750.0);
    bool done = pl_generate("cloth_irregular", &options, &cloth.mesh, &error) == PL_OK;
    if (done) cloth.force = PL_ALLOC(double, 3 * (size_t)cloth.mesh->vertex_count);
    done = done && cloth.force && s1_cloth_start(&cloth);
    if (done) report(b, &cloth.system->bodies[0].hierarchy, "irregular", "coarse_constraint_ratio");
    else fprintf(stderr, "pliant-bench s1-hierarchy: %s\n", error.text);
    s1_cloth_free(&cloth);
    return done;
}

enum { TORN_SIDE = 65 };

// Each triangle gets vertices of its own; the cloth hangs from those of its first row.
static bool part_cloth(s1_cloth* c) {
    pl_mesh* mesh = NULL;
    int count = 3 * c->mesh->triangle_count, pins = 0;
    double* positions = PL_ALLOC(double, 3 * (size_t)count);
    int* triangles = PL_ALLOC(int, count);
    bool ok = positions && triangles;
    for (int k = 0; ok && k < count; k++) {
        for (int i = 0; i < 3; i++)
            positions[3 * k + i] = c->mesh->positions[3 * c->mesh->triangles[k] + i];
        triangles[k] = k;
    }
    ok = ok &&
         pl_mesh_create(positions, count, NULL, 0, triangles, count / 3, &mesh, &c->error) == PL_OK;
    PL_FREE(positions, double, 3 * (size_t)count);
    PL_FREE(triangles, int, count);
    if (!ok) return false;
    PL_FREE(c->force, double, 3 * (size_t)c->mesh->vertex_count);
    PL_FREE(c->pins, pl_pin, c->columns);
    pl_mesh_destroy(c->mesh);
    c->mesh = mesh;
    for (int v = 0; v < count; v++) pins += mesh->positions[3 * v + 1] > -1e-9;
    c->columns = pins; // as many as it is held by
    c->force = PL_ALLOC(double, 3 * (size_t)count);
    c->pins = PL_ALLOC(pl_pin, pins);
    if (!c->force || !c->pins) return false;
    for (int v = 0, k = 0; v < count; v++) {
        pl_vec3 at = pl_vec3_load(mesh->positions + 3 * v);
        if (at.y > -1e-9)
            c->pins[k++] = (pl_pin){.vertex = v, .hard = true, .from = at, .target = at};
    }
    return true;
}

// A cut downwards from the fourth row along the middle, as if it had been torn.
static void cut_open(s1_cloth* c) {
    pl_pbd_body* b = &c->system->bodies[0];
    pl_tearing* t = &b->tearing;
    const double* x = c->mesh->positions;
    double middle = 0.02 * (TORN_SIDE / 2);
    int next = t->particle_count;
    for (int v = 0; v < t->corner_count; v++) t->number[v] = -1;
    for (int v = 0; v < t->corner_count; v++) {
        const double* first = x + 9 * (v / 3);
        bool beyond = first[0] + first[3] + first[6] > 3.0 * middle;
        if (fabs(x[3 * v] - middle) > 1e-9 || x[3 * v + 1] > -0.07 || !beyond) continue;
        int* copy = &t->number[t->particle_of_corner[v]];
        if (*copy < 0) *copy = next++;
        t->particle_of_corner[v] = *copy;
    }
    for (int v = 0; v < t->corner_count; v++) t->number[v] = -1;
    t->particle_count = 0;
    for (int v = 0; v < t->corner_count; v++) { // numbered by first corners again
        int* n = &t->number[t->particle_of_corner[v]];
        if (*n < 0) *n = t->particle_count++;
        t->particle_of_corner[v] = *n;
    }
    b->is_stale = true;
}

// mean stretch of edges down the cloth that end no more than three columns from the cut
static double stretch_beside_cut(const s1_cloth* c) {
    const double *rest = c->mesh->positions, *x = c->system->positions;
    double middle = 0.02 * (TORN_SIDE / 2), sum = 0.0;
    int count = 0;
    for (int v = 0; v < c->mesh->vertex_count; v++) {
        int w = v - v % 3 + (v + 1) % 3;
        if (fabs(rest[3 * v] - middle) > 0.061 || fabs(rest[3 * v] - rest[3 * w]) > 1e-9) continue;
        sum += pl_distance(pl_vec3_load(x + 3 * v), pl_vec3_load(x + 3 * w)) / 0.02 - 1.0;
        count++;
    }
    return sum / count;
}

// After 4 s with two sweeps and four levels: weight of the cloth over its stretch beside the cut.
static bool torn(bench* b, bool cut, pl_tear_mode mode, const char* stretch_name,
                 const char* name) {
    s1_cloth cloth;
    if (!s1_cloth_create(TORN_SIDE, TORN_SIDE, NULL, &cloth)) return false;
    cloth.body.pbd.hierarchy = 4;
    cloth.body.pbd.tear = 1000.0; // nothing but the cut
    cloth.body.pbd.tear_mode = mode;
    cloth.body.solver.iterations = 2;
    cloth.body.damping.mass = 1.0;
    bool done = part_cloth(&cloth) && s1_cloth_start(&cloth);
    if (done && cut) cut_open(&cloth);
    done = done && s1_cloth_step(&cloth, 240);
    if (done) {
        double stretch = stretch_beside_cut(&cloth), weight = 0.0;
        for (int v = 0; v < cloth.mesh->vertex_count; v++) weight += 9.81 * cloth.system->mass[v];
        bench_result(b, stretch_name, 100.0 * stretch, "%", NAN);
        bench_result(b, name, weight / stretch, "N", NAN);
    }
    s1_cloth_free(&cloth);
    return done;
}

bool bench_s1_hierarchy(bench* b) {
    return regular(b, 5) && irregular(b, 5) &&
           torn(b, true, PL_TEAR_REMOVE, "tear_stretch_paper", "tear_stiffness_paper") &&
           torn(b, true, PL_TEAR_REBUILD, "tear_stretch_rebuild", "tear_stiffness_rebuild") &&
           torn(b, false, PL_TEAR_REBUILD, "tear_stretch_whole", "tear_stiffness_whole");
}
