// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Where a shape is thinner than the lattice, tets may be connected through a point or an edge only.
// Such tets are dropped, which keeps the angles of all others. So are crumbs.
//
// Around a vertex, the faces opposite to it in its tets (its link) must be a whole sphere or one
// disk: then the boundary is a manifold there.
#include "base/array.h"
#include "base/memory.h"
#include "mesh/components.h"
#include "mesh/stuffing.h"

#include <string.h>

// 24 lattice tets meet in a vertex, of up to three pieces each
enum { MAX_STAR = 96, MAX_LINK = 64, VERTEX_BLOCK = 1024 };

typedef struct star {
    int tet_count, vertex_count;
    int tets[MAX_STAR];
    int triangles[MAX_STAR][3]; // of the link, in numbers of vertices below
    int vertices[MAX_LINK];
    uint64_t next[MAX_LINK];     // link edges that start at a vertex, as bits of where they end
    uint64_t previous[MAX_LINK]; // and those that end at it
} star;

typedef struct cleaning {
    pl_mesh* mesh;
    pl_adjacency around; // tets of each vertex
    unsigned char* dropped;
    unsigned char* queued; // per vertex
    pl_array queue;        // int
    int dropped_count;
} cleaning;

static int local_vertex(star* s, int vertex) {
    for (int i = 0; i < s->vertex_count; i++)
        if (s->vertices[i] == vertex) return i;
    if (s->vertex_count == MAX_LINK) return -1;
    s->vertices[s->vertex_count] = vertex;
    s->next[s->vertex_count] = s->previous[s->vertex_count] = 0;
    return s->vertex_count++;
}

static bool add_tet(star* s, const int* corners, int tet, int vertex) {
    int k = 0, face[3];
    while (k < 3 && corners[k] != vertex) k++;
    pl_tet_face(corners, k, face);
    if (s->tet_count == MAX_STAR) return false;
    int* triangle = s->triangles[s->tet_count];
    for (int i = 0; i < 3; i++)
        if ((triangle[i] = local_vertex(s, face[i])) < 0) return false;
    for (int i = 0; i < 3; i++) {
        int a = triangle[i], b = triangle[(i + 1) % 3];
        s->next[a] |= UINT64_C(1) << b;
        s->previous[b] |= UINT64_C(1) << a;
    }
    s->tets[s->tet_count++] = tet;
    return true;
}

// false if the vertex has more tets than stuffing ever makes
static bool gather_star(const cleaning* c, int vertex, star* s) {
    s->tet_count = s->vertex_count = 0;
    for (int i = c->around.offsets[vertex]; i < c->around.offsets[vertex + 1]; i++) {
        int tet = c->around.items[i];
        if (c->dropped[tet]) continue;
        if (!add_tet(s, c->mesh->tets + 4 * (size_t)tet, tet, vertex)) return false;
    }
    return true;
}

// bits of the vertices at which rim edges of the link end
static uint64_t rim_from(const star* s, int vertex) {
    return s->next[vertex] & ~s->previous[vertex];
}

// The rim is empty or one simple loop.
static bool is_disk_or_sphere(const star* s) {
    int rim_count = 0, start = -1;
    for (int v = 0; v < s->vertex_count; v++) {
        uint64_t rim = rim_from(s, v);
        if (rim & (rim - 1)) return false;
        if (rim) start = v, rim_count++;
    }
    int at = start, length = 0;
    while (start >= 0 && length < rim_count) {
        at = __builtin_ctzll(rim_from(s, at));
        length++;
        if (at == start) break;
        if (!rim_from(s, at)) return false;
    }
    return length == rim_count && at == start;
}

static bool share_edge(const int* a, const int* b) {
    int common = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) common += a[i] == b[j];
    return common >= 2;
}

// Numbers the parts of a star: tets connected through faces that contain the vertex and, unless it
// is -1, the link's vertex `through`. Tets without that vertex get part -1. Returns the number of
// parts.
static int number_parts(const star* s, int through, int* parts) {
    int count = 0, stack[MAX_STAR];
    for (int t = 0; t < s->tet_count; t++) parts[t] = -1;
    for (int t = 0; t < s->tet_count; t++) {
        const int* first = s->triangles[t];
        bool chosen =
            through < 0 || first[0] == through || first[1] == through || first[2] == through;
        if (parts[t] >= 0 || !chosen) continue;
        int top = 0;
        parts[t] = count;
        stack[top++] = t;
        while (top > 0) {
            const int* a = s->triangles[stack[--top]];
            for (int u = 0; u < s->tet_count; u++) {
                const int* b = s->triangles[u];
                bool has = through < 0 || b[0] == through || b[1] == through || b[2] == through;
                if (parts[u] >= 0 || !has || !share_edge(a, b)) continue;
                parts[u] = count;
                stack[top++] = u;
            }
        }
        count++;
    }
    return count;
}

