// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "pair_sum.h"

#include <string.h>

static void order(int* v, int count) {
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && v[j] < v[j - 1]; j--) {
            const int other = v[j];
            v[j] = v[j - 1], v[j - 1] = other;
        }
}

uint64_t pair_sum(const int v[4], int is_edges) {
    int w[4];
    memcpy(w, v, sizeof w);
    if (is_edges) {
        order(w, 2);
        order(w + 2, 2);
        if (w[2] < w[0] || (w[2] == w[0] && w[3] < w[1]))
            memcpy(w, (int[4]){w[2], w[3], w[0], w[1]}, sizeof w);
    } else {
        order(w + 1, 3);
    }
    uint64_t hash = is_edges ? 0x9e3779b97f4a7c15u : 0x7f4a7c159e3779b9u;
    for (int i = 0; i < 4; i++) {
        hash = (hash ^ (uint64_t)w[i]) * 0xff51afd7ed558ccdu;
        hash ^= hash >> 32;
    }
    return hash;
}
