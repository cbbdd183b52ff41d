// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A clamped bar of square section by linear elasticity in three dimensions: the reference of bars
// in a lattice. Beam theory is not accurate to 1 % there, as it lets the clamped end shrink
// sideways. Hexahedra with 27 nodes and 27 Gauss points, which have nothing in common with tets or
// the lattice.
#include "base/memory.h"
#include "sparse/direct.h"
#include "verify.h"

#include <math.h>
#include <string.h>

enum { NODES = 27, GAUSS = 27, MAX_NEIGHBOURS = 124 };

typedef struct hexes {
    int cells[3]; // along x, y, z
    double edge[3];
    double stiffness[3 * NODES][3 * NODES]; // of every element
    double mass[NODES][NODES];
    pl_block_matrix K; // rows of the clamped end are those of the identity
} hexes;

static int size_of(const hexes* h, int a) { return 2 * h->cells[a] + 1; }
static int node_count(const hexes* h) { return size_of(h, 0) * size_of(h, 1) * size_of(h, 2); }
static bool is_clamped(const hexes* h, int node) { return node % size_of(h, 0) == 0; }

// the node n (x fastest) of an element
static int node_of(const hexes* h, int e, int n) {
    const int *c = h->cells, x = 2 * (e % c[0]) + n % 3, y = 2 * (e / c[0] % c[1]) + n / 3 % 3;
    return x + size_of(h, 0) * (y + size_of(h, 1) * (2 * (e / c[0] / c[1]) + n / 9));
}

// Quadratic Lagrange polynomials on -1, 0, 1 at t, and their derivatives.
static void shape(double t, double N[3], double D[3]) {
    N[0] = 0.5 * t * (t - 1.0), N[1] = 1.0 - t * t, N[2] = 0.5 * t * (t + 1.0);
    D[0] = t - 0.5, D[1] = -2.0 * t, D[2] = t + 0.5;
}

static void add_point(hexes* h, double lambda, double mu, double density, int g) {
    static const double weights[3] = {5.0 / 9.0, 8.0 / 9.0, 5.0 / 9.0};
    double N[3][3], D[3][3], value[NODES], slope[NODES][3], weight = 1.0;
    const int at[3] = {g % 3, g / 3 % 3, g / 9};
    for (int a = 0; a < 3; a++) {
        shape((at[a] - 1) * sqrt(0.6), N[a], D[a]);
        weight *= 0.5 * h->edge[a] * weights[at[a]];
    }
    for (int n = 0; n < NODES; n++) {
        const int i = n % 3, j = n / 3 % 3, k = n / 9;
        value[n] = N[0][i] * N[1][j] * N[2][k];
        slope[n][0] = D[0][i] * N[1][j] * N[2][k] * 2.0 / h->edge[0];
        slope[n][1] = N[0][i] * D[1][j] * N[2][k] * 2.0 / h->edge[1];
        slope[n][2] = N[0][i] * N[1][j] * D[2][k] * 2.0 / h->edge[2];
    }
    for (int n = 0; n < NODES; n++)
        for (int m = 0; m < NODES; m++) {
            double dot = 0.0;
            for (int a = 0; a < 3; a++) dot += slope[n][a] * slope[m][a];
            h->mass[n][m] += weight * density * value[n] * value[m];
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                    h->stiffness[3 * n + a][3 * m + b] +=
                        weight * (lambda * slope[n][a] * slope[m][b] +
                                  mu * (slope[n][b] * slope[m][a] + (a == b ? dot : 0.0)));
        }
}

// nodes that share an element with one, ascending, without itself
static int neighbours_of(const hexes* h, int node, int* out) {
    int low[3], high[3],
        at[3] = {node % size_of(h, 0), node / size_of(h, 0) % size_of(h, 1),
                 node / size_of(h, 0) / size_of(h, 1)};
    int count = 0;
    for (int a = 0; a < 3; a++) {
        const int reach = at[a] % 2 ? 1 : 2;
        low[a] = at[a] < reach ? 0 : at[a] - reach;
        high[a] = at[a] + reach < size_of(h, a) ? at[a] + reach : size_of(h, a) - 1;
    }
    for (int z = low[2]; z <= high[2]; z++)
        for (int y = low[1]; y <= high[1]; y++)
            for (int x = low[0]; x <= high[0]; x++) {
                const int other = x + size_of(h, 0) * (y + size_of(h, 1) * z);
                if (other != node) out[count++] = other;
            }
    return count;
}

