// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Cloth: a distance along each edge, a distance across each inner edge, and an angle at it. Solids
// of law springs: a distance along each edge of a tet, and the volume of each tet. Solids of other
// laws: the strains and the volume of each tet. Masses are lumped.
//
// With model compliance the material parameters are those of method fem. Cloth: the springs of
// mesh/spring_net.h, which stretch like a sheet of modulus `stretch`, and the hinges of discrete
// shells. Solids: tets with the energy of their law.
//
// A regular grid is numbered row by row along its shorter side, so that its levels can be built
// directly. Everything else is renumbered by reverse Cuthill-McKee. Torn cloth keeps its original
// order, with new particles next to those they were split from, so the numbering changes only near
// a tear.
#include "pbd/pbd_build.h"
#include "base/memory.h"
#include "material/material.h"
#include "math/mat3.h"
#include "mesh/spring_net.h"

#include <math.h>
#include <string.h>

typedef struct builder {
    const pl_method_body* body;
    const pl_pbd* settings;
    int corners, element_count;
    const int* elements; // of the mesh
    const int* ranks;    // or NULL
    int rank_count;
    pl_pbd_parts* parts;
} builder;

float pl_stiffness_of_sweep(double k, int sweeps) {
    return (float)(k >= 1.0 ? 1.0 : 1.0 - pow(1.0 - k, 1.0 / sweeps));
}

static pl_vec3 place(const pl_pbd_parts* p, int i) {
    return pl_vec3_load(p->graph.places + 3 * (size_t)i);
}

static pl_status order_of_grid(int columns, int rows, pl_ordering* out, pl_error* error) {
    int count = columns * rows;
    *out = (pl_ordering){count, PL_ALLOC(int, count), PL_ALLOC(int, count)};
    if (!out->new_of_old || !out->old_of_new) return pl_fail_memory(error, "a numbering");
    for (int v = 0; v < count; v++) {
        int inner = columns <= rows ? v : (v % columns) * rows + v / columns;
        out->new_of_old[v] = inner;
        out->old_of_new[inner] = v;
    }
    return PL_OK;
}

static pl_status order_by_edges(const pl_edges* edges, int vertex_count, pl_ordering* out,
                                pl_error* error) {
    pl_adjacency neighbours;
    pl_status status = pl_vertex_neighbours(edges, vertex_count, &neighbours, error);
    if (status != PL_OK) return status;
    status = pl_order_rcm(&neighbours, out, error);
    pl_adjacency_free(&neighbours);
    return status;
}

static pl_status order_by_ranks(const int* ranks, int rank_count, int vertex_count,
                                pl_ordering* out, pl_error* error) {
    int* first = PL_ALLOC(int, rank_count + 1);
    *out = (pl_ordering){vertex_count, PL_ALLOC(int, vertex_count), PL_ALLOC(int, vertex_count)};
    bool ok = first && out->new_of_old && out->old_of_new;
    for (int v = 0; ok && v < vertex_count; v++) first[ranks[v] + 1]++;
    for (int k = 0; ok && k < rank_count; k++) first[k + 1] += first[k];
    for (int v = 0; ok && v < vertex_count; v++) {
        int inner = first[ranks[v]]++;
        out->new_of_old[v] = inner;
        out->old_of_new[inner] = v;
    }
    PL_FREE(first, int, rank_count + 1);
    return ok ? PL_OK : pl_fail_memory(error, "a numbering");
}

static pl_status choose_order(builder* b, const pl_edges* edges, pl_error* error) {
    pl_particle_graph* g = &b->parts->graph;
    int columns, rows, vertex_count = b->body->mesh->vertex_count;
    if (b->ranks)
        return order_by_ranks(b->ranks, b->rank_count, vertex_count, &b->parts->order, error);
    if (b->corners != 3 ||
        !pl_find_grid(b->elements, b->element_count, vertex_count, &columns, &rows))
        return order_by_edges(edges, vertex_count, &b->parts->order, error);
    g->columns = columns <= rows ? columns : rows;
    g->rows = columns <= rows ? rows : columns;
    return order_of_grid(columns, rows, &b->parts->order, error);
}

