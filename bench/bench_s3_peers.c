// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The linear systems of method mixed solved by pliant's cycles in flexible GMRES, by PETSc's
// flexible GMRES with a Schur complement (PCFIELDSPLIT: GAMG on K, the scaled mass of the
// pressures, or the product of the off-diagonal blocks), and by MUMPS, in programs of their own
// (bench/peers) that take turns. docs/peers.md says what is measured and why the settings below are
// the peers' best.
//
// The bars of s0-peers at Poisson's ratio 0.499 with the inertia of h = 1/30 s at E = 1e5 Pa, held
// at one end, at rest; the right-hand side is gravity with 20 % noise. `total_vs_best_*`: the
// smallest `total` of the peers over ours, values being new, to 1e-3; `total_vs_best_1e8_*` to
// 1e-8. PLIANT_SYSTEMS may name some of "53k 203k". --quick: 4000 vertices.
#include "base/random.h"
#include "bench_systems.h"
#include "peer_contest.h"
#include "s3_system.h"

#include <math.h>
#include <stdio.h>

enum { LARGE_ROUNDS = 3 };
static const char NAME[] = "s3-peers";
// density / (mu h^2)
static const double INERTIA = 1000.0 * 900.0 / (1e5 / 2.998);

#define SPLIT                                                                                      \
    " -pc_type fieldsplit -pc_fieldsplit_type schur -pc_fieldsplit_schur_fact_type upper"          \
    " -pc_fieldsplit_schur_precondition user -ksp_gmres_restart 60"                                \
    " -fieldsplit_0_ksp_type preonly -fieldsplit_0_pc_type gamg"                                   \
    " -fieldsplit_0_pc_gamg_reuse_interpolation true"                                              \
    " -fieldsplit_1_ksp_type preonly -fieldsplit_1_pc_type jacobi"
#define MUMPS " -pc_type cholesky -pc_factor_mat_solver_type mumps"

// ours first; MUMPS last
enum { PEERS = 4, ITERATIVE_PEERS = 3 };
#define PEERS_TO(tolerance)                                                                        \
    {                                                                                              \
        {"pliant", "peer_pliant", PEER_OURS, false, tolerance},                                    \
            {"split", "peer_petsc", PEER_ITERATIVE, true, "-ksp_rtol " tolerance SPLIT},           \
            {"split_plain", "peer_petsc", PEER_ITERATIVE, true,                                    \
             "-ksp_rtol " tolerance SPLIT " -fieldsplit_0_pc_gamg_agg_nsmooths 0"},                \
        {                                                                                          \
            "mumps", "peer_petsc", PEER_DIRECT, true, "-ksp_rtol " tolerance MUMPS                 \
        }                                                                                          \
    }

static const struct {
    const char *result, *suffix;
    peer peers[PEERS];
} tolerances[] = {{"total_vs_best_", "", PEERS_TO("1e-3")},
                  {"total_vs_best_1e8_", "_1e8", PEERS_TO("1e-8")}};

static bool failed(const pl_error* error) {
    fprintf(stderr, "pliant-bench %s: %s\n", NAME, error->text);
    return false;
}

// The bar upright, as s3_system holds the lowest vertices.
static void stand_up(pl_mesh* mesh) {
    for (int v = 0; v < mesh->vertex_count; v++) {
        double* x = mesh->positions + 3 * (size_t)v;
        double z = x[2];
        x[2] = x[1];
        x[1] = x[0];
        x[0] = z;
    }
}

// Sideways, so that the bar bends; 20 % of noise.
static void load(s3_system* s) {
    pl_random random = {7};
    for (int v = 0; v < s->vertex_count; v++)
        for (int c = 0; c < 3; c++) {
            double noise = 0.2 * pl_random_uniform(&random, -1.0, 1.0);
            s->b[4 * (size_t)v + (size_t)c] =
                s->held[v] ? 0.0 : s->mass[v] * (noise - (c == 2 ? 1.0 : 0.0));
        }
}

// volumes become the mass of the scaled pressures; mu is 1
static void scale_mass(s3_system* s) {
    for (int v = 0; v < s->vertex_count; v++) s->mass[v] *= s->units[v] * s->units[v];
}

static bool make_system(bench_bar bar, s3_system* s) {
    pl_error error = {0};
    pl_mesh* mesh;
    if (bench_bar_mesh(bar, &mesh, &error) != PL_OK) return failed(&error);
    stand_up(mesh);
    bool done = s3_system_create(s, &(s3_body){mesh, 0.499, INERTIA, NULL, false}, NULL, &error);
    pl_mesh_destroy(mesh);
    if (!done) return failed(&error);
    load(s);
    scale_mass(s);
    return true;
}

static system_rows rows_of(const s3_system* s) {
    return (system_rows){.header = {.block = 4,
                                    .row_count = s->vertex_count,
                                    .rhs_count = 1,
                                    .entry_count = pl_block_matrix_entry_count(&s->A)},
                         .count = s->vertex_count,
                         .offsets = s->A.offsets,
                         .columns = s->A.columns,
                         .values = s->A.values,
                         .rhs = s->b,
                         .positions = s->rest,
                         .mass = s->mass};
}

static bool compete(bench* b, const s3_system* s, const char* name, int rounds, bool direct) {
    system_rows rows = rows_of(s);
    for (size_t t = 0; t < sizeof tolerances / sizeof tolerances[0]; t++) {
        char system[32];
        snprintf(system, sizeof system, "%s%s", name, tolerances[t].suffix);
        peer_contest c = {.bench_name = NAME,
                          .system = system,
                          .peer_count = direct ? PEERS : ITERATIVE_PEERS,
                          .rounds = rounds,
                          .repeats = 3,
                          .iterative_repeats = 1,
                          .direct_repeats = 1};
        for (int i = 0; i < c.peer_count; i++) c.peers[i] = &tolerances[t].peers[i];
        if (!peer_contest_store(&c, &rows)) return false;
        peer_contest_run(&c, b);
        double best = fmin(peer_contest_best_total(&c, PEER_ITERATIVE),
                           peer_contest_best_total(&c, PEER_DIRECT));
        peer_contest_report(&c, b, tolerances[t].result, name,
                            best / peer_contest_best_total(&c, PEER_OURS));
    }
    return true;
}

// Without MUMPS at 203k, whose factor takes minutes.
static bool measure(bench* b, bench_bar bar, const char* name, int rounds) {
    s3_system s;
    if (!peer_contest_is_wanted(name)) return true;
    if (!make_system(bar, &s)) return false;
    bool done = compete(b, &s, name, rounds, bar != BENCH_BAR_203K);
    s3_system_free(&s);
    return done;
}

bool bench_s3_peers(bench* b) {
    peer_load others = peer_load_begin();
    int rounds = peer_contest_rounds(LARGE_ROUNDS);
    bool done = bench_quick(b) ? measure(b, BENCH_BAR_4K, "4k", 1)
                               : measure(b, BENCH_BAR_53K, "53k", rounds) &&
                                     measure(b, BENCH_BAR_203K, "203k", rounds);
    if (done) peer_load_report(&others, b);
    return done;
}
