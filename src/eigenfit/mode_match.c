// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "eigenfit/mode_match.h"

void pl_match_modes(int n, double* overlaps, int* match) {
    for (int round = 0; round < n; round++) {
        int best = -1;
        for (int i = 0; i < n * n; i++)
            if (overlaps[i] >= 0.0 && (best < 0 || overlaps[i] > overlaps[best])) best = i;
        if (best < 0) best = 0; // only if overlaps are not finite
        int current = best / n, rest = best % n;
        match[current] = rest;
        for (int k = 0; k < n; k++) overlaps[current * n + k] = overlaps[k * n + rest] = -1.0;
    }
}

bool pl_modes_agree(int n, int first, const double* overlaps, double tolerance) {
    int agreeing = 0;
    for (int k = first; k < n; k++) {
        double largest = 0.0;
        for (int j = 0; j < n; j++)
            if (overlaps[j * n + k] > largest) largest = overlaps[j * n + k];
        agreeing += largest > 1.0 - tolerance;
    }
    return 2 * agreeing >= n - first;
}
