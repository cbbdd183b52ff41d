// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Tets, masses and neighbours of bodies. Masses are lumped (each element distributes its mass
// equally to its corners) or, if a body asks for it, consistent.
#include "elements/body_parts.h"
#include "base/memory.h"
#include "elements/tet_elements.h"
#include "step/mass_matrix.h"
#include "step/step_pattern.h"

#include <string.h>

typedef struct builder {
    pl_body_parts* parts;
    pl_pool* pool;
    int tet_count; // of all bodies
    int* tets;     // their corners, until the set takes ownership
    pl_material* materials;
    pl_adjacency around[PL_MAX_ELEMENT_SETS]; // elements of each set around the vertices
} builder;

pl_status pl_law_of_solid(const pl_element_material* from, pl_material* out, pl_error* error) {
    pl_material_kind kind;
    if (!pl_material_of_law(from->law, &kind))
        return pl_fail(error, PL_ERROR_UNSUPPORTED, "law \"%s\" is not one of solids",
                       pl_law_name((int)from->law));
    *out = (pl_material){.kind = kind, .mu = from->mu, .lambda = from->lambda};
    if (from->law == PL_LAW_MOONEY_RIVLIN) out->rivlin = pl_material_rivlin(from->mu, from->mu2);
    return PL_OK;
}

enum { ELEMENT_BLOCK = 4096, VERTEX_BLOCK = 4096 };

typedef struct solid_job {
    const pl_method_body* body;
    int* corners;
    pl_material* materials;
} solid_job;

// number of tets whose law is not a law of solids
static double fill_solid(int begin, int end, void* user) {
    const solid_job* job = user;
    const pl_method_body* body = job->body;
    int bad = 0;
    for (int e = begin; e < end; e++) {
        bad += pl_law_of_solid(&body->materials[e], &job->materials[e], NULL) != PL_OK;
        for (int k = 4 * e; k < 4 * e + 4; k++)
            job->corners[k] = body->mesh->tets[k] + body->first_vertex;
    }
    return bad;
}

// the tets of a body, after those of earlier bodies
static pl_status add_solid(builder* b, const pl_method_body* body, int first, pl_error* error) {
    int count = body->mesh->tet_count;
    solid_job job = {body, b->tets + 4 * (size_t)first, b->materials + first};
    if (pl_parallel_sum(b->pool, fill_solid, count, ELEMENT_BLOCK, &job) == 0.0) return PL_OK;
    pl_status status = PL_OK;
    for (int e = 0; status == PL_OK && e < count; e++)
        status = pl_law_of_solid(&body->materials[e], &job.materials[e], error);
    return status;
}