static bool enqueue(cleaning* c, int vertex) {
    if (c->queued[vertex]) return true;
    c->queued[vertex] = 1;
    return pl_array_push(&c->queue, &vertex);
}

static bool drop_tet(cleaning* c, int tet) {
    c->dropped[tet] = 1;
    c->dropped_count++;
    bool stored = true;
    for (int k = 0; k < 4; k++)
        stored = enqueue(c, c->mesh->tets[4 * (size_t)tet + (size_t)k]) && stored;
    return stored;
}

// drops all numbered parts but the largest (the first of equals)
static bool keep_largest(cleaning* c, const star* s, const int* parts, int part_count) {
    int sizes[MAX_STAR] = {0}, largest = 0;
    for (int t = 0; t < s->tet_count; t++)
        if (parts[t] >= 0) sizes[parts[t]]++;
    for (int p = 1; p < part_count; p++)
        if (sizes[p] > sizes[largest]) largest = p;
    bool stored = true;
    for (int t = 0; t < s->tet_count; t++)
        if (parts[t] >= 0 && parts[t] != largest) stored = drop_tet(c, s->tets[t]) && stored;
    return stored;
}

static bool mend_vertex(cleaning* c, const star* s) {
    int parts[MAX_STAR];
    int part_count = number_parts(s, -1, parts);
    if (part_count > 1) return keep_largest(c, s, parts, part_count);
    for (int v = 0; v < s->vertex_count; v++) {
        uint64_t rim = rim_from(s, v);
        if ((rim & (rim - 1)) == 0) continue;
        part_count = number_parts(s, v, parts);
        if (part_count > 1) return keep_largest(c, s, parts, part_count);
    }
    // a wall of zero thickness, with two outsides that meet in the vertex
    bool stored = true;
    for (int t = 0; t < s->tet_count; t++) stored = drop_tet(c, s->tets[t]) && stored;
    return stored;
}

typedef struct check {
    const cleaning* c;
    const unsigned char* suspects;
    unsigned char* bad;
} check;

static void check_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const check* k = user;
    for (int v = begin; v < end; v++) {
        star s;
        k->bad[v] = k->suspects[v] && gather_star(k->c, v, &s) && !is_disk_or_sphere(&s);
    }
}

static pl_status drop_pinches(cleaning* c, const unsigned char* suspects, pl_pool* pool,
                              pl_error* error) {
    // bad vertices are found in parallel and repaired one after the other
    check k = {c, suspects, c->queued};
    pl_parallel_for(pool, check_task, c->mesh->vertex_count, VERTEX_BLOCK, &k);
    bool stored = true;
    for (int v = 0; v < c->mesh->vertex_count && stored; v++)
        if (c->queued[v]) stored = pl_array_push(&c->queue, &v);
    for (size_t next = 0; next < c->queue.count && stored; next++) {
        int vertex = ((const int*)c->queue.data)[next];
        c->queued[vertex] = 0;
        star s;
        if (gather_star(c, vertex, &s) && !is_disk_or_sphere(&s)) stored = mend_vertex(c, &s);
    }
    return stored ? PL_OK : pl_fail_memory(error, "cleaning of the tets");
}

static double tet_volume(const pl_mesh* mesh, int tet) {
    const int* t = mesh->tets + 4 * (size_t)tet;
    pl_vec3 v[4];
    for (int k = 0; k < 4; k++) v[k] = pl_vec3_load(mesh->positions + 3 * (size_t)t[k]);
    return pl_det4(v[0], v[1], v[2], v[3]) / 6.0;
}

// removes the dropped tets from the mesh
static bool compact_tets(cleaning* c) {
    pl_mesh* mesh = c->mesh;
    int count = 0;
    for (int t = 0; t < mesh->tet_count; t++) count += !c->dropped[t];
    if (count == mesh->tet_count) return true;
    int* tets = PL_ALLOC(int, 4 * (size_t)count);
    if (!tets && count) return false;
    int next = 0;
    for (int t = 0; t < mesh->tet_count; t++)
        if (!c->dropped[t])
            memcpy(tets + 4 * (size_t)next++, mesh->tets + 4 * (size_t)t, 4 * sizeof(int));
    PL_FREE(mesh->tets, int, 4 * (size_t)mesh->tet_count);
    mesh->tets = tets;
    mesh->tet_count = count;
    return true;
}