static pl_status make_edges(builder* b, const pl_edges* edges, pl_error* error) {
    pl_pbd_parts* p = b->parts;
    int* ends = PL_ALLOC(int, 2 * (size_t)edges->count);
    double* rest = PL_ALLOC(double, edges->count);
    pl_status status = PL_OK;
    if (edges->count && (!ends || !rest)) status = pl_fail_memory(error, "edges");
    for (int e = 0; status == PL_OK && e < edges->count; e++) {
        for (int i = 0; i < 2; i++)
            ends[2 * (size_t)e + (size_t)i] =
                p->order.new_of_old[edges->ends[2 * (size_t)e + (size_t)i]];
        rest[e] = pl_distance(place(p, ends[2 * (size_t)e]), place(p, ends[2 * (size_t)e + 1]));
    }
    if (status == PL_OK)
        status = pl_particle_graph_set_edges(&p->graph, ends, rest, edges->count, error);
    PL_FREE(ends, int, 2 * (size_t)edges->count);
    PL_FREE(rest, double, edges->count);
    return status;
}

static pl_status make_graph(builder* b, pl_error* error) {
    const pl_mesh* mesh = b->body->mesh;
    pl_pbd_parts* p = b->parts;
    int triangle_count = b->corners == 3 ? b->element_count : 0;
    pl_status status =
        pl_particle_graph_create(mesh->vertex_count, 0, triangle_count, &p->graph, error);
    if (status != PL_OK) return status;
    pl_edges edges;
    status = pl_edges_create(b->elements, b->element_count, b->corners, mesh->vertex_count, &edges,
                             error);
    if (status != PL_OK) return status;
    status = choose_order(b, &edges, error);
    if (status == PL_OK) {
        pl_ordering_in(&p->order, mesh->positions, 3 * sizeof(double), p->graph.places);
        for (int k = 0; k < 3 * triangle_count; k++)
            p->graph.triangles[k] = p->order.new_of_old[b->elements[k]];
        status = make_edges(b, &edges, error);
    }
    pl_edges_free(&edges);
    return status;
}

static bool is_compliant(const builder* b) { return b->settings->model == PL_PBD_COMPLIANCE; }
// true if the material determines the stiffness of distances
static bool by_material(const builder* b) {
    return is_compliant(b) && isnan(b->settings->compliance);
}

static pl_status new_set(builder* b, pl_constraint_kind kind, int capacity, bool compliant,
                         double stiffness, pl_constraint_set** out, pl_error* error) {
    pl_pbd_parts* p = b->parts;
    *out = &p->sets[p->set_count];
    pl_status status = pl_constraint_set_create(kind, capacity, compliant, *out, error);
    if (status != PL_OK) return status;
    p->set_count++;
    int sweeps = b->body->body->solver.iterations;
    (*out)->stiffness = is_compliant(b) ? 1.0f : pl_stiffness_of_sweep(stiffness, sweeps);
    return PL_OK;
}

// mean stretch of all elements: in solids of law springs all edges have one stiffness
static double mean_stretch(const builder* b) {
    double sum = 0.0;
    for (int e = 0; e < b->element_count; e++) sum += b->body->materials[e].stretch;
    return b->element_count ? sum / b->element_count : 0.0;
}

static pl_status add_edges(builder* b, pl_error* error) {
    const pl_particle_graph* g = &b->parts->graph;
    double given = by_material(b) ? 1.0 / mean_stretch(b) : b->settings->compliance;
    bool compliant = is_compliant(b) && given > 0.0;
    if (is_compliant(b) ? !isfinite(given) : !(b->settings->stretch > 0.0)) return PL_OK;
    pl_constraint_set* set;
    pl_status status = new_set(b, PL_CONSTRAINT_DISTANCE, g->edge_count, compliant,
                               b->settings->stretch, &set, error);
    float compliance = (float)given;
    for (int e = 0; status == PL_OK && e < g->edge_count; e++) {
        float rest = (float)g->rest[e];
        pl_constraint_set_add(set, g->edges + 2 * (size_t)e, &rest, &compliance);
    }
    return status;
}

// distances between the two vertices opposite an inner edge
static pl_status add_across(builder* b, const pl_side_groups* sides, pl_error* error) {
    const pl_pbd_parts* p = b->parts;
    bool compliant = is_compliant(b) && b->settings->compliance > 0.0;
    if (!(b->settings->shear > 0.0)) return PL_OK;
    pl_constraint_set* set;
    pl_status status = new_set(b, PL_CONSTRAINT_DISTANCE, pl_edge_pair_count(sides), compliant,
                               b->settings->shear, &set, error);
    for (int g = 0; status == PL_OK && g < sides->groups.count; g++) {
        pl_edge_pairs pairs = pl_edge_pairs_of(sides, g);
        float compliance = (float)(b->settings->compliance / pl_edge_pairs_weight(&pairs));
        for (int pair[2]; pl_edge_pairs_next(&pairs, pair);) {
            int ends[2] = {p->graph.triangles[pair[0]], p->graph.triangles[pair[1]]};
            if (ends[0] == ends[1]) continue;
            float rest = (float)pl_distance(place(p, ends[0]), place(p, ends[1]));
            pl_constraint_set_add(set, ends, &rest, &compliance);
        }
    }
    return status;
}

