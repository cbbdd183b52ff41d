// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Splitting of particles (S1 section 8, after Müller 2006). If an edge is overstretched, a particle
// at one end is cut by the plane perpendicular to the edge: triangles whose centroid is beyond the
// plane get a new particle. Triangles on the same side that no longer share an edge at the particle
// are separated too, so nothing hangs by a single point.
//
// Where this differs: the levels are rebuilt near the cut, so that no constraint and no parent
// reaches across it and coarse levels still support the cloth there. Elsewhere they stay those of
// the untorn cloth. The paper only removes links, so that cloth near a tear is left to the finest
// level. Levels depend on the untorn cloth and on what is torn now, not on the order in which it
// tore, so a resumed run has the same levels.
#include "pbd/tearing.h"
#include "base/memory.h"
#include "mesh/disjoint_sets.h"
#include "mesh/topology.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void pl_tearing_free(pl_tearing* t) {
    PL_FREE(t->particle_of_corner, int, t->corner_count);
    PL_FREE(t->whole, int, t->corner_count);
    PL_FREE(t->rank_of_whole, int, t->whole_count);
    PL_FREE(t->last, unsigned char, t->whole_count);
    pl_particle_graph_free(&t->graph);
    PL_FREE(t->rest, double, 3 * (size_t)t->corner_count);
    PL_FREE(t->mass, double, t->corner_count);
    PL_FREE(t->materials, pl_element_material, t->corner_count / 3);
    PL_FREE(t->number, int, t->corner_count);
    PL_FREE(t->offsets, int, t->corner_count + 1);
    PL_FREE(t->items, int, t->corner_count);
    PL_FREE(t->part, int, t->corner_count);
    PL_FREE(t->beyond, bool, t->corner_count);
    PL_FREE(t->is_split, bool, t->corner_count);
    *t = (pl_tearing){0};
}

typedef struct placed_corner {
    double at[3];
    int corner;
} placed_corner;

static int compare_placed(const void* a, const void* b) {
    const placed_corner *p = a, *q = b;
    for (int i = 0; i < 3; i++)
        if (p->at[i] != q->at[i]) return p->at[i] < q->at[i] ? -1 : 1;
    return (p->corner > q->corner) - (p->corner < q->corner);
}

// Numbers particles by their first corner, so the numbering depends only on the partition.
static void number_particles(pl_tearing* t) {
    t->particle_count = 0;
    for (int i = 0; i < t->corner_count; i++) t->number[i] = -1;
    for (int c = 0; c < t->corner_count; c++) {
        int* n = &t->number[t->particle_of_corner[c]];
        if (*n < 0) *n = t->particle_count++;
        t->particle_of_corner[c] = *n;
    }
}

static pl_status join_corners(pl_tearing* t, pl_error* error) {
    placed_corner* sorted = PL_ALLOC(placed_corner, t->corner_count);
    bool ok = t->corner_count == 0 || sorted;
    for (int c = 0; ok && c < t->corner_count; c++) {
        memcpy(sorted[c].at, t->rest + 3 * (size_t)c, sizeof sorted[c].at);
        sorted[c].corner = c;
    }
    if (ok) {
        qsort(sorted, (size_t)t->corner_count, sizeof *sorted, compare_placed);
        for (int k = 0, first = 0; k < t->corner_count; k++) {
            bool same = k > 0 && memcmp(sorted[k].at, sorted[k - 1].at, sizeof sorted[k].at) == 0;
            if (!same) first = sorted[k].corner;
            t->particle_of_corner[sorted[k].corner] = first;
        }
        number_particles(t);
        memcpy(t->whole, t->particle_of_corner, (size_t)t->corner_count * sizeof(int));
        t->whole_count = t->particle_count;
    }
    PL_FREE(sorted, placed_corner, t->corner_count);
    return ok ? PL_OK : pl_fail_memory(error, "particles");
}

