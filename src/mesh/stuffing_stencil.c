// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Isosurface stuffing, second half: each tet of the lattice is filled up to the surface. Labelle
// and Shewchuk 2007, section 3.1 and figure 3.
//
// Where the surface cuts a lattice triangle into a quadrilateral, its diagonal must be the same
// from both sides, so it depends on the triangle alone: it starts at the cut point of the long edge
// if there is one; otherwise (both cut edges are short) the parity of their directions decides.
#include "base/memory.h"
#include "mesh/stuffing.h"

#include <string.h>

enum { CELL_TETS = 12, MAX_OUT = 3, LAYER_BLOCK = 1 };

// Corners relative to a cell centre (sublattice 1): two centres and two corners of the face
// between.
typedef struct lattice_tet {
    int step[4];    // from the centre's index
    int edge[4][4]; // number of the lattice edge from one corner to another
} lattice_tet;

typedef struct filling {
    const pl_lattice* lattice;
    lattice_tet tets[CELL_TETS];
    int* first;       // the vertex number of a point, or of its first cut point; per lattice point
    int* tet_offsets; // per layer of cells
    pl_mesh* mesh;
    int vertex_count;
    unsigned char* on_surface; // per vertex
} filling;

// half-step coordinates of a tet's corners, for directions
static int edge_between(const int* from, const int* to) {
    int d[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]}, bits = 0;
    for (int axis = 0; axis < 3; axis++) {
        if (d[axis] == 2 || d[axis] == -2) return 2 * axis + (d[axis] < 0);
        bits |= (d[axis] > 0) << axis;
    }
    return PL_LONG_EDGES + bits;
}

static lattice_tet make_tet(const pl_lattice* lattice, int axis, int side) {
    // the corners around the face between two centres, in half steps from the first centre
    static const int circle[5][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {-1, -1}};
    int corners[4][3] = {{0}};
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    corners[1][axis] = 2;
    for (int k = 0; k < 2; k++) {
        corners[2 + k][axis] = 1;
        corners[2 + k][u] = circle[side + k][0];
        corners[2 + k][v] = circle[side + k][1];
    }
    lattice_tet tet = {0};
    const int* step = lattice->step[1];
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++)
            if (a != b) tet.edge[a][b] = edge_between(corners[a], corners[b]);
    for (int a = 1; a < 4; a++) tet.step[a] = step[tet.edge[0][a]];
    return tet;
}

// The inside part of one lattice tet.
typedef struct piece {
    const lattice_tet* tet;
    int point[4];
    int side[4];
    int inside[4], surface[4], outside[4]; // corners, by side
    int inside_count, surface_count, outside_count;
} piece;

static bool classify(const pl_lattice* lattice, const lattice_tet* tet, int center, piece* p) {
    p->tet = tet;
    p->inside_count = p->surface_count = p->outside_count = 0;
    for (int c = 0; c < 4; c++) {
        p->point[c] = center + tet->step[c];
        p->side[c] = lattice->side[p->point[c]];
        if (p->side[c] == PL_INSIDE) p->inside[p->inside_count++] = c;
        else if (p->side[c] == PL_OUTSIDE) p->outside[p->outside_count++] = c;
        else p->surface[p->surface_count++] = c;
    }
    return p->inside_count > 0;
}

static int piece_tet_count(const piece* p) {
    if (p->outside_count == 0 || p->inside_count == 1) return 1;
    return p->surface_count == 1 ? 2 : 3;
}

static int lattice_vertex(const filling* f, const piece* p, int corner) {
    return f->first[p->point[corner]];
}

static int cut_vertex(const filling* f, const piece* p, int inside, int outside) {
    const pl_lattice* lattice = f->lattice;
    int point = p->point[inside], edge = p->tet->edge[inside][outside];
    unsigned mask = lattice->sites[lattice->site_of[point]].cut_mask;
    PL_ASSERT(mask >> edge & 1);
    // the point itself comes first, then its cut points by edge
    return f->first[point] + 1 + __builtin_popcount(mask & ((1u << edge) - 1u));
}

// In the triangle of inside corners a, b and outside corner m: does the diagonal start at a (and
// end on the edge b m)?
static bool diagonal_at(const piece* p, int a, int b, int m) {
    if (p->tet->edge[a][m] < PL_LONG_EDGES) return false;
    if (p->tet->edge[b][m] < PL_LONG_EDGES) return true;
    int along = p->tet->edge[a][b], bits = p->tet->edge[a][m] - PL_LONG_EDGES;
    int u = (along / 2 + 1) % 3, v = (along / 2 + 2) % 3;
    bool same_signs = (bits >> u & 1) == (bits >> v & 1), a_is_low = along % 2 == 0;
    return same_signs == a_is_low;
}

static void emit(int (*out)[4], int a, int b, int c, int d) {
    out[0][0] = a, out[0][1] = b, out[0][2] = c, out[0][3] = d;
}