// Springs along and across edges, with the stiffness of the material: the mean over the triangles
// at the edge.
static double mean_modulus(const builder* b, const pl_edge_pairs* pairs, bool shear) {
    double sum = 0.0;
    for (int k = 0; k < pairs->count; k++) {
        const pl_element_material* m = &b->body->materials[pairs->sides[k] / 3];
        sum += shear ? PL_SPRING_NET_SHEAR * m->shear : m->stretch;
    }
    return sum / pairs->count;
}

static void add_spring(const builder* b, const int ends[2], double stiffness,
                       pl_constraint_set* set) {
    if (ends[0] == ends[1] || !(stiffness > 0.0)) return;
    float rest = (float)pl_distance(place(b->parts, ends[0]), place(b->parts, ends[1]));
    float compliance = (float)(1.0 / stiffness);
    pl_constraint_set_add(set, ends, &rest, &compliance);
}

static void fill_springs(const builder* b, const pl_side_groups* sides, const pl_spring_net* net,
                         pl_constraint_set* edges, pl_constraint_set* across) {
    const int* triangles = b->parts->graph.triangles;
    for (int g = 0, p = 0; g < sides->groups.count; g++) {
        pl_edge_pairs pairs = pl_edge_pairs_of(sides, g);
        double stretch = mean_modulus(b, &pairs, false), shear = mean_modulus(b, &pairs, true);
        int side = pairs.sides[0], ends[2];
        pl_triangle_edge(triangles + 3 * (size_t)(side / 3), side % 3, ends);
        add_spring(b, ends, net->edges[g] * stretch, edges);
        for (int pair[2]; pl_edge_pairs_next(&pairs, pair); p++)
            add_spring(b, (const int[2]){triangles[pair[0]], triangles[pair[1]]},
                       net->across[p] * shear, across);
    }
}

static pl_status add_springs(builder* b, const pl_side_groups* sides, pl_error* error) {
    const pl_particle_graph* g = &b->parts->graph;
    pl_spring_net net;
    pl_constraint_set *edges, *across;
    pl_status status = pl_spring_net_create(g->places, g->particle_count, g->triangles,
                                            g->triangle_count, sides, &net, error);
    if (status != PL_OK) return status;
    status = new_set(b, PL_CONSTRAINT_DISTANCE, sides->groups.count, true, 1.0, &edges, error);
    if (status == PL_OK)
        status = new_set(b, PL_CONSTRAINT_DISTANCE, pl_edge_pair_count(sides), true, 1.0, &across,
                         error);
    if (status == PL_OK) fill_springs(b, sides, &net, edges, across);
    pl_spring_net_free(&net);
    return status;
}

// bend |edge|^2 / (sum of the areas) [J]: a cylinder bent across a row of edges has the energy of a
// plate, bend / 2 curvature^2 area
static double hinge_energy(const pl_pbd_parts* p, const int v[4], double bend) {
    pl_vec3 e = pl_sub(place(p, v[1]), place(p, v[0]));
    double areas = 0.5 * (pl_norm(pl_cross(e, pl_sub(place(p, v[2]), place(p, v[0])))) +
                          pl_norm(pl_cross(e, pl_sub(place(p, v[3]), place(p, v[0])))));
    return bend * pl_norm2(e) / areas;
}

static pl_status add_hinges(builder* b, const pl_side_groups* sides, pl_error* error) {
    const pl_pbd_parts* p = b->parts;
    if (!is_compliant(b) && !(b->settings->bend > 0.0)) return PL_OK;
    pl_constraint_set* set;
    pl_status status = new_set(b, PL_CONSTRAINT_HINGE, pl_edge_pair_count(sides), is_compliant(b),
                               b->settings->bend, &set, error);
    for (int g = 0; status == PL_OK && g < sides->groups.count; g++) {
        pl_edge_pairs pairs = pl_edge_pairs_of(sides, g);
        for (int pair[2]; pl_edge_pairs_next(&pairs, pair);) {
            int v[4];
            double angle, bend = b->body->materials[pair[0] / 3].bend;
            if (!pl_particle_hinge(&p->graph, pair, v, &angle)) continue;
            if (is_compliant(b) && !(bend > 0.0)) continue;
            float rest = (float)angle;
            double energy = pl_edge_pairs_weight(&pairs) * hinge_energy(p, v, bend);
            float compliance = is_compliant(b) ? (float)(1.0 / energy) : 0.0f;
            pl_constraint_set_add(set, v, &rest, &compliance);
        }
    }
    return status;
}

