// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Pairs of features whose boxes overlap, collected until there are PL_LANES of them: whether they
// are near is then decided for all at once, in floats. What rounding leaves open is said.
#ifndef PL_CONTACT_PAIR_BATCH_H
#define PL_CONTACT_PAIR_BATCH_H

#include "contact/surface_set.h"
#include "contact/surface_set_data.h"

// A pair that may be near.
typedef struct pl_pair_candidate {
    pl_contact_pair pair;
    pl_vec3 frame;    // the two are compared in a frame that moves by this
    double reach;     // of both together
    bool boxes_meet;  // for sure, in double too
    bool frame_moves; // `frame` is not zero
} pl_pair_candidate;

typedef struct pl_pair_batch {
    pl_pair_candidate items[PL_LANES];
    int count;
} pl_pair_batch;

// One bit for each item.
typedef struct pl_pair_verdicts {
    unsigned far, near; // neither: rounding does not allow to say
} pl_pair_verdicts;

// Compares the distance of each pair at the start with its reach and the longest ways of both. All
// have the same frame_moves.
pl_pair_verdicts pl_pair_batch_judge(const pl_pair_batch* batch, const pl_vertex_way* ways);

#endif