// removes vertices that no tet uses; numbers: one int of scratch per vertex
static bool compact_vertices(pl_mesh* mesh, int* numbers) {
    for (int v = 0; v < mesh->vertex_count; v++) numbers[v] = -1;
    for (size_t i = 0; i < 4 * (size_t)mesh->tet_count; i++) numbers[mesh->tets[i]] = 0;
    int count = 0;
    for (int v = 0; v < mesh->vertex_count; v++)
        if (numbers[v] == 0) numbers[v] = count++;
    if (count == mesh->vertex_count) return true;
    double* positions = PL_ALLOC(double, 3 * (size_t)count);
    if (!positions && count) return false;
    for (int v = 0; v < mesh->vertex_count; v++)
        if (numbers[v] >= 0)
            memcpy(positions + 3 * (size_t)numbers[v], mesh->positions + 3 * (size_t)v,
                   3 * sizeof(double));
    for (size_t i = 0; i < 4 * (size_t)mesh->tet_count; i++) mesh->tets[i] = numbers[mesh->tets[i]];
    PL_FREE(mesh->positions, double, 3 * (size_t)mesh->vertex_count);
    mesh->positions = positions;
    mesh->vertex_count = count;
    return true;
}

static void choose_crumbs(cleaning* c, const int* part_of, int part_count, double* volumes,
                          double share, pl_clean_report* report) {
    double total = 0.0;
    for (int t = 0; t < c->mesh->tet_count; t++) volumes[part_of[t]] += tet_volume(c->mesh, t);
    int largest = 0;
    for (int p = 0; p < part_count; p++) {
        total += volumes[p];
        if (volumes[p] > volumes[largest]) largest = p;
    }
    for (int p = 0; p < part_count; p++)
        report->crumb_count += p != largest && volumes[p] < share * total;
    report->part_count = part_count - report->crumb_count;
    for (int t = 0; t < c->mesh->tet_count; t++) {
        int p = part_of[t];
        c->dropped[t] = p != largest && volumes[p] < share * total;
        report->crumb_tet_count += c->dropped[t];
    }
}

static pl_status drop_crumbs(cleaning* c, double share, pl_clean_report* report, pl_error* error) {
    pl_mesh* mesh = c->mesh;
    int tet_count = mesh->tet_count, part_count = 0;
    int* part_of = PL_ALLOC(int, tet_count);
    if (!part_of && tet_count) return pl_fail_memory(error, "the parts of the mesh");
    pl_status status = pl_vertex_components(mesh->tets, tet_count, 4, mesh->vertex_count, part_of,
                                            &part_count, error);
    if (status == PL_OK && part_count) {
        double* volumes = PL_ALLOC(double, part_count);
        if (volumes) choose_crumbs(c, part_of, part_count, volumes, share, report);
        if (!volumes || !compact_tets(c)) status = pl_fail_memory(error, "the parts of the mesh");
        PL_FREE(volumes, double, part_count);
    }
    PL_FREE(part_of, int, tet_count);
    return status;
}

static pl_status clean(cleaning* c, const unsigned char* suspects, double crumb_share,
                       pl_pool* pool, pl_clean_report* report, pl_error* error) {
    pl_mesh* mesh = c->mesh;
    pl_status status =
        pl_vertex_elements(mesh->tets, mesh->tet_count, 4, mesh->vertex_count, &c->around, error);
    if (status == PL_OK) status = drop_pinches(c, suspects, pool, error);
    if (status == PL_OK && !compact_tets(c)) status = pl_fail_memory(error, "the tets");
    report->pinched_tet_count = c->dropped_count;
    if (status == PL_OK) status = drop_crumbs(c, crumb_share, report, error);
    if (status != PL_OK) return status;
    int count = mesh->vertex_count;
    int* numbers = PL_ALLOC(int, count);
    if (!numbers || !compact_vertices(mesh, numbers))
        status = pl_fail_memory(error, "the numbers of vertices");
    PL_FREE(numbers, int, count);
    return status;
}

pl_status pl_stuffing_clean(pl_mesh* mesh, const unsigned char* suspects, double crumb_share,
                            pl_pool* pool, pl_clean_report* report, pl_error* error) {
    *report = (pl_clean_report){0};
    int tet_count = mesh->tet_count, vertex_count = mesh->vertex_count;
    if (tet_count == 0) return PL_OK;
    cleaning c = {.mesh = mesh, .queue = pl_array_of(sizeof(int))};
    c.dropped = PL_ALLOC(unsigned char, tet_count);
    c.queued = PL_ALLOC(unsigned char, vertex_count);
    pl_status status = c.dropped && c.queued ? clean(&c, suspects, crumb_share, pool, report, error)
                                             : pl_fail_memory(error, "cleaning of the tets");
    PL_FREE(c.dropped, unsigned char, tet_count);
    PL_FREE(c.queued, unsigned char, vertex_count);
    pl_adjacency_free(&c.around);
    pl_array_free(&c.queue);
    return status;
}