static pl_status add_solids(builder* b, const pl_method_body* bodies, int body_count,
                            pl_error* error) {
    for (int k = 0; k < body_count; k++)
        if (!bodies[k].is_cloth) b->tet_count += bodies[k].mesh->tet_count;
    if (b->tet_count == 0) return PL_OK;
    b->tets = PL_ALLOC(int, 4 * (size_t)b->tet_count);
    b->materials = PL_ALLOC(pl_material, b->tet_count);
    pl_status status = b->tets && b->materials ? PL_OK : pl_fail_memory(error, "tets");
    for (int k = 0, first = 0; status == PL_OK && k < body_count; k++) {
        if (bodies[k].is_cloth) continue;
        status = add_solid(b, &bodies[k], first, error);
        first += bodies[k].mesh->tet_count;
    }
    return status;
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

// an element's corners among all vertices; returns their number
static int element_corners(const pl_method_body* body, int e, int corners[4]) {
    int n = body->is_cloth ? 3 : 4;
    const int* elements = body->is_cloth ? body->mesh->triangles : body->mesh->tets;
    for (int i = 0; i < n; i++)
        corners[i] = elements[(size_t)e * (size_t)n + (size_t)i] + body->first_vertex;
    return n;
}

// adds masses per vertex, and also between vertices if M is not NULL
static void add_masses(double* lumped, pl_block_matrix* M, const pl_method_body* body) {
    int count = body->is_cloth ? body->mesh->triangle_count : body->mesh->tet_count, corners[4];
    for (int e = 0; e < count; e++) {
        double mass = body->materials[e].density * element_size(body, e);
        int n = element_corners(body, e, corners);
        if (M) pl_mass_matrix_add(M, corners, n, mass);
        for (int i = 0; lumped && i < n; i++) lumped[corners[i]] += mass / n;
    }
}

static void fill_mass_matrix(const pl_method_body* bodies, int body_count, const double* lumped,
                             pl_block_matrix* M) {
    pl_block_matrix_zero(M);
    for (int k = 0; k < body_count; k++)
        if (bodies[k].body->mass == PL_MASS_CONSISTENT) add_masses(NULL, M, &bodies[k]);
    for (int v = 0; v < M->row_count; v++)
        if (!(M->values[M->diagonal[v]] > 0.0)) M->values[M->diagonal[v]] = lumped[v];
}

static pl_status make_mass_matrix(pl_body_parts* p, const pl_method_body* bodies, int body_count,
                                  pl_error* error) {
    bool any = false;
    for (int k = 0; k < body_count; k++) any = any || bodies[k].body->mass == PL_MASS_CONSISTENT;
    if (!any) return PL_OK;
    pl_block_matrix* M = &p->mass_matrix;
    pl_status status =
        pl_block_matrix_setup(M, p->vertex_count, 1, p->neighbour_offsets, p->neighbours, error);
    if (status == PL_OK) fill_mass_matrix(bodies, body_count, p->mass, M);
    return status;
}

// a vertex without elements would have no mass; it gets the mean mass, so that it falls like the
// rest
static void give_mass_to_the_massless(double* mass, int vertex_count) {
    double sum = 0.0;
    int count = 0;
    for (int v = 0; v < vertex_count; v++)
        if (mass[v] > 0.0) sum += mass[v], count++;
    for (int v = 0; v < vertex_count; v++)
        if (!(mass[v] > 0.0)) mass[v] = count ? sum / count : 1.0;
}

static void lump_masses(const pl_method_body* bodies, int body_count, int vertex_count,
                        double* mass) {
    memset(mass, 0, (size_t)vertex_count * sizeof(double));
    for (int k = 0; k < body_count; k++) add_masses(mass, NULL, &bodies[k]);
    give_mass_to_the_massless(mass, vertex_count);
}

static pl_status make_tets(builder* b, pl_error* error) {
    pl_body_parts* p = b->parts;
    if (b->tet_count == 0) return PL_OK;
    pl_status status = pl_tet_elements_take(&p->sets[0], p->positions, p->vertex_count, b->tets,
                                            b->tet_count, b->materials, b->pool, error);
    b->tets = NULL;
    b->materials = NULL;
    if (status == PL_OK) p->set_count = 1;
    return status;
}

static pl_status find_neighbours(builder* b, pl_error* error) {
    pl_body_parts* p = b->parts;
    pl_status status = PL_OK;
    for (int k = 0; status == PL_OK && k < p->set_count; k++)
        status =
            pl_step_elements_around(&p->sets[k], p->vertex_count, b->pool, &b->around[k], error);
    pl_adjacency pattern = {0};
    if (status == PL_OK)
        status = pl_step_neighbours(p->sets, b->around, p->set_count, p->vertex_count, b->pool,
                                    &pattern, error);
    p->neighbour_offsets = pattern.offsets;
    p->neighbours = pattern.items;
    return status;
}

// ---- masses

typedef struct mass_job {
    const pl_method_body* bodies;
    int body_count;
    const pl_adjacency* around; // tets around vertices
    double* of_tet;             // a quarter of its mass
    double* mass;
} mass_job;

static void tet_mass_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const mass_job* job = user;
    int first = 0;
    for (int k = 0; k < job->body_count; k++) {
        const pl_method_body* body = &job->bodies[k];
        if (body->is_cloth) continue;
        int count = body->mesh->tet_count;
        for (int e = begin > first ? begin : first; e < end && e < first + count; e++)
            job->of_tet[e] = body->materials[e - first].density * element_size(body, e - first) / 4;
        first += count;
    }
}

// adds in the order of the tets, so that the sum has the same bits as a serial loop
static void vertex_mass_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const mass_job* job = user;
    for (int v = begin; v < end; v++)
        for (int k = job->around->offsets[v]; k < job->around->offsets[v + 1]; k++)
            job->mass[v] += job->of_tet[job->around->items[k]];
}

