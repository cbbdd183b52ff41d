// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The same linear systems solved by pliant's multigrid, PETSc GAMG, hypre BoomerAMG and CHOLMOD, in
// programs of their own (bench/peers) that take turns, two cores each. docs/peers.md says what is
// measured, why the settings below are the peers' best, and how to run one alone.
//
// PLIANT_SYSTEMS may name some of "53k 203k pd_bar pd_dragon" (peer_contest.h).
#include "bench_meshes.h"
#include "bench_systems.h"
#include "peer_contest.h"

#include <stdio.h>

enum { LARGE_ROUNDS = 3 };
static const char NAME[] = "s0-peers";

#define GAMG                                                                                       \
    "-pc_type gamg -pc_gamg_type agg -pc_gamg_aggressive_coarsening 2 "                            \
    "-mg_levels_ksp_type chebyshev -mg_levels_pc_type jacobi "
#define SMOOTHED GAMG "-pc_gamg_agg_nsmooths 1 -mg_levels_ksp_max_it 1 "
#define PLAIN GAMG "-pc_gamg_agg_nsmooths 0 -mg_levels_ksp_max_it 2 -pc_mg_cycle_type w "
#define BOOMER                                                                                     \
    "-pc_type hypre -pc_hypre_type boomeramg -pc_hypre_boomeramg_strong_threshold 0.5 "            \
    "-pc_hypre_boomeramg_coarsen_type HMIS -pc_hypre_boomeramg_interp_type ext+i "                 \
    "-pc_hypre_boomeramg_P_max 4 -pc_hypre_boomeramg_agg_nl 1 "

static const peer pliant = {"pliant", "peer_pliant", PEER_OURS, false, ""};
static const peer cholmod = {"cholmod", "peer_cholmod", PEER_DIRECT, false, ""};
// smoothed aggregation, what GAMG is made for
static const peer gamg = {"gamg", "peer_petsc", PEER_ITERATIVE, true,
                          SMOOTHED "-pc_gamg_reuse_interpolation false"};
static const peer gamg_reused = {"gamg_reused", "peer_petsc", PEER_ITERATIVE, true,
                                 SMOOTHED "-pc_gamg_reuse_interpolation true"};
// plain aggregation: more iterations, but far less to compute when values change
static const peer gamg_plain = {"gamg_plain", "peer_petsc", PEER_ITERATIVE, true,
                                PLAIN "-pc_gamg_reuse_interpolation true"};
static const peer hypre = {"hypre", "peer_petsc", PEER_ITERATIVE, true,
                           BOOMER "-pc_hypre_boomeramg_nodal_coarsen 4 "
                                  "-pc_hypre_boomeramg_relax_type_all Chebyshev"};

static bool failed(const pl_error* error) {
    fprintf(stderr, "pliant-bench s0-peers: %s\n", error->text);
    return false;
}

static bool store_elasticity(bench_bar bar, peer_contest* c) {
    pl_error error;
    pl_mesh* mesh;
    bench_system system;
    bench_solid material = bench_default_solid();
    if (bench_bar_mesh(bar, &mesh, &error) != PL_OK) return failed(&error);
    pl_status status = bench_elasticity(mesh, &material, "left", &system, &error);
    pl_mesh_destroy(mesh);
    if (status != PL_OK) return failed(&error);
    system_rows rows = bench_system_rows(&system);
    bool done = peer_contest_store(c, &rows);
    bench_system_free(&system);
    return done;
}

// takes the mesh over
static bool store_projective(pl_mesh* mesh, peer_contest* c) {
    pl_error error;
    bench_system system;
    bench_solid material = bench_default_solid();
    pl_status status = bench_projective(mesh, &material, &system, &error);
    pl_mesh_destroy(mesh);
    if (status != PL_OK) return failed(&error);
    system_rows rows = bench_system_rows(&system);
    bool done = peer_contest_store(c, &rows);
    bench_system_free(&system);
    return done;
}

static bool elasticity_53k(bench* b, int rounds) {
    peer_contest c = {.bench_name = NAME,
                      .system = "53k",
                      .peer_count = bench_quick(b) ? 5 : 6,
                      .peers = {&pliant, &gamg, &gamg_reused, &gamg_plain, &hypre, &cholmod},
                      .rounds = rounds,
                      .repeats = 3,
                      .iterative_repeats = bench_quick(b) ? 1 : 3,
                      .direct_repeats = 1};
    if (!store_elasticity(BENCH_BAR_53K, &c)) return false;
    peer_contest_run(&c, b);
    peer_contest_report(&c, b, "total_vs_best_amg_", c.system,
                        peer_contest_best_total(&c, PEER_ITERATIVE) /
                            peer_contest_median(&c, &pliant, "total"));
    return true;
}

