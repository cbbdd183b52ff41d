// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "s4_tets.h"
#include "base/memory.h"
#include "bench_systems.h"

#include <math.h>

static int vertex(int n, int i, int j, int k) { return (k * (n + 1) + j) * (n + 1) + i; }

// The six paths from corner (0, 0, 0) of a cube to (1, 1, 1), with positive volume. corners: x
// fastest.
static void cut_cube(const int corners[8], int* tets) {
    static const int paths[6][2] = {{0, 1}, {1, 2}, {2, 0}, {1, 0}, {2, 1}, {0, 2}};
    for (int t = 0; t < 6; t++) {
        int *tet = tets + 4 * t, one = 1 << paths[t][0], two = one | 1 << paths[t][1];
        // paths against the cyclic order turn the other way
        tet[0] = corners[0], tet[t < 3 ? 1 : 2] = corners[one], tet[t < 3 ? 2 : 1] = corners[two];
        tet[3] = corners[7];
    }
}

static pl_status add_walls(int n, pl_mesh* mesh, pl_error* error) {
    int count = 2 * (n + 1) * (n + 1), filled = 0;
    int* items = PL_ALLOC(int, count);
    if (!items) return pl_fail_memory(error, "a box");
    for (int k = 0; k <= n; k++)
        for (int j = 0; j <= n; j++)
            for (int end = 0; end < 2; end++) items[filled++] = vertex(n, end * n, j, k);
    pl_status status = pl_mesh_add_region(mesh, PL_ELEMENT_VERTEX, "walls", 0, items, count, error);
    PL_FREE(items, int, count);
    return status;
}

pl_status s4_kuhn_box(int n, pl_mesh** out, pl_error* error) {
    int vertex_count = (n + 1) * (n + 1) * (n + 1), tet_count = 6 * n * n * n;
    double* positions = PL_ALLOC(double, 3 * (size_t)vertex_count);
    int* tets = PL_ALLOC(int, 4 * (size_t)tet_count);
    *out = NULL;
    pl_status status = positions && tets ? PL_OK : pl_fail_memory(error, "a box");
    for (int k = 0; status == PL_OK && k <= n; k++)
        for (int j = 0; j <= n; j++)
            for (int i = 0; i <= n; i++) {
                double* x = positions + 3 * (size_t)vertex(n, i, j, k);
                x[0] = i, x[1] = j, x[2] = k;
                if (i == n || j == n || k == n) continue;
                int corners[8];
                for (int c = 0; c < 8; c++)
                    corners[c] = vertex(n, i + (c & 1), j + (c >> 1 & 1), k + (c >> 2));
                cut_cube(corners, tets + 24 * (size_t)((k * n + j) * n + i));
            }
    if (status == PL_OK)
        status = pl_mesh_create(positions, vertex_count, tets, tet_count, NULL, 0, out, error);
    PL_FREE(positions, double, 3 * (size_t)vertex_count);
    PL_FREE(tets, int, 4 * (size_t)tet_count);
    if (status == PL_OK) status = add_walls(n, *out, error);
    if (status != PL_OK) pl_mesh_destroy(*out), *out = NULL;
    return status;
}

size_t s4_node_count(const pl_grid_cells* c) {
    return ((size_t)c->size[0] + 1) * ((size_t)c->size[1] + 1) * ((size_t)c->size[2] + 1);
}

int s4_node(const pl_grid_cells* c, int i, int j, int k) {
    return ((k - c->low[2]) * (c->size[1] + 1) + j - c->low[1]) * (c->size[0] + 1) + i - c->low[0];
}

// what s4_kuhn_cells fills
typedef struct kuhn {
    const pl_grid_cells* cells;
    const pl_grid_frame* frame;
    double* positions;
    int *nodes, *tets;
    int vertex_count, tet_count;
} kuhn;

static int vertex_at(kuhn* m, int i, int j, int k) {
    int* node = &m->nodes[s4_node(m->cells, i, j, k)];
    if (*node < 0) {
        double* x = m->positions + 3 * (size_t)m->vertex_count;
        const int at[3] = {i, j, k};
        for (int a = 0; a < 3; a++) x[a] = m->frame->origin[a] + m->frame->cell * at[a];
        *node = m->vertex_count++;
    }
    return *node;
}

static void cut_cells(kuhn* m) {
    const pl_grid_cells* c = m->cells;
    for (int k = c->low[2]; k < c->low[2] + c->size[2]; k++)
        for (int j = c->low[1]; j < c->low[1] + c->size[1]; j++)
            for (int i = c->low[0]; i < c->low[0] + c->size[0]; i++) {
                if (pl_grid_cell(c, i, j, k) == PL_CELL_EXTERIOR) continue;
                int corners[8];
                for (int n = 0; n < 8; n++)
                    corners[n] = vertex_at(m, i + (n & 1), j + (n >> 1 & 1), k + (n >> 2));
                cut_cube(corners, m->tets + 4 * (size_t)m->tet_count);
                m->tet_count += 6;
            }
}

