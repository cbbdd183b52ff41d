// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "bench_systems.h"
#include "base/memory.h"
#include "base/random.h"
#include "elements/tet_elements.h"
#include "mesh_order.h"

#include <pliant/generate.h>

static const double gravity = 9.81; // [m/s^2]

bench_solid bench_default_solid(void) {
    return (bench_solid){.young = 1e5, .poisson = 0.3, .density = 1000.0, .time_step = 1.0 / 30};
}

pl_status bench_reorder(pl_mesh* mesh, pl_mesh** out, pl_error* error) {
    bench_mesh_order order;
    pl_status status = bench_mesh_reorder(mesh, out, &order, error);
    pl_mesh_destroy(mesh);
    if (status == PL_OK) bench_mesh_order_free(&order);
    return status;
}

pl_status bench_bar_mesh(bench_bar bar, pl_mesh** out, pl_error* error) {
    static const struct { int along, across; } cells[] = {{36, 9}, {92, 23}, {140, 37}};
    *out = NULL;
    pl_generate_options options;
    pl_status status = pl_generate_defaults("bar", &options, error);
    if (status != PL_OK) return status;
    options.count_x = cells[bar].along;
    options.count_y = options.count_z = cells[bar].across;
    options.size_x = 1.0;
    options.size_y = options.size_z = (double)cells[bar].across / cells[bar].along; // cubic cells
    options.pattern = PL_PATTERN_KUHN;
    options.jitter = 0.15;
    pl_mesh* mesh;
    status = pl_generate("bar", &options, &mesh, error);
    return status == PL_OK ? bench_reorder(mesh, out, error) : status;
}

static pl_status make_elements(const pl_mesh* mesh, const pl_material* material,
                               const double* contrast, pl_element_set* out, pl_error* error) {
    pl_material* materials = PL_ALLOC(pl_material, mesh->tet_count);
    if (!materials) return pl_fail_memory(error, "materials");
    for (int e = 0; e < mesh->tet_count; e++) {
        materials[e] = *material;
        materials[e].mu *= contrast ? contrast[e] : 1.0;
        materials[e].lambda *= contrast ? contrast[e] : 1.0;
    }
    pl_status status = pl_tet_elements_setup(out, mesh->positions, mesh->vertex_count, mesh->tets,
                                             mesh->tet_count, materials, error);
    PL_FREE(materials, pl_material, mesh->tet_count);
    return status;
}

pl_status bench_matrix(const pl_mesh* mesh, int block, pl_block_matrix* out, pl_error* error) {
    pl_edges edges;
    pl_adjacency neighbours;
    pl_status status =
        pl_edges_create(mesh->tets, mesh->tet_count, 4, mesh->vertex_count, &edges, error);
    if (status != PL_OK) return status;
    status = pl_vertex_neighbours(&edges, mesh->vertex_count, &neighbours, error);
    pl_edges_free(&edges);
    if (status != PL_OK) return status;
    status = pl_block_matrix_setup(out, mesh->vertex_count, block, neighbours.offsets,
                                   neighbours.items, error);
    pl_adjacency_free(&neighbours);
    return status;
}

// a quarter of the mass of a tet to each of its corners [kg]
static void lump_masses(const pl_mesh* mesh, const pl_element_set* elements, double density,
                        double* mass) {
    for (int e = 0; e < mesh->tet_count; e++)
        for (int i = 0; i < 4; i++)
            mass[mesh->tets[4 * (size_t)e + (size_t)i]] +=
                0.25 * density * pl_tet_element_volume(elements, e);
}

// A += scale M
static void add_masses(pl_block_matrix* A, const double* mass, double scale) {
    size_t block = (size_t)A->block;
    for (int v = 0; v < A->row_count; v++) {
        double* diagonal = A->values + block * block * (size_t)A->diagonal[v];
        for (size_t i = 0; i < block; i++) diagonal[i * (block + 1)] += scale * mass[v];
    }
}

