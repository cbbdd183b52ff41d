// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Assignment by shortest augmenting paths. Rows are added one by one; potentials of rows and
// columns keep all reduced costs non-negative.
#include "eigenfit/mode_match.h"

#include <math.h>

// Lambdas that differ by less than this fraction count as equal.
static const double NEAR_LAMBDA = 0.05;

typedef struct assignment {
    int columns;
    const double* overlaps;
    double of_row[PL_MATCH_MAX + 1], of_column[PL_MATCH_MAX + 1]; // potentials
    // per column: its row. Rows and columns are counted from 1; 0 is none.
    int row_of[PL_MATCH_MAX + 1];
} assignment;

static double cost(const assignment* a, int row, int column) {
    double overlap = a->overlaps[(row - 1) * a->columns + column - 1];
    return isfinite(overlap) ? 1.0 - overlap * overlap : 1.0;
}

// Adds a row by the cheapest path of exchanges that ends at a free column.
static void join(assignment* a, int row) {
    double least[PL_MATCH_MAX + 1];
    int from[PL_MATCH_MAX + 1];
    bool seen[PL_MATCH_MAX + 1];
    for (int c = 0; c <= a->columns; c++) {
        least[c] = INFINITY;
        from[c] = 0;
        seen[c] = false;
    }
    int column = 0;
    a->row_of[0] = row;
    while (a->row_of[column] != 0) {
        int at = a->row_of[column], next = 0;
        double step = INFINITY;
        seen[column] = true;
        for (int c = 1; c <= a->columns; c++) {
            if (seen[c]) continue;
            double reduced = cost(a, at, c) - a->of_row[at] - a->of_column[c];
            if (reduced < least[c]) {
                least[c] = reduced;
                from[c] = column;
            }
            if (least[c] < step) {
                step = least[c];
                next = c;
            }
        }
        for (int c = 0; c <= a->columns; c++) {
            if (seen[c]) {
                a->of_row[a->row_of[c]] += step;
                a->of_column[c] -= step;
            } else {
                least[c] -= step;
            }
        }
        column = next;
    }
    for (; column != 0; column = from[column]) a->row_of[column] = a->row_of[from[column]];
}

void pl_match_modes(int rows, int columns, const double* overlaps, int* match) {
    assignment a = {.columns = columns, .overlaps = overlaps};
    for (int row = 1; row <= rows; row++) join(&a, row);
    for (int c = 1; c <= columns; c++)
        if (a.row_of[c] > 0) match[a.row_of[c] - 1] = c - 1;
}

double pl_mode_agreement(int columns, const double* row, const double* lambda, int match) {
    double sum = 0.0;
    for (int k = 0; k < columns; k++)
        if (fabs(lambda[k] - lambda[match]) <= NEAR_LAMBDA * fabs(lambda[match]))
            sum += row[k] * row[k];
    return sqrt(sum);
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
