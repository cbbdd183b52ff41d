// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Coarsens a regular grid directly (S1 section 9, Fig. 6): keeps every second row and column, and
// always the last ones. A vertex at the centre of a coarse cell has the four corners of the cell as
// parents.
#include "base/memory.h"
#include "math/vec3.h"
#include "pbd/particle_graph.h"

// true for the two triangles of a cell, cut along either diagonal, in the order of cloth generators
static bool is_cell(const int* t, int a, int columns) {
    int b = a + 1, d = a + columns, c = d + 1;
    bool same = t[0] == a && t[1] == b && t[2] == c && t[3] == a && t[4] == c && t[5] == d;
    bool other = t[0] == a && t[1] == b && t[2] == d && t[3] == b && t[4] == c && t[5] == d;
    return same || other;
}

bool pl_find_grid(const int* triangles, int triangle_count, int vertex_count, int* columns,
                  int* rows) {
    *columns = *rows = 0;
    if (triangle_count < 2 || triangles[0] != 0 || triangles[1] != 1) return false;
    int nx = triangles[4] == triangles[2] ? triangles[5] : triangles[2]; // the vertex above 0
    if (nx < 2 || vertex_count % nx != 0) return false;
    int ny = vertex_count / nx;
    if (ny < 2 || (int64_t)triangle_count != 2 * ((int64_t)nx - 1) * (ny - 1)) return false;
    for (int cell = 0; cell < triangle_count / 2; cell++)
        if (!is_cell(triangles + 6 * (size_t)cell, cell % (nx - 1) + nx * (cell / (nx - 1)), nx))
            return false;
    *columns = nx, *rows = ny;
    return true;
}

static int coarse_length(int count) { return count / 2 + 1; }
static int fine_index(int coarse, int count) { return 2 * coarse < count ? 2 * coarse : count - 1; }

// the coarse lines on both sides of a fine line, or the line itself twice
static void around(int fine, int count, int* low, int* high) {
    *low = fine / 2;
    *high = fine % 2 ? fine / 2 + 1 : *low;
    if (fine == count - 1) *low = *high = coarse_length(count) - 1;
}

bool pl_can_coarsen_grid(const pl_particle_graph* g, const pl_coarsen_options* options) {
    int nx = g->columns, ny = g->rows;
    if (nx < 3 || ny < 3 || options->parents > 2) return false;
    int mx = coarse_length(nx);
    (void)mx;
    for (int i = 0; i < nx * ny; i++) {
        if (!g->attached[i]) continue;
        int x[2], y[2];
        around(i % nx, nx, &x[0], &x[1]);
        around(i / nx, ny, &y[0], &y[1]);
        bool any = false;
        for (int k = 0; k < 4; k++)
            any = any || g->attached[fine_index(x[k % 2], nx) + nx * fine_index(y[k / 2], ny)];
        if (!any) return false;
    }
    return true;
}

static void set_parents(const pl_particle_graph* g, pl_coarsening* c) {
    int nx = g->columns, ny = g->rows, mx = coarse_length(nx), at = 0;
    for (int i = 0; i < nx * ny; i++) {
        int x[2], y[2];
        around(i % nx, nx, &x[0], &x[1]);
        around(i / nx, ny, &y[0], &y[1]);
        c->parent_offsets[i] = at;
        c->coarse_of_fine[i] = -1;
        for (int k = 0; k < 4; k++) {
            if ((k % 2 && x[0] == x[1]) || (k / 2 && y[0] == y[1])) continue;
            c->parents[at++] = x[k % 2] + mx * y[k / 2];
        }
        if (at - c->parent_offsets[i] == 1) c->coarse_of_fine[i] = c->parents[at - 1];
    }
    c->parent_offsets[nx * ny] = at;
    for (int i = 0; i < nx * ny; i++) pl_set_weights(g, c, i);
}

// total number of parents of all fine particles
static int count_parents(int nx, int ny) {
    int count = 0, x[2], y[2];
    for (int i = 0; i < nx * ny; i++) {
        around(i % nx, nx, &x[0], &x[1]);
        around(i / nx, ny, &y[0], &y[1]);
        count += (x[0] == x[1] ? 1 : 2) * (y[0] == y[1] ? 1 : 2);
    }
    return count;
}

typedef struct edge_search {
    const pl_particle_graph* graph;
    int* offsets; // first edge of each smaller end
} edge_search;

// rest length of an edge; negative if there is no such edge
static double find_edge(const edge_search* s, int a, int b) {
    int low = a < b ? a : b, high = a < b ? b : a;
    for (int e = s->offsets[low]; e < s->offsets[low + 1]; e++)
        if (s->graph->edges[2 * (size_t)e + 1] == high) return s->graph->rest[e];
    return -1.0;
}