// Prism between triangles A and B: the diagonal of the side i j starts at the earlier of the two in
// order, on A.
static int emit_prism(int (*out)[4], const int* A, const int* B, int i, int j, int k) {
    emit(out, A[i], A[j], A[k], B[k]);
    emit(out + 1, A[i], A[j], B[j], B[k]);
    emit(out + 2, A[i], B[i], B[j], B[k]);
    return 3;
}

// inside corner, and for each other corner itself (on the surface) or the cut point towards it
static int fill_corner(const filling* f, const piece* p, int (*out)[4]) {
    int tip = p->inside[0], n = 0, v[4];
    v[n++] = lattice_vertex(f, p, tip);
    for (int k = 0; k < p->surface_count; k++) v[n++] = lattice_vertex(f, p, p->surface[k]);
    for (int k = 0; k < p->outside_count; k++) v[n++] = cut_vertex(f, p, tip, p->outside[k]);
    emit(out, v[0], v[1], v[2], v[3]);
    return 1;
}

static int fill_pyramid(const filling* f, const piece* p, int (*out)[4]) {
    int a = p->inside[0], b = p->inside[1], m = p->outside[0];
    int tip = lattice_vertex(f, p, p->surface[0]);
    int va = lattice_vertex(f, p, a), vb = lattice_vertex(f, p, b);
    int ca = cut_vertex(f, p, a, m), cb = cut_vertex(f, p, b, m);
    if (diagonal_at(p, a, b, m)) {
        emit(out, tip, va, vb, cb);
        emit(out + 1, tip, va, cb, ca);
    } else {
        emit(out, tip, va, vb, ca);
        emit(out + 1, tip, vb, cb, ca);
    }
    return 2;
}

static int fill_three_inside(const filling* f, const piece* p, int (*out)[4]) {
    int m = p->outside[0], A[3], B[3], last = 0;
    for (int k = 0; k < 3; k++) {
        A[k] = lattice_vertex(f, p, p->inside[k]);
        B[k] = cut_vertex(f, p, p->inside[k], m);
        if (p->tet->edge[p->inside[k]][m] < PL_LONG_EDGES) last = k;
    }
    int i = (last + 1) % 3, j = (last + 2) % 3;
    if (diagonal_at(p, p->inside[i], p->inside[j], m)) return emit_prism(out, A, B, i, j, last);
    return emit_prism(out, A, B, j, i, last);
}

static int fill_two_inside(const filling* f, const piece* p, int (*out)[4]) {
    int a = p->inside[0], b = p->inside[1], c = p->outside[0], d = p->outside[1];
    int A[3] = {lattice_vertex(f, p, a), cut_vertex(f, p, a, c), cut_vertex(f, p, a, d)};
    int B[3] = {lattice_vertex(f, p, b), cut_vertex(f, p, b, c), cut_vertex(f, p, b, d)};
    // both rules give the diagonals of the two triangles different ends, which leaves one order
    bool c_at_a = diagonal_at(p, a, b, c);
    PL_ASSERT(c_at_a != diagonal_at(p, a, b, d));
    return c_at_a ? emit_prism(out, A, B, 2, 0, 1) : emit_prism(out, A, B, 1, 0, 2);
}

static int fill_piece(const filling* f, const piece* p, int (*out)[4]) {
    if (p->outside_count == 0) {
        emit(out, lattice_vertex(f, p, 0), lattice_vertex(f, p, 1), lattice_vertex(f, p, 2),
             lattice_vertex(f, p, 3));
        return 1;
    }
    if (p->inside_count == 1) return fill_corner(f, p, out);
    if (p->surface_count == 1) return fill_pyramid(f, p, out);
    return p->inside_count == 3 ? fill_three_inside(f, p, out) : fill_two_inside(f, p, out);
}

static void orient(const double* positions, int* tet) {
    pl_vec3 v[4];
    for (int k = 0; k < 4; k++) v[k] = pl_vec3_load(positions + 3 * (size_t)tet[k]);
    if (pl_det4(v[0], v[1], v[2], v[3]) < 0.0) {
        int swap = tet[2];
        tet[2] = tet[3];
        tet[3] = swap;
    }
}

// Visits the cells of one layer: counts their tets, or writes them from *out on.
static int visit_layer(const filling* f, int k, int* out) {
    const int* n = f->lattice->size;
    int count = 0;
    for (int j = 1; j < n[1] - 1; j++)
        for (int i = 1; i < n[0] - 1; i++) {
            int center = ((2 * k + 1) * n[1] + j) * n[0] + i;
            for (int t = 0; t < CELL_TETS; t++) {
                piece p;
                int tets[MAX_OUT][4];
                if (!classify(f->lattice, &f->tets[t], center, &p)) continue;
                if (!out) {
                    count += piece_tet_count(&p);
                    continue;
                }
                int made = fill_piece(f, &p, tets);
                for (int m = 0; m < made; m++) orient(f->mesh->positions, tets[m]);
                memcpy(out + 4 * (size_t)count, tets, (size_t)made * sizeof tets[0]);
                count += made;
            }
        }
    return count;
}