// A third of the mass of its triangle; a small mass if the triangle is degenerate, because a corner
// must be movable.
static void weigh_corners(pl_tearing* t) {
    double sum = 0.0;
    for (int c = 0; c < t->corner_count; c++) {
        const double* x = t->rest + 9 * (size_t)(c / 3);
        pl_vec3 a = pl_vec3_load(x);
        double area =
            0.5 * pl_norm(pl_cross(pl_sub(pl_vec3_load(x + 3), a), pl_sub(pl_vec3_load(x + 6), a)));
        sum += t->mass[c] = t->materials[c / 3].density * area / 3.0;
    }
    double least = sum > 0.0 ? 1e-6 * sum / t->corner_count : 1.0;
    for (int c = 0; c < t->corner_count; c++) t->mass[c] = fmax(t->mass[c], least);
}

static bool allocate(pl_tearing* t) {
    int count = t->corner_count;
    t->particle_of_corner = PL_ALLOC(int, count);
    t->whole = PL_ALLOC(int, count);
    t->rest = PL_ALLOC(double, 3 * (size_t)count);
    t->mass = PL_ALLOC(double, count);
    t->materials = PL_ALLOC(pl_element_material, count / 3);
    t->number = PL_ALLOC(int, count);
    t->offsets = PL_ALLOC(int, count + 1);
    t->items = PL_ALLOC(int, count);
    t->part = PL_ALLOC(int, count);
    t->beyond = PL_ALLOC(bool, count);
    t->is_split = PL_ALLOC(bool, count);
    return count == 0 ||
           (t->particle_of_corner && t->whole && t->rest && t->mass && t->materials && t->number &&
            t->offsets && t->items && t->part && t->beyond && t->is_split);
}

pl_status pl_tearing_create(const pl_method_body* body, pl_tearing* out, pl_error* error) {
    const pl_mesh* mesh = body->mesh;
    int count = 3 * mesh->triangle_count;
    *out = (pl_tearing){.limit = body->body->pbd.tear, .corner_count = count, .body = *body->body};
    bool apart = body->is_cloth && mesh->vertex_count == count;
    for (int c = 0; apart && c < count; c++) apart = mesh->triangles[c] == c;
    if (!apart)
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "only cloth whose triangles have vertices of their own can tear");
    pl_status status = allocate(out) ? PL_OK : pl_fail_memory(error, "cloth that tears");
    if (status == PL_OK && count) {
        memcpy(out->rest, mesh->positions, 3 * (size_t)count * sizeof(double));
        memcpy(out->materials, body->materials, (size_t)count / 3 * sizeof *out->materials);
        weigh_corners(out);
        status = join_corners(out, error);
    }
    if (status != PL_OK) pl_tearing_free(out);
    return status;
}

void pl_tearing_update(pl_tearing* t, const pl_method_body* body) {
    t->limit = body->body->pbd.tear;
    t->body = *body->body;
    t->has_last = false;
    if (!t->corner_count) return;
    memcpy(t->materials, body->materials, (size_t)t->corner_count / 3 * sizeof *t->materials);
    weigh_corners(t);
}

void pl_tearing_load(pl_tearing* t, const void* saved) {
    memcpy(t->particle_of_corner, saved, (size_t)t->corner_count * sizeof(int));
    t->particle_count = 0;
    for (int c = 0; c < t->corner_count; c++) { // numbered by first corners, so each number exceeds
                                                // the earlier ones by at most one
        int* p = &t->particle_of_corner[c];
        if (*p < 0 || *p > t->particle_count) *p = 0;
        if (*p == t->particle_count) t->particle_count++;
    }
}