static pl_status add_cloth(builder* b, pl_error* error) {
    const pl_particle_graph* g = &b->parts->graph;
    pl_status status = by_material(b) ? PL_OK : add_edges(b, error);
    if (status != PL_OK) return status;
    pl_side_groups sides;
    status =
        pl_side_groups_create(g->triangles, g->triangle_count, 3, g->particle_count, &sides, error);
    if (status != PL_OK) return status;
    status = by_material(b) ? add_springs(b, &sides, error) : add_across(b, &sides, error);
    if (status == PL_OK) status = add_hinges(b, &sides, error);
    pl_side_groups_free(&sides);
    return status;
}

static void tet_vertices(const builder* b, int e, int v[4]) {
    for (int i = 0; i < 4; i++)
        v[i] = b->parts->order.new_of_old[b->elements[4 * (size_t)e + (size_t)i]];
}

static pl_mat3 tet_edges(const pl_pbd_parts* p, const int v[4]) {
    pl_vec3 a = place(p, v[0]);
    return pl_mat3_from_columns(pl_sub(place(p, v[1]), a), pl_sub(place(p, v[2]), a),
                                pl_sub(place(p, v[3]), a));
}

static bool fill_tet(const builder* b, int e, int v[4], float values[12]) {
    pl_mat3 inverse;
    tet_vertices(b, e, v);
    pl_mat3 edges = tet_edges(b->parts, v);
    if (!pl_mat3_inverse(edges, &inverse)) return false;
    for (int i = 0; i < 9; i++) values[i] = (float)inverse.m[i];
    values[9] = (float)(pl_mat3_det(edges) / 6.0);
    values[10] = (float)b->body->materials[e].mu, values[11] = (float)b->body->materials[e].lambda;
    return true;
}

static pl_status add_strains(builder* b, pl_error* error) {
    pl_constraint_set* set;
    pl_status status = new_set(b, PL_CONSTRAINT_STRAIN, b->element_count, false,
                               b->settings->stretch, &set, error);
    for (int e = 0; status == PL_OK && e < b->element_count; e++) {
        int v[4];
        float values[12];
        if (fill_tet(b, e, v, values)) pl_constraint_set_add(set, v, values, NULL);
    }
    return status;
}

// elastic tets with the energy of their law
static pl_status add_tets(builder* b, pl_error* error) {
    pl_constraint_set* set;
    pl_status status = new_set(b, PL_CONSTRAINT_TET, b->element_count, false, 1.0, &set, error);
    if (status == PL_OK && b->element_count)
        pl_material_of_law(b->body->materials[0].law, &set->law);
    for (int e = 0; status == PL_OK && e < b->element_count; e++) {
        int v[4];
        float values[12];
        if (fill_tet(b, e, v, values)) pl_constraint_set_add(set, v, values, NULL);
    }
    return status;
}

static pl_status add_volumes(builder* b, pl_error* error) {
    if (!(b->settings->volume > 0.0)) return PL_OK;
    pl_constraint_set* set;
    pl_status status =
        new_set(b, PL_CONSTRAINT_VOLUME, b->element_count, false, b->settings->volume, &set, error);
    for (int e = 0; status == PL_OK && e < b->element_count; e++) {
        int v[4];
        tet_vertices(b, e, v);
        pl_mat3 edges = tet_edges(b->parts, v);
        double volume = pl_mat3_det(edges) / 6.0;
        if (!(volume > 0.0)) continue;
        float value = (float)(1.0 / (6.0 * volume));
        pl_constraint_set_add(set, v, &value, NULL);
    }
    return status;
}

static pl_status add_solid(builder* b, pl_error* error) {
    pl_law law = b->element_count ? b->body->materials[0].law : PL_LAW_AUTO;
    bool strains = law != PL_LAW_SPRINGS && law != PL_LAW_AUTO;
    if (strains && is_compliant(b)) return add_tets(b, error);
    pl_status status = strains ? add_strains(b, error) : add_edges(b, error);
    return status == PL_OK ? add_volumes(b, error) : status;
}

