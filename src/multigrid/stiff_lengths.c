// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The stiffness of a vertex is the sum of the sizes of the blocks that couple it with others, over
// the length of its edges (a block of elasticity grows with Young's modulus and with the edge).
// Attachments and inertia are on the diagonal only, and do not count. Where two neighbours differ
// much, a node that held both would move the stiff one with the soft: there edges become longer by
// the root of the jump. Inside each material lengths stay, so that stiff parts, which have smooth
// modes of their own, get as many nodes as soft ones.
#include "multigrid/stiff_lengths.h"
#include "base/memory.h"
#include "mesh/geodesic.h"

#include <math.h>

// neighbours differ by this much because elements differ in shape
static const double SHAPE_JUMP = 16.0;

static void vertex_stiffness(const pl_adjacency* graph, const double* values, int block,
                             const int* entries, const double* lengths, double* stiffness) {
    int size = block * block;
    for (int i = 0; i < graph->count; i++) {
        double sum = 0.0, length = 0.0;
        for (int k = graph->offsets[i]; k < graph->offsets[i + 1]; k++) {
            if (graph->items[k] == i) continue;
            const double* A = values + (size_t)size * (size_t)(entries ? entries[k] : k);
            double square = 0.0;
            for (int c = 0; c < size; c++) square += A[c] * A[c];
            sum += sqrt(square);
            length += lengths[k];
        }
        stiffness[i] = length > 0.0 ? sum / length : 0.0;
    }
}

bool pl_stiff_lengths(const pl_adjacency* graph, const double* positions, const double* values,
                      int block, const int* entries, double* lengths) {
    double* stiffness = PL_ALLOC(double, graph->count);
    if (!stiffness) return false;
    pl_edge_lengths(graph, positions, lengths);
    vertex_stiffness(graph, values, block, entries, lengths, stiffness);
    bool any = false;
    for (int i = 0; i < graph->count; i++)
        for (int k = graph->offsets[i]; k < graph->offsets[i + 1]; k++) {
            double a = stiffness[i], b = stiffness[graph->items[k]];
            double jump = fmax(a, b) / fmin(a, b);
            if (!(jump > SHAPE_JUMP) || !isfinite(jump)) continue;
            lengths[k] *= sqrt(jump / SHAPE_JUMP);
            any = true;
        }
    PL_FREE(stiffness, double, graph->count);
    return any;
}
