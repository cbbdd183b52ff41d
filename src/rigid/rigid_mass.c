// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Mass, centre and inertia are sums over tets. A tet with corners p has the moments
//
//   m = density V,   integral of x = m (sum of p) / 4,
//   integral of x x' = m / 20 (sum of p p' + (sum of p) (sum of p)').
//
// The moments of the inside of a closed surface are the signed sums over the tets between a point
// and each triangle.
#include "rigid/rigid_mass.h"
#include "mesh/surface_edges.h"

#include <string.h>

// Smallest mass of a surface vertex, as a fraction of what its area would give it.
static const double MIN_SHARE = 0.05;

typedef struct moments {
    double mass;
    pl_vec3 first;
    pl_mat3 second;
} moments;

static void add_tet(moments* sum, const pl_vec3 p[4], double density) {
    const double mass =
        density / 6.0 *
        pl_dot(pl_sub(p[1], p[0]), pl_cross(pl_sub(p[2], p[0]), pl_sub(p[3], p[0])));
    pl_vec3 all = {0, 0, 0};
    sum->mass += mass;
    for (int i = 0; i < 4; i++) {
        all = pl_add(all, p[i]);
        sum->second = pl_mat3_madd(sum->second, mass / 20.0, pl_outer(p[i], p[i]));
    }
    sum->first = pl_madd(sum->first, mass / 4.0, all);
    sum->second = pl_mat3_madd(sum->second, mass / 20.0, pl_outer(all, all));
}

// positions relative to the first vertex, so that bodies far from the origin lose no digits
static pl_vec3 place(const pl_mesh* mesh, int v) {
    return pl_sub(pl_vec3_load(mesh->positions + 3 * (size_t)v), pl_vec3_load(mesh->positions));
}

static moments sum_tets(const pl_method_body* body, double* vertex_masses) {
    const pl_mesh* mesh = body->mesh;
    moments sum = {0};
    for (int t = 0; t < mesh->tet_count; t++) {
        const int* v = mesh->tets + 4 * (size_t)t;
        const pl_vec3 p[4] = {place(mesh, v[0]), place(mesh, v[1]), place(mesh, v[2]),
                              place(mesh, v[3])};
        const double before = sum.mass;
        add_tet(&sum, p, body->materials[t].density);
        for (int i = 0; i < 4; i++) vertex_masses[v[i]] += 0.25 * (sum.mass - before);
    }
    return sum;
}

static moments sum_surface(const pl_method_body* body) {
    const pl_mesh* mesh = body->mesh;
    moments sum = {0};
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int* v = mesh->triangles + 3 * (size_t)t;
        const pl_vec3 p[4] = {{0, 0, 0}, place(mesh, v[0]), place(mesh, v[1]), place(mesh, v[2])};
        add_tet(&sum, p, body->body->material.density);
    }
    if (sum.mass >= 0.0) return sum;
    // all triangles face inwards
    return (moments){-sum.mass, pl_scale(-1.0, sum.first), pl_mat3_scale(-1.0, sum.second)};
}

// Distributes the mass to the vertices by area, tilted so that the centre of the shares is the
// body's.
static void share_surface(const pl_mesh* mesh, pl_vec3 centre, double mass, double* shares) {
    double area = 0.0, sum = 0.0;
    pl_vec3 middle = {0, 0, 0};
    pl_mat3 spread = {{0}}, inverse;
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int* v = mesh->triangles + 3 * (size_t)t;
        const pl_vec3 a = place(mesh, v[0]);
        const double third =
            pl_norm(pl_cross(pl_sub(place(mesh, v[1]), a), pl_sub(place(mesh, v[2]), a))) / 6.0;
        for (int i = 0; i < 3; i++) {
            shares[v[i]] += third;
            middle = pl_madd(middle, third, place(mesh, v[i]));
        }
        area += 3.0 * third;
    }
    middle = pl_scale(1.0 / area, middle);
    for (int v = 0; v < mesh->vertex_count; v++) {
        const pl_vec3 d = pl_sub(place(mesh, v), middle);
        spread = pl_mat3_madd(spread, shares[v] / area, pl_outer(d, d));
    }
    pl_vec3 tilt = {0, 0, 0};
    if (pl_mat3_inverse(spread, &inverse)) tilt = pl_mat3_apply(&inverse, pl_sub(centre, middle));
    for (int v = 0; v < mesh->vertex_count; v++) {
        const double factor = 1.0 + pl_dot(tilt, pl_sub(place(mesh, v), middle));
        sum += shares[v] *= fmax(factor, MIN_SHARE);
    }
    for (int v = 0; v < mesh->vertex_count; v++) shares[v] *= mass / sum;
}

static pl_status check_closed(const pl_mesh* mesh, pl_error* error) {
    pl_surface_edges edges;
    pl_status status = pl_surface_edges_count(mesh->positions, mesh->vertex_count, mesh->triangles,
                                              mesh->triangle_count, &edges, error);
    if (status != PL_OK) return status;
    if (edges.boundary_count || edges.turned_count)
        return pl_fail(
            error, PL_ERROR_MESH,
            "the surface of a rigid body must be closed; this one has %d edges with "
            "only one triangle and %d whose triangles face opposite ways; `pliant mesh IN -o OUT "
            "--repair` repairs surfaces",
            edges.boundary_count, edges.turned_count);
    return PL_OK;
}

pl_status pl_rigid_mass_find(const pl_method_body* body, pl_rigid_mass* out, double* vertex_masses,
                             pl_error* error) {
    const pl_mesh* mesh = body->mesh;
    memset(vertex_masses, 0, (size_t)mesh->vertex_count * sizeof(double));
    pl_status status = mesh->tet_count ? PL_OK : check_closed(mesh, error);
    if (status != PL_OK) return status;
    const moments sum = mesh->tet_count ? sum_tets(body, vertex_masses) : sum_surface(body);
    const pl_vec3 c = pl_scale(1.0 / sum.mass, sum.first);
    const pl_mat3 spread = pl_mat3_madd(sum.second, -sum.mass, pl_outer(c, c));
    const double trace = pl_mat3_trace(spread);
    const pl_mat3 inertia = pl_mat3_sub(pl_mat3_diagonal(trace, trace, trace), spread);
    double moments_of_axes[3];
    pl_mat3 axes;
    const bool is_solid = sum.mass > 0.0 && pl_mat3_eigen(inertia, moments_of_axes, &axes) &&
                          moments_of_axes[2] > 0.0;
    if (!is_solid)
        return pl_fail(error, PL_ERROR_MESH,
                       "a rigid body needs a volume, and this one has none; give it a closed "
                       "surface or tets");
    *out = (pl_rigid_mass){sum.mass, pl_add(pl_vec3_load(mesh->positions), c), inertia};
    if (!mesh->tet_count) share_surface(mesh, c, sum.mass, vertex_masses);
    return PL_OK;
}
