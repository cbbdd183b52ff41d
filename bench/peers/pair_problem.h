// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Surfaces that move, and what makes a pair of theirs near: what the programs of other libraries
// that find pairs for `pliant-bench contact-pairs` share (peer_fcl.cpp, peer_dbvt.cpp). They bring
// their trees. What is done with two triangles whose boxes meet is here and the same for all.
//
// The file (bench/pair_contest.c writes it): ints vertices, triangles, surfaces; per surface its
// first triangle and an end; three ints a triangle, vertices of all surfaces together, sorted by
// surface; doubles reach, three a vertex at the start, three a vertex at the end of its way.
#ifndef PL_BENCH_PAIR_PROBLEM_H
#define PL_BENCH_PAIR_PROBLEM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pair_problem {
    int vertex_count, triangle_count, surface_count;
    int *firsts, *triangles;
    double reach; // two are near that come within twice this
    double *start, *end;
    unsigned char* features; // vertices and edges that count as a triangle's
    size_t count, room;      // of pairs found
    int (*found)[4];
} pair_problem;

// NULL if the file cannot be read or memory is out. Both are said.
pair_problem* pair_problem_read(const char* path);

// The box around the way of a vertex, grown by the reach.
void pair_problem_box(const pair_problem* p, int vertex, double low[3], double high[3]);

// Adds the pairs of two triangles that are near.
void pair_problem_compare(pair_problem* p, int a, int b);

// One search: fits trees to the motion and calls pair_problem_compare for all triangles that may
// be near.
typedef void (*pair_search)(pair_problem* p, void* user);
// Runs it once and then `repeats` times. Prints the median of processor seconds, the pairs, and
// their pair_sum in two halves.
void pair_problem_measure(pair_problem* p, pair_search search, void* user, const char* name,
                          int repeats);

#ifdef __cplusplus
}
#endif

#endif