// Without CHOLMOD, which takes minutes and 9 GB for the factor, and without smoothed aggregation
// that keeps its interpolation, which is the slowest of the others in total.
static bool elasticity_203k(bench* b, int rounds) {
    peer_contest c = {.bench_name = NAME,
                      .system = "203k",
                      .peer_count = 4,
                      .peers = {&pliant, &gamg, &gamg_plain, &hypre},
                      .rounds = rounds,
                      .repeats = 3,
                      .iterative_repeats = 1};
    if (!store_elasticity(BENCH_BAR_203K, &c)) return false;
    peer_contest_run(&c, b);
    double update = peer_contest_median(&c, &pliant, "update"),
           peak = peer_contest_median(&c, &pliant, "peak");
    peer_contest_report(&c, b, "total_vs_best_amg_", c.system,
                        peer_contest_best_total(&c, PEER_ITERATIVE) /
                            peer_contest_median(&c, &pliant, "total"));
    peer_contest_report(&c, b, "setup_vs_gamg_", c.system,
                        update / peer_contest_median(&c, &gamg, "update"));
    peer_contest_report(&c, b, "setup_vs_gamg_plain_", c.system,
                        update / peer_contest_median(&c, &gamg_plain, "update"));
    peer_contest_report(&c, b, "memory_vs_gamg_", c.system,
                        peak / peer_contest_median(&c, &gamg, "peak"));
    peer_contest_report(&c, b, "memory_vs_gamg_plain_", c.system,
                        peak / peer_contest_median(&c, &gamg_plain, "peak"));
    return true;
}

static void projective_contest(bench* b, peer_contest* c, const char* ratio) {
    peer_contest_run(c, b);
    peer_contest_report(c, b, ratio, "",
                        peer_contest_median(c, &cholmod, "solve") /
                            peer_contest_median(c, &pliant, "cycle"));
}

static bool projective_bar(bench* b, bench_bar bar, int rounds) {
    bool small = bar == BENCH_BAR_53K;
    peer_contest c = {.bench_name = NAME,
                      .system = small ? "pd_bar_53k" : "pd_bar",
                      .peer_count = 2,
                      .peers = {&pliant, &cholmod},
                      .rounds = rounds,
                      .repeats = small ? 5 : 15,
                      .direct_repeats = small ? 5 : 9};
    pl_error error;
    pl_mesh* mesh;
    if (bench_bar_mesh(bar, &mesh, &error) != PL_OK) return failed(&error);
    if (!store_projective(mesh, &c)) return false;
    projective_contest(b, &c, small ? "cycle_vs_cholmod_bar_53k" : "cycle_vs_cholmod_bar");
    return true;
}

static bool projective_dragon(bench* b, int rounds) {
    peer_contest c = {.bench_name = NAME,
                      .system = "pd_dragon",
                      .peer_count = 2,
                      .peers = {&pliant, &cholmod},
                      .rounds = rounds,
                      .repeats = 15,
                      .direct_repeats = 9};
    pl_error error;
    pl_mesh *read, *mesh;
    if (bench_solid_mesh(b, "tets_generated/dragon_200k.msh.gz", 199937, &read, &error) != PL_OK ||
        bench_reorder(read, &mesh, &error) != PL_OK)
        return failed(&error);
    if (!store_projective(mesh, &c)) return false;
    projective_contest(b, &c, "cycle_vs_cholmod_dragon");
    return true;
}

static bool full_run(bench* b) {
    int rounds = peer_contest_rounds(PEER_MAX_ROUNDS);
    return (!peer_contest_is_wanted("53k") || elasticity_53k(b, rounds)) &&
           (!peer_contest_is_wanted("203k") ||
            elasticity_203k(b, peer_contest_rounds(LARGE_ROUNDS))) &&
           (!peer_contest_is_wanted("pd_bar") || projective_bar(b, BENCH_BAR_203K, rounds)) &&
           (!peer_contest_is_wanted("pd_dragon") || projective_dragon(b, rounds));
}

bool bench_s0_peers(bench* b) {
    peer_load load = peer_load_begin();
    bool done =
        bench_quick(b) ? elasticity_53k(b, 1) && projective_bar(b, BENCH_BAR_53K, 1) : full_run(b);
    if (done) peer_load_report(&load, b);
    return done;
}