static pl_status copy_graph(const pl_particle_graph* from, pl_particle_graph* out,
                            pl_error* error) {
    pl_status status = pl_particle_graph_create(from->particle_count, from->edge_count,
                                                from->triangle_count, out, error);
    if (status != PL_OK || !from->particle_count) return status;
    memcpy(out->places, from->places, 3 * (size_t)from->particle_count * sizeof(double));
    memcpy(out->edges, from->edges, 2 * (size_t)from->edge_count * sizeof(int));
    memcpy(out->rest, from->rest, (size_t)from->edge_count * sizeof(double));
    memcpy(out->triangles, from->triangles, 3 * (size_t)from->triangle_count * sizeof(int));
    out->columns = from->columns, out->rows = from->rows;
    return PL_OK;
}

// The untorn cloth consists of the first particles, made before anything can tear.
static pl_status keep_whole(pl_tearing* t, const pl_pbd_parts* parts, pl_error* error) {
    pl_status status = copy_graph(&parts->graph, &t->graph, error);
    if (status != PL_OK || !t->whole_count) return status;
    t->last = PL_ALLOC(unsigned char, t->whole_count);
    int* ranks = PL_ALLOC(int, t->whole_count);
    if (!t->last || !ranks) {
        PL_FREE(ranks, int, t->whole_count);
        return pl_fail_memory(error, "a numbering");
    }
    for (int p = 0; p < t->whole_count; p++) ranks[p] = parts->order.new_of_old[p];
    t->rank_of_whole = ranks;
    return PL_OK;
}

// marks particles of the untorn cloth that have been split
static void find_split(pl_tearing* t) {
    for (int w = 0; w < t->corner_count; w++) t->number[w] = -1, t->is_split[w] = false;
    for (int c = 0; c < t->corner_count; c++) {
        int *first = &t->number[t->whole[c]], p = t->particle_of_corner[c];
        if (*first < 0) *first = p;
        if (*first != p) t->is_split[t->whole[c]] = true;
    }
}

static int rank_of_corner(const pl_tearing* t, int corner) {
    return t->rank_of_whole[t->whole[corner]];
}

pl_status pl_tearing_last_levels(pl_tearing* t, const pl_hierarchy_options* options,
                                 const pl_ordering* order, const bool* attached,
                                 unsigned char* last, pl_error* error) {
    bool same = t->has_last;
    memset(t->is_split, 0, (size_t)t->corner_count * sizeof(bool)); // now: attached, by rank
    for (int c = 0; c < t->corner_count; c++)
        if (attached[order->new_of_old[t->particle_of_corner[c]]])
            t->is_split[rank_of_corner(t, c)] = true;
    for (int k = 0; k < t->whole_count; k++) {
        same = same && t->graph.attached[k] == t->is_split[k];
        t->graph.attached[k] = t->is_split[k];
    }
    pl_status status = PL_OK;
    if (!same) status = pl_find_last_levels(&t->graph, options, t->last, error);
    t->has_last = status == PL_OK;
    find_split(t);
    for (int c = 0; status == PL_OK && c < t->corner_count; c++)
        last[order->new_of_old[t->particle_of_corner[c]]] =
            t->is_split[t->whole[c]] ? PL_LEVEL_OPEN : t->last[rank_of_corner(t, c)];
    return status;
}

// the rank of each particle, stored in `number`
static const int* find_ranks(pl_tearing* t) {
    if (!t->rank_of_whole) return NULL;
    for (int c = 0; c < t->corner_count; c++)
        t->number[t->particle_of_corner[c]] = rank_of_corner(t, c);
    return t->number;
}

pl_status pl_tearing_parts(pl_tearing* t, pl_pbd_parts* out, pl_error* error) {
    double* places = PL_ALLOC(double, 3 * (size_t)t->particle_count);
    if (t->particle_count && !places) return pl_fail_memory(error, "particles");
    for (int c = 0; c < t->corner_count; c++)
        memcpy(places + 3 * (size_t)t->particle_of_corner[c], t->rest + 3 * (size_t)c,
               3 * sizeof(double));
    pl_mesh* mesh;
    pl_status status = pl_mesh_create(places, t->particle_count, NULL, 0, t->particle_of_corner,
                                      t->corner_count / 3, &mesh, error);
    PL_FREE(places, double, 3 * (size_t)t->particle_count);
    if (status != PL_OK) return status;
    pl_method_body body = {
        .body = &t->body, .mesh = mesh, .is_cloth = true, .materials = t->materials};
    status = pl_pbd_parts_create(&body, find_ranks(t), t->whole_count, out, error);
    pl_mesh_destroy(mesh);
    if (status == PL_OK && !t->rank_of_whole) {
        status = keep_whole(t, out, error);
        if (status != PL_OK) pl_pbd_parts_free(out);
    }
    return status;
}

