// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// S3, section 8: "a bad alpha or omega can crash the simulation". Two frames under gravity with
// one linear solve each, for all pairs of alpha and omega, seven Poisson's ratios and three bodies:
// a block, a creature, and a block of slivers (flat tets, 12 : 1). `crashes`: worlds that could not
// go on; `not_finite`: those that ended with such positions; `unconverged`: frames of all worlds
// with a solve before its tolerance; the same with omega automatic are `unconverged_automatic`, and
// how many frames then took MINRES or the direct solver is `switches_automatic`. --quick: three
// alphas, four omegas, three ratios.
#include "s3_world.h"

#include <math.h>
#include <stdio.h>

static const char NAME[] = "s3-failures";

static const char* const SHAPES[] = {
    "\"shape\": \"bar\", \"size_x\": 0.6, \"size_y\": 0.2, \"size_z\": 0.2, \"edge\": 0.05",
    "\"shape\": \"armadillo\", \"height\": 0.5, \"edge\": 0.04",
    "\"shape\": \"bar\", \"size_x\": 0.6, \"size_y\": 0.005, \"size_z\": 0.4, \"edge\": 0.06"};

typedef struct tally {
    int worlds, crashes, not_finite, unconverged, switches;
} tally;

// omega NAN: automatic
static pl_world* make_world(int shape, double alpha, double omega, double nu) {
    char relaxation[64] = "";
    if (!isnan(omega)) snprintf(relaxation, sizeof relaxation, ", \"relaxation\": %g", omega);
    return s3_world(
        NAME,
        "{\"pliant\": 1, \"threads\": 1, \"bodies\": [{\"name\": \"b\", \"method\": \"mixed\", "
        "\"generate\": {%s}, \"material\": {\"young\": 1e5, \"poisson\": %.9g}, \"linear\": "
        "\"multigrid\", \"nonlinear\": \"linearised\", \"mixed\": {\"stabilization\": %g%s}}], "
        "\"attachments\": [{\"body\": \"b\", \"where\": {\"side\": \"+y\"}}]}",
        SHAPES[shape], nu, alpha, relaxation);
}

static bool is_finite(pl_world* world) {
    const double* x = pl_world_positions(world, 0);
    for (int i = 0; i < 3 * pl_world_mesh(world, 0)->vertex_count; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

static bool run(int shape, double alpha, double omega, double nu, tally* t) {
    enum { FRAMES = 2 };
    pl_world* world = make_world(shape, alpha, omega, nu);
    if (!world) return false;
    pl_frame_info info;
    t->worlds++;
    for (int frame = 0; frame < FRAMES; frame++) {
        if (!s3_step(NAME, world, &info)) {
            t->crashes++;
            break;
        }
        t->unconverged += info.unconverged_count > 0;
        t->switches += info.switch_count > 0;
    }
    t->not_finite += !is_finite(world);
    pl_world_destroy(world);
    return true;
}

bool bench_s3_failures(bench* b) {
    static const double alphas[] = {0.1, 1.0, 30.0, 0.3, 3.0, 10.0};
    static const double omegas[] = {NAN, 0.1, 0.7, 1.5, 0.4, 1.0};
    static const double nus[] = {0.3, 0.499, 0.5, 0.45, 0.49, 0.4999, 0.49999};
    bool quick = bench_quick(b);
    tally chosen = {0}, given = {0};
    for (int shape = 0; shape < 3; shape++)
        for (int o = 0; o < (quick ? 4 : 6); o++) {
            tally t = {0};
            for (int a = 0; a < (quick ? 3 : 6); a++)
                for (int k = 0; k < (quick ? 3 : 7); k++)
                    if (!run(shape, alphas[a], omegas[o], nus[k], &t)) return false;
            printf(
                "  body %d, omega %g: %d worlds, %d crash, %d not finite, %d frames unconverged, "
                "%d by the direct solver\n",
                shape, omegas[o], t.worlds, t.crashes, t.not_finite, t.unconverged, t.switches);
            fflush(stdout);
            tally* sum = o == 0 ? &chosen : &given;
            sum->crashes += t.crashes, sum->not_finite += t.not_finite;
            sum->unconverged += t.unconverged, sum->switches += t.switches;
        }
    bench_result(b, "crashes", chosen.crashes + given.crashes, "", NAN);
    bench_result(b, "not_finite", chosen.not_finite + given.not_finite, "", NAN);
    bench_result(b, "unconverged", chosen.unconverged + given.unconverged, "", NAN);
    bench_result(b, "unconverged_automatic", chosen.unconverged, "", NAN);
    bench_result(b, "switches_automatic", chosen.switches, "", NAN);
    return true;
}
