// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What the benches of EigenFit share: one body on a fine mesh, on a coarse one, and on the coarse
// one with a correction, and how far the coarse runs are from the fine one.
#ifndef PL_BENCH_S2_FIT_H
#define PL_BENCH_S2_FIT_H

#include "bench.h"

#include <pliant/world.h>

// A scene with one body. Texts are parts of JSON.
typedef struct s2_case {
    const char* shape;      // parameters of a generator but for the edge
    double coarse, fine;    // edges [m]
    const char* files[2];   // coarse and fine meshes below PLIANT_DATA, which take the place of the
                            // shape where that is set; NULL: none
    const char* body;       // further keys of the body; NULL: own_body
    char own_body[300];     // material and solver
    char attachments[1200]; // list
    const char* gravity;    // three numbers
    int frames;             // of 0.01 s
    int first;              // frame, from which on errors count
} s2_case;

typedef enum s2_kind { S2_FINE, S2_COARSE, S2_FIT, S2_DAC } s2_kind;

// The way of all fine vertices.
typedef struct s2_truth {
    pl_world* world; // whose mesh they are of
    float *x, *v;    // 3 per vertex, frame after frame
    int frames, first;
} s2_truth;

typedef struct s2_errors {
    double position, velocity; // of a vertex, the largest of all frames [m], [m/s]
    double rms;                // over time of the largest of a frame [m]
    int first_unfit;           // frame; 0: none
    int vertex_count;
} s2_errors;

// The solver of the paper's linearly implicit Euler steps, solved to 1e-8.
#define S2_SOLVER                                                                                  \
    "\"integrator\": \"euler\", \"nonlinear\": \"linearised\", \"linear_tolerance\": 1e-8, "       \
    "\"linear_iterations\": 400"

// Bodies that stand on feet or on a wrist: the meshes of the paper in PLIANT_DATA, else creatures
// of about as many vertices.
typedef enum s2_creature { S2_ARMADILLO, S2_SKATER, S2_HAND } s2_creature;

// One of them, made of `law` and shaken where it stands for 0.3 s. quick: a coarser fine mesh of
// the creature, half of the frames. The material is that of young, unless young is 0.
s2_case s2_shaken(s2_creature creature, double young, const char* law, bool quick);
// The same body; one of its feet lets go after half a second.
s2_case s2_released(s2_creature creature, double young, const char* law, bool quick);
// An upright bar that is held at its foot and bent by a gravity along x; young as above.
s2_case s2_swung_bar(double young, const char* law, bool quick);

// position_ratio_NAME and velocity_ratio_NAME: errors with EigenFit over those of the coarse mesh;
// and the meshes.
void s2_report(bench* b, const char* name, const s2_errors* fine, const s2_errors* coarse,
               const s2_errors* fit);
void s2_result(bench* b, const char* what, const char* name, double value, const char* unit,
               double paper);

// NULL after an error.
pl_world* s2_make_world(const s2_case* c, s2_kind kind, pl_error* error);

// False after an error, which is printed.
bool s2_run_fine(const s2_case* c, s2_truth* out, s2_errors* errors);
bool s2_run_coarse(const s2_case* c, s2_kind kind, const s2_truth* truth, s2_errors* errors);
void s2_truth_free(s2_truth* truth);
// The fine run, the coarse one and the fitted one, compared with the first.
bool s2_run_three(const s2_case* c, s2_errors* fine, s2_errors* coarse, s2_errors* fit);

#endif
