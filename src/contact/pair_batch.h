// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Pairs of features whose boxes overlap, collected until there are PL_LANES of them. Then floats
// decide for all of them at once whether they are near; pairs that rounding leaves undecided are
// marked.
#ifndef PL_CONTACT_PAIR_BATCH_H
#define PL_CONTACT_PAIR_BATCH_H

#include "contact/surface_set.h"
#include "contact/surface_set_data.h"

// A pair that may be near.
typedef struct pl_pair_candidate {
    pl_contact_pair pair;
    pl_vec3 frame;    // the pair is compared in a frame with this motion
    double reach;     // of both features together
    bool boxes_meet;  // the boxes certainly overlap, in double too
    bool frame_moves; // `frame` is not zero
} pl_pair_candidate;

typedef struct pl_pair_batch {
    pl_pair_candidate items[PL_LANES];
    int count;
} pl_pair_batch;

// One bit per pair.
typedef struct pl_pair_verdicts {
    unsigned far, near; // neither: undecided because of rounding
} pl_pair_verdicts;

// Compares the distance of each pair at the start with its reach plus the longest paths of both
// features. All pairs of a batch have the same frame_moves.
pl_pair_verdicts pl_pair_batch_judge(const pl_pair_batch* batch, const pl_vertex_way* ways);

#endif