// three numbers per vertex; y is up
static void load_vertices(const double* mass, int count, double* rhs) {
    pl_random random = {7};
    for (int v = 0; v < count; v++)
        for (int i = 0; i < 3; i++)
            rhs[3 * (size_t)v + (size_t)i] =
                gravity * mass[v] *
                (0.2 * pl_random_uniform(&random, -1.0, 1.0) - (i == 1 ? 1.0 : 0.0));
}

static bool allocate_vectors(bench_system* s) {
    s->rhs = PL_ALLOC(double, 3 * (size_t)s->A.row_count);
    s->positions = PL_ALLOC(double, 3 * (size_t)s->A.row_count);
    return s->rhs && s->positions;
}

// The whole system of the mesh: block 1 for Projective Dynamics, 3 for elasticity.
static pl_status assemble(const pl_mesh* mesh, const bench_solid* material, const pl_material* law,
                          int block, bench_system* out, pl_error* error) {
    pl_element_set elements = {0};
    double* mass = NULL;
    *out = (bench_system){.rhs_count = block == 1 ? 3 : 1};
    pl_status status = make_elements(mesh, law, material->contrast, &elements, error);
    if (status == PL_OK) status = bench_matrix(mesh, block, &out->A, error);
    if (status == PL_OK) status = pl_element_set_locate(&elements, &out->A, error);
    if (status == PL_OK) {
        mass = PL_ALLOC(double, mesh->vertex_count);
        if (!mass || !allocate_vectors(out)) status = pl_fail_memory(error, "a system");
    }
    if (status == PL_OK) {
        if (block == 1) pl_element_set_projective(&elements, NULL, &out->A);
        else pl_element_set_hessian(&elements, NULL, mesh->positions, false, 1.0, &out->A);
        lump_masses(mesh, &elements, material->density, mass);
        add_masses(&out->A, mass, 1.0 / (material->time_step * material->time_step));
        load_vertices(mass, mesh->vertex_count, out->rhs);
        for (int i = 0; i < 3 * mesh->vertex_count; i++) out->positions[i] = mesh->positions[i];
    }
    PL_FREE(mass, double, mesh->vertex_count);
    pl_element_set_free(&elements);
    if (status != PL_OK) bench_system_free(out);
    return status;
}

// new_of_old is -1 for rows that are left out; neighbours: CSR without the diagonal
static void keep_neighbours(const pl_block_matrix* A, const int* new_of_old, int* offsets,
                            int* neighbours) {
    int row = 0, count = 0;
    for (int v = 0; v < A->row_count; v++) {
        if (new_of_old[v] < 0) continue;
        for (int e = A->offsets[v]; e < A->offsets[v + 1]; e++) {
            int to = new_of_old[A->columns[e]];
            if (to >= 0 && to != row) neighbours[count++] = to;
        }
        offsets[++row] = count;
    }
}

static void copy_kept(const bench_system* all, const int* new_of_old, bench_system* out) {
    const pl_block_matrix* A = &all->A;
    size_t block_size = (size_t)A->block * (size_t)A->block;
    for (int v = 0; v < A->row_count; v++) {
        int row = new_of_old[v];
        if (row < 0) continue;
        double* to = out->A.values + block_size * (size_t)out->A.offsets[row];
        for (int e = A->offsets[v]; e < A->offsets[v + 1]; e++) {
            if (new_of_old[A->columns[e]] < 0) continue;
            const double* from = A->values + block_size * (size_t)e;
            for (size_t i = 0; i < block_size; i++) *to++ = from[i];
        }
        for (size_t i = 0; i < 3; i++) {
            out->rhs[3 * (size_t)row + i] = all->rhs[3 * (size_t)v + i];
            out->positions[3 * (size_t)row + i] = all->positions[3 * (size_t)v + i];
        }
    }
}