// Lumped masses on several threads, from the lists of tets around vertices. Tets are the first set.
static pl_status lump_masses_by_lists(builder* b, const pl_method_body* bodies, int body_count,
                                      pl_error* error) {
    pl_body_parts* p = b->parts;
    mass_job job = {bodies, body_count, &b->around[0], NULL, p->mass};
    if (b->tet_count) {
        job.of_tet = PL_ALLOC(double, b->tet_count);
        if (!job.of_tet) return pl_fail_memory(error, "masses");
        pl_parallel_for(b->pool, tet_mass_task, b->tet_count, ELEMENT_BLOCK, &job);
        pl_parallel_for(b->pool, vertex_mass_task, p->vertex_count, VERTEX_BLOCK, &job);
        PL_FREE(job.of_tet, double, b->tet_count);
    }
    for (int k = 0; k < body_count; k++)
        if (bodies[k].is_cloth) add_masses(p->mass, NULL, &bodies[k]);
    give_mass_to_the_massless(p->mass, p->vertex_count);
    return PL_OK;
}

static pl_status assemble(builder* b, const pl_method_body* bodies, int body_count,
                          pl_make_cloth make_cloth, pl_error* error) {
    pl_body_parts* p = b->parts;
    p->positions = PL_ALLOC(double, 3 * (size_t)p->vertex_count);
    p->mass = PL_ALLOC(double, p->vertex_count);
    if (!p->positions || !p->mass) return pl_fail_memory(error, "a fem system");
    for (int k = 0; k < body_count; k++) {
        const pl_mesh* mesh = bodies[k].mesh;
        memcpy(p->positions + 3 * (size_t)bodies[k].first_vertex, mesh->positions,
               3 * (size_t)mesh->vertex_count * sizeof(double));
    }
    pl_status status = add_solids(b, bodies, body_count, error);
    if (status == PL_OK) status = make_tets(b, error);
    if (status == PL_OK && make_cloth) status = make_cloth(bodies, body_count, p, error);
    if (status == PL_OK) status = find_neighbours(b, error);
    if (status == PL_OK) status = lump_masses_by_lists(b, bodies, body_count, error);
    return status == PL_OK ? make_mass_matrix(p, bodies, body_count, error) : status;
}

pl_status pl_body_parts_create(const pl_method_body* bodies, int body_count, int vertex_count,
                               pl_make_cloth make_cloth, pl_pool* pool, pl_body_parts* out,
                               pl_error* error) {
    *out = (pl_body_parts){.vertex_count = vertex_count};
    builder b = {.parts = out, .pool = pool};
    pl_status status = assemble(&b, bodies, body_count, make_cloth, error);
    PL_FREE(b.tets, int, 4 * (size_t)b.tet_count);
    PL_FREE(b.materials, pl_material, b.tet_count);
    for (int k = 0; k < PL_MAX_ELEMENT_SETS; k++) pl_adjacency_free(&b.around[k]);
    if (status != PL_OK) pl_body_parts_free(out);
    return status;
}

void pl_body_parts_free(pl_body_parts* p) {
    PL_FREE(p->positions, double, 3 * (size_t)p->vertex_count);
    PL_FREE(p->mass, double, p->vertex_count);
    pl_block_matrix_free(&p->mass_matrix);
    for (int k = 0; k < p->set_count; k++) pl_element_set_free(&p->sets[k]);
    if (p->neighbours) PL_FREE(p->neighbours, int, p->neighbour_offsets[p->vertex_count]);
    PL_FREE(p->neighbour_offsets, int, p->vertex_count + 1);
    *p = (pl_body_parts){0};
}

void pl_update_masses(pl_step_model* model, const pl_method_body* bodies, int body_count) {
    lump_masses(bodies, body_count, model->vertex_count, model->mass);
    if (model->mass_matrix) fill_mass_matrix(bodies, body_count, model->mass, model->mass_matrix);
    model->settings->damping_mass = bodies[0].body->damping.mass;
    model->settings->damping_stiffness = bodies[0].body->damping.stiffness;
}
