// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "s4_hexes.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

// slopes of the eight corners' functions at a point of the unit cube
static void slopes(const double at[3], double out[8][3]) {
    for (int c = 0; c < 8; c++)
        for (int a = 0; a < 3; a++) {
            double product = 1.0;
            for (int d = 0; d < 3; d++) {
                int high = c >> d & 1;
                product *= d == a ? (high ? 1.0 : -1.0) : (high ? at[d] : 1.0 - at[d]);
            }
            out[c][a] = product;
        }
}

void s4_hex_stiffness(double lambda, double K[24][24]) {
    const double gauss[2] = {0.5 - 0.5 / sqrt(3.0), 0.5 + 0.5 / sqrt(3.0)};
    memset(K, 0, 24 * sizeof K[0]);
    for (int q = 0; q < 8; q++) {
        const double at[3] = {gauss[q & 1], gauss[q >> 1 & 1], gauss[q >> 2]};
        double B[8][3];
        slopes(at, B);
        for (int i = 0; i < 24; i++)
            for (int j = 0; j < 24; j++) {
                const double *bi = B[i / 3], *bj = B[j / 3];
                int a = i % 3, b = j % 3;
                double same = a == b ? bi[0] * bj[0] + bi[1] * bj[1] + bi[2] * bj[2] : 0.0;
                K[i][j] += 0.125 * (same + bi[b] * bj[a] + lambda * bi[a] * bj[b]);
            }
    }
}

void s4_hexes_apply(const void* hexes, const double* x, double* y) {
    const s4_hexes* h = hexes;
    int n = h->n, side = n + 1;
    memset(y, 0, (size_t)s4_hex_unknowns(n) * sizeof(double));
    for (int e = 0; e < n * n * n; e++) {
        int i = e % n, j = e / n % n, k = e / n / n, corner[8];
        double in[24], out[24] = {0};
        for (int c = 0; c < 8; c++) {
            int at = i + (c & 1);
            corner[c] = 3 * (((k + (c >> 2)) * side + j + (c >> 1 & 1)) * side + at);
            bool held = at == 0 || at == n;
            for (int a = 0; a < 3; a++) in[3 * c + a] = held ? 0.0 : x[corner[c] + a];
        }
        // by columns, so that the inner loop runs along registers
        for (int q = 0; q < 24; q++)
            for (int r = 0; r < 24; r++) out[r] += h->K[q][r] * in[q];
        for (int c = 0; c < 24; c++) y[corner[c / 3] + c % 3] += out[c];
    }
    for (int v = 0; v < side * side * side; v++)
        if (v % side == 0 || v % side == n) y[3 * v] = y[3 * v + 1] = y[3 * v + 2] = 0.0;
}
