// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Hexahedra from a planar mesh of quads that is swept along a line or around a circle.
#include "base/memory.h"
#include "mesh/generator.h"

bool pl_quads_alloc(pl_quads* quads, int vertex_count, int quad_count) {
    *quads = (pl_quads){.vertex_count = vertex_count, .quad_count = quad_count};
    quads->uv = PL_ALLOC(double, 2 * (size_t)vertex_count);
    quads->masks = PL_ALLOC(unsigned char, vertex_count);
    quads->corners = PL_ALLOC(int, 4 * (size_t)quad_count);
    if (quads->uv && quads->masks && quads->corners) return true;
    pl_quads_free(quads);
    return false;
}

void pl_quads_free(pl_quads* quads) {
    PL_FREE(quads->uv, double, 2 * (size_t)quads->vertex_count);
    PL_FREE(quads->masks, unsigned char, quads->vertex_count);
    PL_FREE(quads->corners, int, 4 * (size_t)quads->quad_count);
    *quads = (pl_quads){0};
}

bool pl_quads_grid(int count_u, int count_v, bool around, const unsigned char masks[4],
                   pl_quads* out) {
    int columns = around ? count_u : count_u + 1;
    if (!pl_quads_alloc(out, columns * (count_v + 1), count_u * count_v)) return false;
    out->around = around;
    for (int j = 0; j <= count_v; j++)
        for (int i = 0; i < columns; i++) {
            int v = i + columns * j;
            out->uv[2 * (size_t)v] = (double)i / count_u;
            out->uv[2 * (size_t)v + 1] = (double)j / count_v;
            unsigned mask = (j == 0 ? masks[2] : 0u) | (j == count_v ? masks[3] : 0u);
            if (!around) mask |= (i == 0 ? masks[0] : 0u) | (i == count_u ? masks[1] : 0u);
            out->masks[v] = (unsigned char)mask;
        }
    int* corners = out->corners;
    for (int j = 0; j < count_v; j++)
        for (int i = 0; i < count_u; i++, corners += 4)
            for (int c = 0; c < 4; c++)
                corners[c] = (i + (c & 1)) % columns + columns * (j + (c >> 1));
    return true;
}

// the mean of the corners; across the seam between u = 1 and u = 0, u continues beyond 1
static void quad_centre(const pl_quads* quads, int quad, double* u, double* v) {
    const int* corners = quads->corners + 4 * (size_t)quad;
    double first_u = quads->uv[2 * (size_t)corners[0]];
    *u = *v = 0.0;
    for (int c = 0; c < 4; c++) {
        double corner_u = quads->uv[2 * (size_t)corners[c]];
        bool past_seam = quads->around && corner_u < first_u;
        *u += 0.25 * (past_seam ? corner_u + 1.0 : corner_u);
        *v += 0.25 * quads->uv[2 * (size_t)corners[c] + 1];
    }
}

static void fill_layer_vertices(const pl_quads* quads, const pl_sweep* sweep, int layer,
                                pl_hexes* out) {
    size_t base = (size_t)layer * (size_t)quads->vertex_count;
    double t = (double)layer / sweep->layers;
    unsigned mask = 0;
    if (!sweep->closed && layer == 0) mask = sweep->first_mask;
    if (!sweep->closed && layer == sweep->layers) mask = sweep->last_mask;
    for (int v = 0; v < quads->vertex_count; v++) {
        const double* uv = quads->uv + 2 * (size_t)v;
        sweep->map(sweep->data, uv[0], uv[1], t, out->positions + 3 * (base + (size_t)v));
        out->masks[base + (size_t)v] = (unsigned char)(quads->masks[v] | mask);
    }
}

static void fill_layer_cells(const pl_quads* quads, const pl_sweep* sweep, int layer,
                             pl_hexes* out) {
    int below = layer * quads->vertex_count;
    int above = sweep->closed && layer == sweep->layers - 1 ? 0 : below + quads->vertex_count;
    for (int q = 0; q < quads->quad_count; q++) {
        size_t h = (size_t)layer * (size_t)quads->quad_count + (size_t)q;
        const int* corners = quads->corners + 4 * (size_t)q;
        for (int c = 0; c < 4; c++) {
            out->corners[8 * h + (size_t)c] = below + corners[c];
            out->corners[8 * h + 4 + (size_t)c] = above + corners[c];
        }
        double u, v;
        quad_centre(quads, q, &u, &v);
        sweep->map(sweep->data, u, v, (layer + 0.5) / sweep->layers, out->centres + 3 * h);
    }
}

bool pl_sweep_quads(const pl_quads* quads, const pl_sweep* sweep, pl_hexes* out) {
    int vertex_layers = sweep->closed ? sweep->layers : sweep->layers + 1;
    if (!pl_hexes_alloc(out, vertex_layers * quads->vertex_count,
                        sweep->layers * quads->quad_count))
        return false;
    for (int layer = 0; layer < vertex_layers; layer++)
        fill_layer_vertices(quads, sweep, layer, out);
    for (int layer = 0; layer < sweep->layers; layer++) fill_layer_cells(quads, sweep, layer, out);
    return true;
}
