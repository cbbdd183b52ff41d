// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The same cloth by Bullet's soft body, in a program of its own (peers/peer_bullet.cpp).
#ifndef PL_BENCH_S1_BULLET_H
#define PL_BENCH_S1_BULLET_H

#include "pbd/pbd_hierarchy.h"

typedef struct s1_bullet_times {
    double seconds; // of one iteration over all distances of a level, the median
    double cpu;     // the least processor time
} s1_bullet_times;

// False if the program is not there, or failed and said why.
bool s1_bullet_run(const pl_pbd_level* level, int repeats, s1_bullet_times* out);

#endif
