// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Solids become tets, cloth becomes what cloth_walk.h finds. Masses are lumped: each element gives
// equal parts to its corners; or consistent, where a body asks for it.
#include "fem/fem_build.h"
#include "base/array.h"
#include "base/memory.h"
#include "fem/cloth_elements.h"
#include "fem/cloth_walk.h"
#include "fem/mass_matrix.h"
#include "fem/patch_elements.h"
#include "fem/tet_elements.h"

#include <stdlib.h>
#include <string.h>

// elements of one kind while they are collected: corners and one record each
typedef struct collected {
    pl_array corners; // of int
    pl_array values;  // pl_material, pl_membrane, the form of a patch, or a stiffness
} collected;

typedef struct builder {
    pl_fem_parts* parts;
    collected tets, springs, membranes, patches, hinges;
} builder;

static bool collect(collected* c, const int* corners, int corner_count, int first_vertex,
                    const void* value) {
    int* to = pl_array_add(&c->corners, (size_t)corner_count);
    if (!to) return false;
    for (int i = 0; i < corner_count; i++) to[i] = corners[i] + first_vertex;
    return pl_array_push(&c->values, value);
}

static void collected_free(collected* c) {
    pl_array_free(&c->corners);
    pl_array_free(&c->values);
}

pl_status pl_fem_law_of_solid(const pl_element_material* from, pl_material* out, pl_error* error) {
    static const pl_material_kind kinds[PL_LAW_COUNT] = {
        [PL_LAW_LINEAR] = PL_MATERIAL_LINEAR,
        [PL_LAW_COROTATED] = PL_MATERIAL_COROTATED,
        [PL_LAW_ARAP] = PL_MATERIAL_ARAP,
        [PL_LAW_STVK] = PL_MATERIAL_STVK,
        [PL_LAW_NEOHOOKEAN] = PL_MATERIAL_NEOHOOKEAN,
        [PL_LAW_STABLE_NEOHOOKEAN] = PL_MATERIAL_STABLE_NEOHOOKEAN,
        [PL_LAW_MOONEY_RIVLIN] = PL_MATERIAL_MOONEY_RIVLIN};
    if (from->law < PL_LAW_LINEAR || from->law > PL_LAW_MOONEY_RIVLIN)
        return pl_fail(error, PL_ERROR_UNSUPPORTED, "law \"%s\" is not one of solids",
                       pl_law_name((int)from->law));
    *out = (pl_material){.kind = kinds[from->law], .mu = from->mu, .lambda = from->lambda};
    if (from->law == PL_LAW_MOONEY_RIVLIN) out->rivlin = pl_material_rivlin(from->mu, from->mu2);
    return PL_OK;
}

static pl_status add_solid(builder* b, const pl_method_body* body, pl_error* error) {
    const pl_mesh* mesh = body->mesh;
    for (int e = 0; e < mesh->tet_count; e++) {
        pl_material material;
        pl_status status = pl_fem_law_of_solid(&body->materials[e], &material, error);
        if (status != PL_OK) return status;
        if (!collect(&b->tets, mesh->tets + 4 * (size_t)e, 4, body->first_vertex, &material))
            return pl_fail_memory(error, "tets");
    }
    return PL_OK;
}

// ---- cloth: what cloth_walk.h meets is collected

typedef struct cloth_collector {
    builder* builder;
    int first_vertex;
} cloth_collector;

static bool add_spring(void* user, const int corners[2], double stiffness) {
    cloth_collector* c = user;
    return collect(&c->builder->springs, corners, 2, c->first_vertex, &stiffness);
}

static bool add_membrane(void* user, const int corners[3], const pl_membrane* membrane) {
    cloth_collector* c = user;
    return collect(&c->builder->membranes, corners, 3, c->first_vertex, membrane);
}

static bool add_patch(void* user, const int corners[6], const double form[6]) {
    cloth_collector* c = user;
    return collect(&c->builder->patches, corners, 6, c->first_vertex, form);
}