static void count_layer_task(int begin, int end, int worker, void* user) {
    (void)worker;
    filling* f = user;
    for (int k = begin; k < end; k++) f->tet_offsets[k] = visit_layer(f, k + 1, NULL);
}

static void fill_layer_task(int begin, int end, int worker, void* user) {
    (void)worker;
    filling* f = user;
    for (int k = begin; k < end; k++)
        visit_layer(f, k + 1, f->mesh->tets + 4 * (size_t)f->tet_offsets[k]);
}

// inside points are used, and points on the surface that have an inside neighbour
static bool is_used(const pl_lattice* lattice, int point) {
    if (lattice->side[point] == PL_OUTSIDE) return false;
    if (lattice->side[point] == PL_INSIDE) return true;
    const int* step = lattice->step[pl_lattice_sublattice(lattice, point)];
    for (int d = 0; d < PL_LATTICE_EDGES; d++)
        if (lattice->side[point + step[d]] == PL_INSIDE) return true;
    return false;
}

// numbers points, each followed by its cut points; -1 on overflow
static int number_vertices(const filling* f) {
    const pl_lattice* lattice = f->lattice;
    int64_t next = 0;
    for (int p = 0; p < lattice->point_count; p++) {
        f->first[p] = -1;
        if (!is_used(lattice, p)) continue;
        f->first[p] = (int)next++;
        if (lattice->site_of[p] >= 0)
            next += __builtin_popcount(lattice->sites[lattice->site_of[p]].cut_mask);
        if (next > INT32_MAX) return -1;
    }
    return (int)next;
}

static void place_vertices(const filling* f) {
    const pl_lattice* lattice = f->lattice;
    double* positions = f->mesh->positions;
    for (int p = 0; p < lattice->point_count; p++) {
        if (f->first[p] < 0) continue;
        size_t at = (size_t)f->first[p];
        const pl_site* site = lattice->site_of[p] < 0 ? NULL : &lattice->sites[lattice->site_of[p]];
        pl_vec3 position = site ? site->position : pl_lattice_position(lattice, p);
        pl_vec3_store(positions + 3 * at, position);
        f->on_surface[at] = lattice->side[p] == PL_ON_SURFACE;
        const int* step = lattice->step[pl_lattice_sublattice(lattice, p)];
        for (int d = 0; site && d < PL_LATTICE_EDGES; d++)
            if (site->cut_mask >> d & 1) {
                pl_vec3 other = pl_lattice_position(lattice, p + step[d]);
                pl_vec3_store(positions + 3 * ++at, pl_lerp(position, other, site->cut[d]));
            }
    }
}

static pl_status fill_mesh(filling* f, pl_pool* pool, pl_error* error) {
    int layers = f->lattice->size[2] - 2;
    f->vertex_count = number_vertices(f);
    pl_parallel_for(pool, count_layer_task, layers, LAYER_BLOCK, f);
    int64_t sum = 0;
    for (int k = 0; k < layers; k++) {
        int count = f->tet_offsets[k];
        f->tet_offsets[k] = (int)sum;
        sum += count;
        if (sum > INT32_MAX) break;
    }
    pl_status status = pl_check_tet_count(f->vertex_count < 0 ? INT32_MAX : (double)sum,
                                          f->lattice->h * PL_MEAN_LATTICE_EDGE, error);
    if (status != PL_OK) return status;
    if (f->vertex_count == 0)
        return pl_fail(error, PL_ERROR_MESH,
                       "nothing is left inside at this resolution; take a smaller edge");
    f->on_surface = PL_ALLOC(unsigned char, f->vertex_count);
    if (!f->on_surface || !pl_mesh_set_vertex_count(f->mesh, f->vertex_count) ||
        !pl_mesh_set_tet_count(f->mesh, (int)sum))
        return pl_fail_memory(error, "the tets; take a larger edge");
    place_vertices(f);
    pl_parallel_for(pool, fill_layer_task, layers, LAYER_BLOCK, f);
    return PL_OK;
}

pl_status pl_lattice_fill(const pl_lattice* lattice, pl_pool* pool, pl_mesh* mesh,
                          unsigned char** on_surface, pl_error* error) {
    filling f = {.lattice = lattice, .mesh = mesh};
    for (int t = 0; t < CELL_TETS; t++) f.tets[t] = make_tet(lattice, t / 4, t % 4);
    f.first = PL_ALLOC(int, lattice->point_count);
    f.tet_offsets = PL_ALLOC(int, lattice->size[2]);
    pl_status status = f.first && f.tet_offsets ? fill_mesh(&f, pool, error)
                                                : pl_fail_memory(error, "the numbers of vertices");
    PL_FREE(f.first, int, lattice->point_count);
    PL_FREE(f.tet_offsets, int, lattice->size[2]);
    if (status != PL_OK) PL_FREE(f.on_surface, unsigned char, f.vertex_count);
    else *on_surface = f.on_surface;
    return status;
}
