// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "tet_checks.h"
#include "math/vec3.h"
#include "mesh/surface.h"
#include "mesh/surface_edges.h"

#include <stdlib.h>

static pl_vec3 corner(const pl_mesh* mesh, const int* tet, int k) {
    return pl_vec3_load(mesh->positions + 3 * (size_t)tet[k]);
}

// the angle between the faces that meet in the edge a b, seen along it
static double dihedral(pl_vec3 a, pl_vec3 b, pl_vec3 c, pl_vec3 d) {
    pl_vec3 axis = pl_normalize(pl_sub(b, a));
    pl_vec3 u = pl_sub(c, a), v = pl_sub(d, a);
    u = pl_madd(u, -pl_dot(u, axis), axis);
    v = pl_madd(v, -pl_dot(v, axis), axis);
    return atan2(pl_norm(pl_cross(u, v)), pl_dot(u, v)) * 180.0 / acos(-1.0);
}

static void measure_tets(const pl_mesh* mesh, tet_quality* q) {
    static const int edges[6][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2},
                                    {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}};
    q->min_angle = 180.0;
    for (int t = 0; t < mesh->tet_count; t++) {
        const int* tet = mesh->tets + 4 * (size_t)t;
        pl_vec3 v[4];
        for (int k = 0; k < 4; k++) v[k] = corner(mesh, tet, k);
        double volume = pl_det4(v[0], v[1], v[2], v[3]) / 6.0;
        CHECK(volume > 0.0);
        q->volume += volume;
        for (int e = 0; e < 6; e++) {
            const int* c = edges[e];
            double angle = dihedral(v[c[0]], v[c[1]], v[c[2]], v[c[3]]);
            q->min_angle = fmin(q->min_angle, angle);
            q->max_angle = fmax(q->max_angle, angle);
            q->mean_edge += pl_distance(v[c[0]], v[c[1]]) / (6.0 * mesh->tet_count);
        }
    }
}

// the triangles around a boundary vertex must be one closed fan
static bool is_one_fan(const pl_boundary* boundary, const int* triangles, int count, int vertex) {
    int steps = 0, at = -1, start = -1;
    do {
        int next = -1;
        for (int i = 0; i < count; i++) {
            const int* t = boundary->triangles + 3 * (size_t)triangles[i];
            int k = t[0] == vertex ? 0 : t[1] == vertex ? 1 : 2;
            if (start < 0) start = at = t[(k + 1) % 3];
            if (t[(k + 1) % 3] == at) next = t[(k + 2) % 3];
        }
        if (next < 0) return false;
        at = next;
        steps++;
    } while (at != start && steps <= count);
    return steps == count;
}

static void check_boundary(const pl_mesh* mesh, tet_quality* q) {
    pl_error error;
    pl_boundary boundary;
    CHECK_OK(pl_boundary_create(mesh, &boundary, &error), &error);
    pl_surface_edges edges;
    CHECK_OK(pl_surface_edges_count(mesh->positions, mesh->vertex_count, boundary.triangles,
                                    boundary.count, &edges, &error),
             &error);
    CHECK_INT(edges.manifold_count, edges.edge_count);
    CHECK_NEAR(edges.signed_volume, q->volume, 1e-9 * q->volume);
    pl_adjacency around;
    CHECK_OK(pl_vertex_elements(boundary.triangles, boundary.count, 3, mesh->vertex_count, &around,
                                &error),
             &error);
    int on_boundary = 0;
    for (int v = 0; v < mesh->vertex_count; v++) {
        int count = around.offsets[v + 1] - around.offsets[v];
        on_boundary += count > 0;
        if (count) CHECK(is_one_fan(&boundary, around.items + around.offsets[v], count, v));
    }
    q->euler = on_boundary - edges.edge_count + boundary.count;
    q->boundary_triangle_count = boundary.count;
    pl_adjacency_free(&around);
    pl_boundary_free(&boundary);
}

tet_quality check_tets(const pl_mesh* mesh) {
    tet_quality q = {0};
    pl_error error;
    unsigned char* used = calloc((size_t)mesh->vertex_count + 1, 1);
    for (size_t i = 0; i < 4 * (size_t)mesh->tet_count; i++) used[mesh->tets[i]] = 1;
    for (int v = 0; v < mesh->vertex_count; v++) CHECK(used[v]);
    free(used);
    measure_tets(mesh, &q);
    check_boundary(mesh, &q);
    CHECK_OK(pl_vertex_components(mesh->tets, mesh->tet_count, 4, mesh->vertex_count, NULL,
                                  &q.part_count, &error),
             &error);
    return q;
}

bool same_tets(const pl_mesh* a, const pl_mesh* b) {
    return a->vertex_count == b->vertex_count && a->tet_count == b->tet_count &&
           memcmp(a->positions, b->positions, 24 * (size_t)a->vertex_count) == 0 &&
           memcmp(a->tets, b->tets, 16 * (size_t)a->tet_count) == 0;
}