// length along fine edges from a to b: one edge, or two through a vertex between them; otherwise
// the straight distance
static double path_length(const edge_search* s, int a, int b, int dx, int dy) {
    int nx = s->graph->columns;
    double direct = find_edge(s, a, b), best = direct;
    for (int k = 0; direct < 0.0 && k < 4; k++) {
        int m = a + (k % 2 ? dx - dx / 2 : dx / 2) + nx * (k / 2 ? dy - dy / 2 : dy / 2);
        double first = find_edge(s, a, m), second = find_edge(s, m, b);
        if (first < 0.0 || second < 0.0) continue;
        if (best < 0.0 || first + second < best) best = first + second;
    }
    if (best >= 0.0) return best;
    return pl_distance(pl_vec3_load(s->graph->places + 3 * (size_t)a),
                       pl_vec3_load(s->graph->places + 3 * (size_t)b));
}

static void add_edge(const edge_search* s, const pl_coarsening* c, pl_rest_length rest_length,
                     int a, int b, pl_particle_graph* coarse) {
    int nx = s->graph->columns, fa = c->fine_of_coarse[a], fb = c->fine_of_coarse[b];
    int e = coarse->edge_count++;
    coarse->edges[2 * (size_t)e] = a, coarse->edges[2 * (size_t)e + 1] = b;
    coarse->rest[e] = rest_length != PL_REST_LENGTH_DISTANCE
                          ? path_length(s, fa, fb, fb % nx - fa % nx, fb / nx - fa / nx)
                          : pl_distance(pl_vec3_load(s->graph->places + 3 * (size_t)fa),
                                        pl_vec3_load(s->graph->places + 3 * (size_t)fb));
}

// edges in ascending order, and the triangles of the cells
static void fill_grid(const edge_search* s, const pl_coarsening* c, pl_rest_length rest_length,
                      pl_particle_graph* coarse) {
    int mx = coarse->columns, my = coarse->rows;
    coarse->edge_count = coarse->triangle_count = 0;
    for (int a = 0; a < mx * my; a++) {
        bool right = a % mx + 1 < mx, up = a / mx + 1 < my;
        if (right) add_edge(s, c, rest_length, a, a + 1, coarse);
        if (up) add_edge(s, c, rest_length, a, a + mx, coarse);
        if (!right || !up) continue;
        add_edge(s, c, rest_length, a, a + mx + 1, coarse);
        int* t = coarse->triangles + 3 * (size_t)coarse->triangle_count;
        t[0] = a, t[1] = a + 1, t[2] = a + mx + 1;
        t[3] = a, t[4] = a + mx + 1, t[5] = a + mx;
        coarse->triangle_count += 2;
    }
}

static void find_offsets(edge_search* s) {
    const pl_particle_graph* g = s->graph;
    for (int e = 0; e < g->edge_count; e++) s->offsets[g->edges[2 * (size_t)e] + 1]++;
    for (int i = 0; i < g->particle_count; i++) s->offsets[i + 1] += s->offsets[i];
}

pl_status pl_coarsen_grid(const pl_particle_graph* fine, const pl_coarsen_options* options,
                          pl_coarsening* out, pl_particle_graph* coarse, pl_error* error) {
    int nx = fine->columns, ny = fine->rows, mx = coarse_length(nx), my = coarse_length(ny);
    *out = (pl_coarsening){0};
    *coarse = (pl_particle_graph){0};
    edge_search search = {fine, PL_ALLOC(int, fine->particle_count + 1)};
    if (!search.offsets) return pl_fail_memory(error, "a level of particles");
    find_offsets(&search);
    pl_status status = pl_coarsening_create(nx * ny, mx * my, count_parents(nx, ny), out, error);
    int edge_count = (mx - 1) * my + mx * (my - 1) + (mx - 1) * (my - 1);
    if (status == PL_OK)
        status =
            pl_particle_graph_create(mx * my, edge_count, 2 * (mx - 1) * (my - 1), coarse, error);
    if (status == PL_OK) {
        coarse->columns = mx, coarse->rows = my;
        for (int j = 0; j < mx * my; j++)
            out->fine_of_coarse[j] = fine_index(j % mx, nx) + nx * fine_index(j / mx, ny);
        set_parents(fine, out);
        pl_copy_particles(fine, out, coarse);
        fill_grid(&search, out, options->rest_length, coarse);
    }
    PL_FREE(search.offsets, int, fine->particle_count + 1);
    if (status != PL_OK) {
        pl_coarsening_free(out);
        pl_particle_graph_free(coarse);
    }
    return status;
}
