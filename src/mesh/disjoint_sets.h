// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Disjoint sets of integers: parent[i] leads towards the root of i's set, which is its own parent.
#ifndef PL_MESH_DISJOINT_SETS_H
#define PL_MESH_DISJOINT_SETS_H

#include <stdbool.h>

static inline int pl_set_root(int* parent, int i) {
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

// The lower root wins, so that roots do not depend on the order of joining. False if both were in
// one set before.
static inline bool pl_set_join(int* parent, int a, int b) {
    a = pl_set_root(parent, a);
    b = pl_set_root(parent, b);
    if (a < b) parent[b] = a;
    else parent[a] = b;
    return a != b;
}

#endif