void pl_tearing_mark(pl_tearing* t, const pl_ordering* order, bool* torn) {
    find_split(t);
    for (int c = 0; c < t->corner_count; c++)
        if (t->is_split[t->whole[c]]) torn[order->new_of_old[t->particle_of_corner[c]]] = true;
}

// state of a round of splitting
typedef struct splitter {
    pl_tearing* tearing;
    const double* x;
    int before;             // number of particles before the round
    int next;               // number of the next new particle
    const pl_vec3* through; // a point of the plane; NULL: the particle that is split
} splitter;

static int other_particle(const pl_tearing* t, int corner, int k) {
    return t->particle_of_corner[corner - corner % 3 + (corner + k) % 3];
}

// true if the triangles of two corners of a particle share another particle
static bool share_edge(const pl_tearing* t, int c, int d) {
    for (int i = 1; i <= 2; i++)
        for (int k = 1; k <= 2; k++)
            if (other_particle(t, c, i) == other_particle(t, d, k)) return true;
    return false;
}

// Divides the corners of particle p into connected parts on each side of the plane. part[k]: the
// first corner of the part that has the k-th corner. Returns the number of parts.
static int find_parts(const splitter* s, int p, pl_vec3 normal, int* part, bool* beyond) {
    const int* corners = s->tearing->items + s->tearing->offsets[p];
    int count = s->tearing->offsets[p + 1] - s->tearing->offsets[p], parts = 0;
    for (int k = 0; k < count; k++) {
        const double* x = s->x + 9 * (size_t)(corners[k] / 3);
        pl_vec3 middle = pl_add(pl_add(pl_vec3_load(x), pl_vec3_load(x + 3)), pl_vec3_load(x + 6));
        pl_vec3 at = s->through ? *s->through : pl_vec3_load(s->x + 3 * (size_t)corners[k]);
        beyond[k] = pl_dot(pl_madd(middle, -3.0, at), normal) > 0.0;
        part[k] = k;
    }
    for (int k = 0; k < count; k++)
        for (int j = 0; j < k; j++)
            if (beyond[k] == beyond[j] && share_edge(s->tearing, corners[k], corners[j]))
                pl_set_join(part, j, k);
    for (int k = 0; k < count; k++) {
        part[k] = pl_set_root(part, k);
        parts += part[k] == k;
    }
    return parts;
}

// cuts particle p by a plane; false if all of it is on one side
static bool split(splitter* s, int p, pl_vec3 normal) {
    int first = s->tearing->offsets[p], count = s->tearing->offsets[p + 1] - first;
    // used as scratch: both are recomputed after the last split
    int *part = s->tearing->part, *number = s->tearing->number;
    if (s->tearing->is_split[p] || count < 2) return false;
    if (find_parts(s, p, normal, part, s->tearing->beyond) < 2) return false;
    for (int k = 0; k < count; k++) {
        number[k] = k == 0 ? p : part[k] == k ? s->next++ : number[part[k]];
        s->tearing->particle_of_corner[s->tearing->items[first + k]] = number[k];
    }
    s->tearing->is_split[p] = true;
    return true;
}