pl_status s4_kuhn_cells(const pl_grid_cells* cells, const pl_grid_frame* frame, pl_mesh** out,
                        int** nodes, pl_error* error) {
    size_t node_count = s4_node_count(cells), tet_count = 6 * pl_grid_cells_count(cells);
    kuhn m = {.cells = cells, .frame = frame};
    m.positions = PL_ALLOC(double, 3 * node_count);
    m.nodes = PL_ALLOC(int, node_count);
    m.tets = PL_ALLOC(int, 4 * tet_count);
    *out = NULL, *nodes = NULL;
    pl_status status =
        m.positions && m.nodes && m.tets ? PL_OK : pl_fail_memory(error, "tets of a lattice");
    if (status == PL_OK) {
        for (size_t n = 0; n < node_count; n++) m.nodes[n] = -1;
        cut_cells(&m);
        status =
            pl_mesh_create(m.positions, m.vertex_count, m.tets, m.tet_count, NULL, 0, out, error);
    }
    if (status == PL_OK) *nodes = m.nodes;
    else PL_FREE(m.nodes, int, node_count);
    PL_FREE(m.positions, double, 3 * node_count);
    PL_FREE(m.tets, int, 4 * tet_count);
    return status;
}

// the values of a block matrix, one by one
static pl_status unpack(const pl_block_matrix* A, double scale, s4_sparse* out, pl_error* error) {
    pl_status status =
        s4_sparse_create(3 * A->row_count, 9 * pl_block_matrix_entry_count(A), out, error);
    if (status != PL_OK) return status;
    int filled = 0;
    for (int row = 0; row < 3 * A->row_count; row++) {
        for (int e = A->offsets[row / 3]; e < A->offsets[row / 3 + 1]; e++)
            for (int c = 0; c < 3; c++) {
                out->columns[filled] = 3 * A->columns[e] + c;
                out->values[filled++] = scale * A->values[9 * (size_t)e + 3 * (row % 3) + c];
            }
        out->offsets[row + 1] = filled;
    }
    return PL_OK;
}

// edge: of a cube of the level, in cubes of the finest
static pl_status add_matrix(int n, double poisson, double edge, s4_sparse* out, pl_error* error) {
    pl_mesh* mesh;
    bench_system system;
    // a step so long that masses do not count
    const bench_solid solid = {.young = 1.0, .poisson = poisson, .density = 1.0, .time_step = 1e9};
    pl_status status = s4_kuhn_box(n, &mesh, error);
    if (status != PL_OK) return status;
    status = bench_elasticity(mesh, &solid, "walls", &system, error);
    pl_mesh_destroy(mesh);
    if (status != PL_OK) return status;
    status = unpack(&system.A, edge, out, error); // stiffness grows with the length
    bench_system_free(&system);
    return status;
}

// unknown of a component of a vertex, or -1 at the walls
static int unknown(int n, int i, int j, int k, int a) {
    return i <= 0 || i >= n ? -1 : 3 * ((k * (n + 1) + j) * (n - 1) + i - 1) + a;
}

// A fine vertex is a coarse one or in the middle of an edge, which goes up in all its directions.
static pl_status make_prolongation(int n, s4_sparse* out, pl_error* error) {
    int rows = 3 * (n - 1) * (n + 1) * (n + 1);
    pl_status status = s4_sparse_create(rows, 2 * rows, out, error);
    for (int k = 0; status == PL_OK && k <= n; k++)
        for (int j = 0; j <= n; j++)
            for (int i = 1; i < n; i++)
                for (int a = 0; a < 3; a++) {
                    int row = unknown(n, i, j, k, a);
                    for (int end = 0; end < 2; end++) {
                        int column = unknown(n / 2, (i + end) / 2, (j + end) / 2, (k + end) / 2, a);
                        if (column >= 0) s4_sparse_add(out, row, column, 0.5);
                    }
                    s4_sparse_end_row(out, row);
                }
    return status;
}

pl_status s4_tet_hierarchy(int n, double poisson, s4_hierarchy* out, pl_error* error) {
    *out = (s4_hierarchy){0};
    pl_status status = PL_OK;
    double edge = 1.0;
    for (int l = 0; status == PL_OK && n >= 4 && l < S4_LEVELS; l++, n /= 2, edge *= 2.0) {
        status = add_matrix(n, poisson, edge, &out->A[l], error);
        out->level_count = l + 1;
        if (status != PL_OK || n / 2 < 4 || n % 2) break;
        status = make_prolongation(n, &out->P[l], error);
        if (status == PL_OK)
            status = s4_sparse_transpose(&out->P[l], 3 * (n / 2 - 1) * (n / 2 + 1) * (n / 2 + 1),
                                         &out->R[l], error);
    }
    if (status == PL_OK) status = s4_hierarchy_allocate(out, error);
    if (status != PL_OK) s4_hierarchy_free(out);
    return status;
}