static double element_size(const builder* b, int e) {
    const double* x = b->body->mesh->positions;
    const int* v = b->elements + (size_t)b->corners * (size_t)e;
    pl_vec3 a = pl_vec3_load(x + 3 * (size_t)v[0]);
    pl_vec3 p = pl_sub(pl_vec3_load(x + 3 * (size_t)v[1]), a);
    pl_vec3 q = pl_sub(pl_vec3_load(x + 3 * (size_t)v[2]), a);
    if (b->corners == 3) return 0.5 * pl_norm(pl_cross(p, q));
    return pl_dot(pl_cross(p, q), pl_sub(pl_vec3_load(x + 3 * (size_t)v[3]), a)) / 6.0;
}

// Each element gives equal shares to its corners. A vertex without elements gets the mean mass, so
// it falls like the rest.
static pl_status lump_masses(builder* b, pl_error* error) {
    pl_pbd_parts* p = b->parts;
    int count = p->graph.particle_count, heavy = 0;
    p->mass = PL_ALLOC(double, count);
    if (!p->mass) return pl_fail_memory(error, "masses");
    for (int e = 0; e < b->element_count; e++) {
        double mass = b->body->materials[e].density * element_size(b, e) / b->corners;
        for (int i = 0; i < b->corners; i++)
            p->mass[p->order.new_of_old[b->elements[(size_t)(b->corners * e + i)]]] += mass;
    }
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        if (p->mass[i] > 0.0) sum += p->mass[i], heavy++;
    for (int i = 0; i < count; i++)
        if (!(p->mass[i] > 0.0)) p->mass[i] = heavy ? sum / heavy : 1.0;
    return PL_OK;
}

// Young's modulus of a solid, the modulus of stretch of cloth
static double element_modulus(const builder* b, int e) {
    const pl_element_material* m = &b->body->materials[e];
    if (b->settings->compliance > 0.0) return 1.0 / b->settings->compliance;
    if (b->corners == 3 || m->law == PL_LAW_SPRINGS) return m->stretch;
    double sum = m->lambda + m->mu;
    return sum > 0.0 ? m->mu * (3.0 * m->lambda + 2.0 * m->mu) / sum : m->mu;
}

// mean modulus of the elements at each particle
static pl_status find_moduli(builder* b, pl_error* error) {
    pl_pbd_parts* p = b->parts;
    int count = p->graph.particle_count;
    if (!is_compliant(b) || b->settings->compliance == 0.0) return PL_OK;
    p->modulus = PL_ALLOC(double, count);
    int* elements = PL_ALLOC(int, count);
    if (p->modulus && elements) {
        for (int k = 0; k < b->corners * b->element_count; k++) {
            int i = p->order.new_of_old[b->elements[k]];
            p->modulus[i] += element_modulus(b, k / b->corners);
            elements[i]++;
        }
        for (int i = 0; i < count; i++)
            if (elements[i]) p->modulus[i] /= elements[i];
    }
    bool ok = p->modulus && elements;
    PL_FREE(elements, int, count);
    return ok ? PL_OK : pl_fail_memory(error, "moduli");
}

void pl_pbd_parts_free(pl_pbd_parts* p) {
    PL_FREE(p->mass, double, p->order.count);
    PL_FREE(p->modulus, double, p->order.count);
    for (int k = 0; k < p->set_count; k++) pl_constraint_set_free(&p->sets[k]);
    pl_particle_graph_free(&p->graph);
    pl_ordering_free(&p->order);
    *p = (pl_pbd_parts){0};
}

pl_status pl_pbd_parts_create(const pl_method_body* body, const int* ranks, int rank_count,
                              pl_pbd_parts* out, pl_error* error) {
    *out = (pl_pbd_parts){0};
    const pl_mesh* mesh = body->mesh;
    builder b = {.body = body,
                 .settings = &body->body->pbd,
                 .corners = body->is_cloth ? 3 : 4,
                 .element_count = body->is_cloth ? mesh->triangle_count : mesh->tet_count,
                 .elements = body->is_cloth ? mesh->triangles : mesh->tets,
                 .ranks = ranks,
                 .rank_count = rank_count,
                 .parts = out};
    pl_status status = make_graph(&b, error);
    if (status == PL_OK) status = lump_masses(&b, error);
    if (status == PL_OK) status = find_moduli(&b, error);
    if (status == PL_OK) status = body->is_cloth ? add_cloth(&b, error) : add_solid(&b, error);
    if (status != PL_OK) pl_pbd_parts_free(out);
    return status;
}
