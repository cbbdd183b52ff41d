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

bool bench_s1_hierarchy(bench* b) { return regular(b, 5) && irregular(b, 5); }