static bool add_hinge(void* user, const int corners[4], double stiffness) {
    cloth_collector* c = user;
    return collect(&c->builder->hinges, corners, 4, c->first_vertex, &stiffness);
}

static pl_status add_cloth(builder* b, const pl_method_body* body, pl_error* error) {
    cloth_collector collector = {b, body->first_vertex};
    pl_cloth_visitor visitor = {&collector, add_spring, add_membrane, add_patch, add_hinge};
    return pl_cloth_walk(body, &visitor, error);
}

static double element_size(const pl_method_body* body, int e) {
    const double* x = body->mesh->positions;
    const int* v =
        (body->is_cloth ? body->mesh->triangles + 3 * (size_t)e : body->mesh->tets + 4 * (size_t)e);
    pl_vec3 a = pl_vec3_load(x + 3 * (size_t)v[0]), b = pl_vec3_load(x + 3 * (size_t)v[1]);
    pl_vec3 c = pl_vec3_load(x + 3 * (size_t)v[2]);
    if (body->is_cloth) return 0.5 * pl_norm(pl_cross(pl_sub(b, a), pl_sub(c, a)));
    return pl_det4(a, b, c, pl_vec3_load(x + 3 * (size_t)v[3])) / 6.0;
}

// an element's corners among all vertices; returns how many they are
static int element_corners(const pl_method_body* body, int e, int corners[4]) {
    int n = body->is_cloth ? 3 : 4;
    const int* elements = body->is_cloth ? body->mesh->triangles : body->mesh->tets;
    for (int i = 0; i < n; i++)
        corners[i] = elements[(size_t)e * (size_t)n + (size_t)i] + body->first_vertex;
    return n;
}

// per vertex, and between vertices if M is not NULL
static void add_masses(double* lumped, pl_block_matrix* M, const pl_method_body* body) {
    int count = body->is_cloth ? body->mesh->triangle_count : body->mesh->tet_count, corners[4];
    for (int e = 0; e < count; e++) {
        double mass = body->materials[e].density * element_size(body, e);
        int n = element_corners(body, e, corners);
        if (M) pl_mass_matrix_add(M, corners, n, mass);
        for (int i = 0; lumped && i < n; i++) lumped[corners[i]] += mass / n;
    }
}

void pl_fem_fill_mass_matrix(const pl_method_body* bodies, int body_count, const double* lumped,
                             pl_block_matrix* M) {
    pl_block_matrix_zero(M);
    for (int k = 0; k < body_count; k++)
        if (bodies[k].body->mass == PL_MASS_CONSISTENT) add_masses(NULL, M, &bodies[k]);
    for (int v = 0; v < M->row_count; v++)
        if (!(M->values[M->diagonal[v]] > 0.0)) M->values[M->diagonal[v]] = lumped[v];
}

static pl_status make_mass_matrix(pl_fem_parts* p, const pl_method_body* bodies, int body_count,
                                  pl_error* error) {
    bool any = false;
    for (int k = 0; k < body_count; k++) any = any || bodies[k].body->mass == PL_MASS_CONSISTENT;
    if (!any) return PL_OK;
    pl_block_matrix* M = &p->mass_matrix;
    pl_status status =
        pl_block_matrix_setup(M, p->vertex_count, 1, p->neighbour_offsets, p->neighbours, error);
    if (status == PL_OK) pl_fem_fill_mass_matrix(bodies, body_count, p->mass, M);
    return status;
}

// a vertex that no element moves would have no mass: it gets the mean, so that it falls like the
// rest
static void give_mass_to_the_massless(double* mass, int vertex_count) {
    double sum = 0.0;
    int count = 0;
    for (int v = 0; v < vertex_count; v++)
        if (mass[v] > 0.0) sum += mass[v], count++;
    for (int v = 0; v < vertex_count; v++)
        if (!(mass[v] > 0.0)) mass[v] = count ? sum / count : 1.0;
}