static pl_status keep_rows(const bench_system* all, const int* new_of_old, int kept,
                           bench_system* out, pl_error* error) {
    int entry_count = pl_block_matrix_entry_count(&all->A);
    int* offsets = PL_ALLOC(int, kept + 1);
    int* neighbours = PL_ALLOC(int, entry_count);
    *out = (bench_system){.rhs_count = all->rhs_count};
    pl_status status = PL_OK;
    if (!offsets || !neighbours) status = pl_fail_memory(error, "a system");
    if (status == PL_OK) {
        keep_neighbours(&all->A, new_of_old, offsets, neighbours);
        status = pl_block_matrix_setup(&out->A, kept, all->A.block, offsets, neighbours, error);
    }
    if (status == PL_OK && !allocate_vectors(out)) status = pl_fail_memory(error, "a system");
    if (status == PL_OK) copy_kept(all, new_of_old, out);
    else bench_system_free(out);
    PL_FREE(offsets, int, kept + 1);
    PL_FREE(neighbours, int, entry_count);
    return status;
}

// takes `all` over
static pl_status leave_out(bench_system* all, const pl_region* clamped, bench_system* out,
                           pl_error* error) {
    int count = all->A.row_count, kept = 0;
    int* new_of_old = PL_ALLOC(int, count);
    pl_status status = new_of_old ? PL_OK : pl_fail_memory(error, "a system");
    if (status == PL_OK) {
        for (int i = 0; i < clamped->count; i++) new_of_old[clamped->items[i]] = -1;
        for (int v = 0; v < count; v++)
            if (new_of_old[v] == 0) new_of_old[v] = kept++;
        status = keep_rows(all, new_of_old, kept, out, error);
    }
    PL_FREE(new_of_old, int, count);
    bench_system_free(all);
    return status;
}

pl_status bench_elasticity(const pl_mesh* mesh, const bench_solid* material, const char* clamped,
                           bench_system* out, pl_error* error) {
    pl_material law;
    *out = (bench_system){0};
    const pl_region* region = NULL;
    if (clamped && !(region = pl_mesh_region(mesh, PL_ELEMENT_VERTEX, clamped)))
        return pl_fail(error, PL_ERROR_ARGUMENT, "the mesh has no vertices named %s", clamped);
    pl_status status =
        pl_material_from_young(PL_MATERIAL_LINEAR, material->young, material->poisson, &law, error);
    if (status != PL_OK) return status;
    bench_system all;
    status = assemble(mesh, material, &law, 3, &all, error);
    if (status != PL_OK) return status;
    if (region) return leave_out(&all, region, out, error);
    *out = all;
    return PL_OK;
}

pl_status bench_projective(const pl_mesh* mesh, const bench_solid* material, bench_system* out,
                           pl_error* error) {
    pl_material law;
    *out = (bench_system){0};
    pl_status status =
        pl_material_from_young(PL_MATERIAL_ARAP, material->young, material->poisson, &law, error);
    if (status != PL_OK) return status;
    law.lambda = 0.0; // the weight is 2 mu V alone
    return assemble(mesh, material, &law, 1, out, error);
}

void bench_system_free(bench_system* system) {
    PL_FREE(system->rhs, double, 3 * (size_t)system->A.row_count);
    PL_FREE(system->positions, double, 3 * (size_t)system->A.row_count);
    pl_block_matrix_free(&system->A);
    *system = (bench_system){0};
}

system_rows bench_system_rows(const bench_system* system) {
    const pl_block_matrix* A = &system->A;
    return (system_rows){.header = {.block = A->block,
                                    .row_count = A->row_count,
                                    .rhs_count = system->rhs_count,
                                    .entry_count = pl_block_matrix_entry_count(A)},
                         .count = A->row_count,
                         .offsets = A->offsets,
                         .columns = A->columns,
                         .values = A->values,
                         .rhs = system->rhs,
                         .positions = system->positions};
}
