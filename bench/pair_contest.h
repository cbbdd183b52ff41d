// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Pairs of moving surfaces found by pliant and by programs of bench/peers (FCL, Bullet) in turn, on
// one thread each: what contact-pairs compares itself with. docs/peers.md says how it is measured.
#ifndef PL_BENCH_PAIR_CONTEST_H
#define PL_BENCH_PAIR_CONTEST_H

#include "bench.h"
#include "contact/surface_set.h"

typedef struct pair_contest {
    const char* name; // in the names of results
    const pl_surface_source* sources;
    int source_count, vertex_count;
    double reach;
    const double *start, *end; // 3 per vertex
} pair_contest;

// Reports processor seconds of all, how many pairs there are, whether all found the same ones, and
// the time of the fastest peer over ours (NAN, after a message, where no peer is there). False if
// ours failed.
bool pair_contest_run(bench* b, const pair_contest* c, double* ratio);

#endif