void pl_fem_lump_masses(const pl_method_body* bodies, int body_count, int vertex_count,
                        double* mass) {
    memset(mass, 0, (size_t)vertex_count * sizeof(double));
    for (int k = 0; k < body_count; k++) add_masses(mass, NULL, &bodies[k]);
    give_mass_to_the_massless(mass, vertex_count);
}

static pl_status make_sets(builder* b, pl_error* error) {
    pl_fem_parts* p = b->parts;
    pl_status status = PL_OK;
    if (b->tets.values.count) {
        status = pl_tet_elements_setup(&p->sets[p->set_count], p->positions, p->vertex_count,
                                       b->tets.corners.data, (int)b->tets.values.count,
                                       b->tets.values.data, error);
        if (status == PL_OK) p->set_count++;
    }
    if (status == PL_OK && b->springs.values.count) {
        status = pl_spring_elements_setup(&p->sets[p->set_count], p->positions, p->vertex_count,
                                          b->springs.corners.data, (int)b->springs.values.count,
                                          b->springs.values.data, error);
        if (status == PL_OK) p->set_count++;
    }
    if (status == PL_OK && b->membranes.values.count) {
        status = pl_membrane_elements_setup(
            &p->sets[p->set_count], p->positions, p->vertex_count, b->membranes.corners.data,
            (int)b->membranes.values.count, b->membranes.values.data, error);
        if (status == PL_OK) p->set_count++;
    }
    if (status == PL_OK && b->patches.values.count) {
        status = pl_patch_elements_setup(&p->sets[p->set_count], p->positions, p->vertex_count,
                                         b->patches.corners.data, (int)b->patches.values.count,
                                         b->patches.values.data, error);
        if (status == PL_OK) p->set_count++;
    }
    if (status == PL_OK && b->hinges.values.count) {
        status = pl_hinge_elements_setup(&p->sets[p->set_count], p->positions, p->vertex_count,
                                         b->hinges.corners.data, (int)b->hinges.values.count,
                                         b->hinges.values.data, error);
        if (status == PL_OK) p->set_count++;
    }
    return status;
}

static int compare_ints(const void* a, const void* b) {
    int x = *(const int*)a, y = *(const int*)b;
    return (x > y) - (x < y);
}

// counts (fill NULL) or lists, with repetitions, the pairs of vertices that share an element
static void visit_pairs(const pl_fem_parts* p, int* counts, int* fill) {
    for (int s = 0; s < p->set_count; s++) {
        const pl_element_set* set = &p->sets[s];
        int n = set->kind->corner_count;
        for (int e = 0; e < set->count; e++) {
            const int* v = set->corners + (size_t)e * (size_t)n;
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) {
                    if (v[i] == v[j]) continue; // a patch at the rim names a vertex twice
                    if (fill) fill[counts[v[i]]] = v[j];
                    counts[v[i]]++;
                }
        }
    }
}

// sorts each list and drops repetitions, in place; returns the total
static int make_lists_unique(int vertex_count, int* offsets, int* lists) {
    int kept = 0, begin = 0;
    for (int v = 0; v < vertex_count; v++) {
        int end = offsets[v + 1], first = kept;
        if (end > begin) qsort(lists + begin, (size_t)(end - begin), sizeof(int), compare_ints);
        for (int k = begin; k < end; k++)
            if (kept == first || lists[kept - 1] != lists[k]) lists[kept++] = lists[k];
        begin = end;
        offsets[v] = first;
    }
    offsets[vertex_count] = kept;
    return kept;
}

