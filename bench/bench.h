// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What the benches share: results, repeated timing, interleaved comparison.
#ifndef PL_BENCH_H
#define PL_BENCH_H

#include <stdbool.h>

typedef struct bench bench;

// Adds a result; paper is what a paper reports for it, or NAN.
void bench_result(bench* b, const char* name, double value, const char* unit, double paper);
// Adds a result with the value that theory gives; the field is "reference".
void bench_compare(bench* b, const char* name, double value, const char* unit, double reference);
// Names a mesh of the bench once among its results: the file below PLIANT_DATA that it is or stands
// for, where it comes from, its vertices.
void bench_mesh_used(bench* b, const char* file, const char* source, int vertex_count);
// With --quick: smaller sizes, fewer repeats.
bool bench_quick(const bench* b);
// The part of the bench that is asked for; NULL: all of it.
const char* bench_part(const bench* b);
// Frames to simulate: those of --frames, else the usual ones.
int bench_frames(const bench* b, int usual);

typedef void (*bench_run)(void* user);
// Median seconds of a run, after one warm-up.
double bench_seconds(bench_run run, void* user, int repeats);
// Runs both in turn and gives the median of seconds(base) / seconds(ours), so above 1 means ours is
// faster.
double bench_ratio(bench_run ours, void* ours_user, bench_run base, void* base_user, int repeats);

// The benches: name in C, name on the command line, summary. Each has a file bench_NAME.c and fills
// results; false means it failed and said why.
// clang-format off
#define BENCH_LIST(X) \
    X(contact_cloth, "contact-cloth", "cloth that folds over itself and a ball; what self contact costs") \
    X(contact_heap, "contact-heap", "heaps of bodies: crossings, depth, volume, frames per second") \
    X(contact_pairs, "contact-pairs", "finding contacts: against brute force, and cost by size") \
    X(contact_stack, "contact-stack", "bodies that touch: a stack stays, a block slips, momentum is kept") \
    X(fem_kernels, "fem-kernels", "gradient and matrix of tets, float batches against double") \
    X(mesh_io, "mesh-io", "reading and writing a million tets") \
    X(material, "material", "stress and tangent of the laws, wide against scalar") \
    X(math, "math", "3 x 3 rotations and singular values, wide against scalar") \
    X(methods, "methods", "error against seconds: the same bodies under all methods and solvers") \
    X(render, "render", "pictures per second") \
    X(run_table, "run-table", "frames per second of `pliant run`, with recording") \
    X(s0_contrast, "s0-contrast", "stiff parts in a soft bar: iterations beside one material") \
    X(s0_peers, "s0-peers", "linear systems against CHOLMOD, PETSc GAMG and hypre BoomerAMG") \
    X(s0_limit, "s0-limit", "multigrid of Projective Dynamics: bandwidth, threads, a frame") \
    X(s0_race, "s0-race", "one frame by Projective Dynamics with nine linear solvers") \
    X(s0_scaling, "s0-scaling", "memory and time of a frame against the size of the mesh") \
    X(s0_stiffness, "s0-stiffness", "cycles of multigrid for stiffness over a range of 500") \
    X(s0_table1, "s0-table1", "frames per second of the examples of Table 1") \
    X(s0_table2, "s0-table2", "phases of a frame of the examples of Table 2") \
    X(s0_table3, "s0-table3", "what is left after the coarse solve, for four kinds of coarse spaces") \
    X(s1_iterations, "s1-iterations", "hierarchical pbd: iterations for a stretch (Fig. 3)") \
    X(s1_hang, "s1-hang", "pbd by default: how long cloth gets, and what a frame takes") \
    X(s1_hierarchy, "s1-hierarchy", "hierarchical pbd: constraints of the levels") \
    X(s1_irregular, "s1-irregular", "hierarchical pbd: a dress that walks in the wind (Fig. 4)") \
    X(s1_stiffness, "s1-stiffness", "hierarchical pbd: stretch and frame rate (Fig. 7)") \
    X(s1_throughput, "s1-throughput", "pbd: projections per second, a million triangles") \
    X(s2_bar, "s2-bar", "EigenFit: a twisted bar against fine mesh, coarse mesh and DAC (Fig. 6)") \
    X(s2_arap, "s2-arap", "EigenFit: shaken bodies of ARAP against fine and coarse meshes (Fig. 8, 10)") \
    X(s2_crossing, "s2-crossing", "EigenFit: modes that change places in a swinging bar (Fig. 5)") \
    X(s2_hetero, "s2-hetero", "EigenFit: stiffness that varies by orders of magnitude (Fig. 11-13)") \
    X(s2_large, "s2-large", "EigenFit: too large a deformation, and the warning (Fig. 14)")          \
    X(s2_release, "s2-release", "EigenFit: a leg that is let go during the run (Fig. 9)") \
    X(s2_table2, "s2-table2", "EigenFit: time of a step beside the coarse and the fine mesh (Table 2)") \
    X(s2_table3, "s2-table3", "EigenFit: error against stiffness (Table 3)") \
    X(s2_modes, "s2-modes", "20 modes of a free body against ARPACK with CHOLMOD and SLEPc with MUMPS") \
    X(s3_cantilever, "s3-cantilever", "mixed: a rod that bends under its weight, against theory (Fig. 10)") \
    X(s3_contrast, "s3-contrast", "mixed: stiff parts in a soft bar, iterations beside one material") \
    X(s3_failures, "s3-failures", "mixed: no stabilisation or relaxation ends a simulation (section 8)") \
    X(s3_inversion, "s3-inversion", "mixed: a cube from random places back to its shape (Fig. 12)") \
    X(s3_locking, "s3-locking", "mixed: pulled cylinder, pressed tube, Cook's membrane against second order (Fig. 4)") \
    X(s3_peers, "s3-peers", "mixed: linear systems against PETSc fieldsplit with GAMG, and MUMPS") \
    X(s3_rates, "s3-rates", "mixed: convergence of cycles by Poisson's ratio and size, time by size (Fig. 13)") \
    X(s3_smoothers, "s3-smoothers", "mixed: six smoothers, time for a digit of the residual (Fig. 7)") \
    X(s3_stabilisation, "s3-stabilisation", "mixed: what the stabilisation of pressures moves (Fig. 5)") \
    X(s3_table2, "s3-table2", "mixed: frames per second of the bodies of Table 2, and beside fem") \
    X(s3_twist, "s3-twist", "mixed: four solvers let a twisted cube go (Fig. 11)") \
    X(s3_volume, "s3-volume", "mixed: volume of a bent arm and of letters that fall (Fig. 3, 14)") \
    X(s4_accuracy, "s4-accuracy", "error of method grid against a known answer") \
    X(s4_cg, "s4-cg", "conjugate gradients against the cycle of method grid") \
    X(s4_rates, "s4-rates", "convergence of the lattice of method grid") \
    X(s4_vcycle, "s4-vcycle", "seconds of a V-cycle of method grid") \
    X(sensitivity, "sensitivity", "what the tuned numbers change on bodies that they were not tuned on") \
    X(stuffing, "stuffing", "tets in a shape: speed and angles at 200 000 vertices") \
    X(verify, "verify", "the fem core against theory") \
    X(view, "view", "pliant view in a browser: frame rate, latency, overhead")
// clang-format on

#define BENCH_PROTOTYPE(name, text, summary) bool bench_##name(bench* b);
BENCH_LIST(BENCH_PROTOTYPE)
#undef BENCH_PROTOTYPE

#endif