static pl_status make_pattern(hexes* h, pl_error* error) {
    const int count = node_count(h);
    int* offsets = PL_ALLOC(int, count + 1);
    int* items = PL_ALLOC(int, (size_t)count*(size_t)MAX_NEIGHBOURS);
    pl_status status = offsets && items ? PL_OK : pl_fail_memory(error, "a bar");
    for (int v = 0; status == PL_OK && v < count; v++)
        offsets[v + 1] = offsets[v] + neighbours_of(h, v, items + offsets[v]);
    if (status == PL_OK) status = pl_block_matrix_setup(&h->K, count, 3, offsets, items, error);
    PL_FREE(offsets, int, count + 1);
    PL_FREE(items, int, (size_t)count*(size_t)MAX_NEIGHBOURS);
    return status;
}

static void assemble(hexes* h) {
    const int elements = h->cells[0] * h->cells[1] * h->cells[2];
    for (int e = 0; e < elements; e++)
        for (int n = 0; n < NODES; n++)
            for (int m = 0; m < NODES; m++) {
                const int row = node_of(h, e, n), column = node_of(h, e, m);
                if (is_clamped(h, row) || is_clamped(h, column)) continue;
                double* block = h->K.values + 9 * (size_t)pl_block_matrix_find(&h->K, row, column);
                for (int k = 0; k < 9; k++) block[k] += h->stiffness[3 * n + k / 3][3 * m + k % 3];
            }
    for (int v = 0; v < node_count(h); v++)
        for (int a = 0; a < 3 && is_clamped(h, v); a++)
            h->K.values[9 * (size_t)h->K.diagonal[v] + (size_t)(4 * a)] = 1.0;
}

// y = M x, zero at the clamped end
static void apply_mass(const hexes* h, const double* x, double* y) {
    memset(y, 0, 3 * (size_t)node_count(h) * sizeof(double));
    for (int e = 0; e < h->cells[0] * h->cells[1] * h->cells[2]; e++)
        for (int n = 0; n < NODES; n++)
            for (int m = 0; m < NODES; m++) {
                const size_t row = 3 * (size_t)node_of(h, e, n),
                             from = 3 * (size_t)node_of(h, e, m);
                if (is_clamped(h, node_of(h, e, n))) continue;
                for (size_t a = 0; a < 3; a++) y[row + a] += h->mass[n][m] * x[from + a];
            }
}

// The deflection under the weight, then the lowest frequency by inverse iteration from there: other
// modes that such a load excites are six times as high and more.
static pl_status solve(hexes* h, double gravity, double* sag, double* frequency, pl_error* error) {
    const size_t size = 3 * (size_t)node_count(h);
    double *x = PL_ALLOC(double, size), *y = PL_ALLOC(double, size);
    pl_direct* direct = NULL;
    pl_status status =
        x && y ? pl_direct_setup(&h->K, &direct, error) : pl_fail_memory(error, "a bar");
    if (status == PL_OK) status = pl_direct_update(direct, &h->K, NULL, error);
    for (size_t i = 1; status == PL_OK && i < size; i += 3) x[i] = -gravity;
    for (int round = 0; status == PL_OK && round < 10; round++) {
        double norm = 0.0, product = 0.0;
        apply_mass(h, x, y);
        for (size_t i = 0; i < size; i++) norm += x[i] * y[i];
        pl_direct_solve(direct, 1, y, x);
        if (round == 0) *sag = -x[3 * (size_t)(size_of(h, 0) - 1) + 1];
        for (size_t i = 0; i < size; i++) product += x[i] * y[i];
        // Rayleigh's quotient of the modes before and after
        *frequency = sqrt(norm / product) / (2.0 * acos(-1.0));
        for (size_t i = 0; i < size; i++) x[i] *= norm / product;
    }
    pl_direct_destroy(direct);
    PL_FREE(x, double, size);
    PL_FREE(y, double, size);
    return status;
}

pl_status verify_bar(const verify_bar_case* c, int cells_across, double* sag, double* frequency,
                     pl_error* error) {
    const double lambda = c->young * c->poisson / ((1.0 + c->poisson) * (1.0 - 2.0 * c->poisson));
    const double mu = c->young / (2.0 + 2.0 * c->poisson);
    hexes* h = PL_ALLOC(hexes, 1);
    if (!h) return pl_fail_memory(error, "a bar");
    for (int a = 0; a < 3; a++) {
        const double side = a == 0 ? c->length : c->height;
        h->cells[a] = (int)lround(side / c->height * cells_across);
        h->edge[a] = side / h->cells[a];
    }
    for (int g = 0; g < GAUSS; g++) add_point(h, lambda, mu, c->density, g);
    pl_status status = make_pattern(h, error);
    if (status == PL_OK) {
        assemble(h);
        status = solve(h, c->gravity, sag, frequency, error);
    }
    pl_block_matrix_free(&h->K);
    PL_FREE(h, hexes, 1);
    return status;
}