static pl_status find_neighbours(pl_fem_parts* p, pl_error* error) {
    p->neighbour_offsets = PL_ALLOC(int, p->vertex_count + 1);
    int* cursors = PL_ALLOC(int, p->vertex_count + 1);
    bool ok = p->neighbour_offsets && cursors;
    int* lists = NULL;
    int total = 0;
    if (ok) {
        visit_pairs(p, cursors, NULL);
        for (int v = 0; v < p->vertex_count; v++) {
            int count = cursors[v];
            cursors[v] = p->neighbour_offsets[v] = total;
            total += count;
        }
        p->neighbour_offsets[p->vertex_count] = total;
        lists = PL_ALLOC(int, total);
        ok = lists || total == 0;
    }
    int kept = 0;
    if (ok) {
        visit_pairs(p, cursors, lists);
        kept = make_lists_unique(p->vertex_count, p->neighbour_offsets, lists);
        p->neighbours = PL_ALLOC(int, kept);
        ok = p->neighbours || kept == 0;
    }
    if (ok && kept) memcpy(p->neighbours, lists, (size_t)kept * sizeof(int));
    PL_FREE(lists, int, total);
    PL_FREE(cursors, int, p->vertex_count + 1);
    return ok ? PL_OK : pl_fail_memory(error, "the pattern of a system");
}

static pl_status assemble(builder* b, const pl_method_body* bodies, int body_count,
                          pl_error* error) {
    pl_fem_parts* p = b->parts;
    p->positions = PL_ALLOC(double, 3 * (size_t)p->vertex_count);
    p->mass = PL_ALLOC(double, p->vertex_count);
    if (!p->positions || !p->mass) return pl_fail_memory(error, "a fem system");
    pl_status status = PL_OK;
    for (int k = 0; status == PL_OK && k < body_count; k++) {
        const pl_mesh* mesh = bodies[k].mesh;
        memcpy(p->positions + 3 * (size_t)bodies[k].first_vertex, mesh->positions,
               3 * (size_t)mesh->vertex_count * sizeof(double));
        status =
            bodies[k].is_cloth ? add_cloth(b, &bodies[k], error) : add_solid(b, &bodies[k], error);
    }
    if (status != PL_OK) return status;
    pl_fem_lump_masses(bodies, body_count, p->vertex_count, p->mass);
    status = make_sets(b, error);
    if (status == PL_OK) status = find_neighbours(p, error);
    return status == PL_OK ? make_mass_matrix(p, bodies, body_count, error) : status;
}

pl_status pl_fem_parts_create(const pl_method_body* bodies, int body_count, int vertex_count,
                              pl_fem_parts* out, pl_error* error) {
    *out = (pl_fem_parts){.vertex_count = vertex_count};
    builder b = {.parts = out};
    b.tets = (collected){pl_array_of(sizeof(int)), pl_array_of(sizeof(pl_material))};
    b.springs = (collected){pl_array_of(sizeof(int)), pl_array_of(sizeof(double))};
    b.membranes = (collected){pl_array_of(sizeof(int)), pl_array_of(sizeof(pl_membrane))};
    b.patches = (collected){pl_array_of(sizeof(int)), pl_array_of(6 * sizeof(double))};
    b.hinges = (collected){pl_array_of(sizeof(int)), pl_array_of(sizeof(double))};
    pl_status status = assemble(&b, bodies, body_count, error);
    collected_free(&b.tets);
    collected_free(&b.springs);
    collected_free(&b.membranes);
    collected_free(&b.patches);
    collected_free(&b.hinges);
    if (status != PL_OK) pl_fem_parts_free(out);
    return status;
}

void pl_fem_parts_free(pl_fem_parts* p) {
    PL_FREE(p->positions, double, 3 * (size_t)p->vertex_count);
    PL_FREE(p->mass, double, p->vertex_count);
    pl_block_matrix_free(&p->mass_matrix);
    for (int k = 0; k < p->set_count; k++) pl_element_set_free(&p->sets[k]);
    if (p->neighbours) PL_FREE(p->neighbours, int, p->neighbour_offsets[p->vertex_count]);
    PL_FREE(p->neighbour_offsets, int, p->vertex_count + 1);
    *p = (pl_fem_parts){0};
}