// splits one end of the edge from corner c to the next one of its triangle, if it is overstretched
static void tear_edge(splitter* s, int c) {
    const pl_tearing* t = s->tearing;
    int d = c - c % 3 + (c + 1) % 3, p = t->particle_of_corner[c], q = t->particle_of_corner[d];
    pl_vec3 way = pl_sub(pl_vec3_load(s->x + 3 * (size_t)d), pl_vec3_load(s->x + 3 * (size_t)c));
    double rest =
        pl_distance(pl_vec3_load(t->rest + 3 * (size_t)d), pl_vec3_load(t->rest + 3 * (size_t)c));
    if (!(pl_norm(way) > t->limit * rest)) return;
    // split only one end per step, and no new particle: the cloth beside it may hold after this
    // split
    if (p >= s->before || q >= s->before || t->is_split[p] || t->is_split[q]) return;
    if (!split(s, p, way)) split(s, q, way);
}

// the corners of each particle, ascending
static void list_corners(pl_tearing* t) {
    memset(t->offsets, 0, ((size_t)t->corner_count + 1) * sizeof(int));
    for (int c = 0; c < t->corner_count; c++) t->offsets[t->particle_of_corner[c] + 1]++;
    for (int p = 0; p < t->particle_count; p++) t->offsets[p + 1] += t->offsets[p];
    for (int c = 0; c < t->corner_count; c++) t->items[t->offsets[t->particle_of_corner[c]]++] = c;
    for (int p = t->particle_count; p > 0; p--) t->offsets[p] = t->offsets[p - 1];
    t->offsets[0] = 0;
}

int pl_tearing_split(pl_tearing* t, const double* positions) {
    splitter s = {t, positions, t->particle_count, t->particle_count, NULL};
    if (t->corner_count == 0) return 0;
    list_corners(t);
    memset(t->is_split, 0, (size_t)t->corner_count * sizeof(bool));
    for (int c = 0; c < t->corner_count; c++) tear_edge(&s, c);
    if (s.next > s.before) number_particles(t);
    return s.next - s.before;
}

// whether the segment from a to b passes through a triangle
static bool passes_through(pl_vec3 a, pl_vec3 b, const pl_vec3 t[3]) {
    double below = pl_det4(t[0], t[1], t[2], a), above = pl_det4(t[0], t[1], t[2], b);
    if ((below > 0.0) == (above > 0.0)) return false;
    double x = pl_det4(a, b, t[0], t[1]), y = pl_det4(a, b, t[1], t[2]),
           z = pl_det4(a, b, t[2], t[0]);
    return (x >= 0.0 && y >= 0.0 && z >= 0.0) || (x <= 0.0 && y <= 0.0 && z <= 0.0);
}

// Splits both ends of an edge that the knife crosses. Each triangle is on one side of the knife, by
// its centroid, for all its particles, so none hangs between the halves.
static void cut_edge(splitter* s, int c, const pl_vec3 sweep[3], pl_vec3 normal) {
    const pl_tearing* t = s->tearing;
    int d = c - c % 3 + (c + 1) % 3, p = t->particle_of_corner[c], q = t->particle_of_corner[d];
    pl_vec3 a = pl_vec3_load(s->x + 3 * (size_t)c), b = pl_vec3_load(s->x + 3 * (size_t)d);
    if (!passes_through(a, b, sweep)) return;
    if (p < s->before) split(s, p, normal);
    if (q < s->before) split(s, q, normal);
}

int pl_tearing_cut(pl_tearing* t, const double* positions, const double sweep[9]) {
    const pl_vec3 corners[3] = {pl_vec3_load(sweep), pl_vec3_load(sweep + 3),
                                pl_vec3_load(sweep + 6)};
    splitter s = {t, positions, t->particle_count, t->particle_count, &corners[0]};
    pl_vec3 normal = pl_cross(pl_sub(corners[1], corners[0]), pl_sub(corners[2], corners[0]));
    if (t->corner_count == 0) return 0;
    list_corners(t);
    memset(t->is_split, 0, (size_t)t->corner_count * sizeof(bool));
    for (int c = 0; c < t->corner_count; c++) cut_edge(&s, c, corners, normal);
    if (s.next > s.before) number_particles(t);
    return s.next - s.before;
}
