// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "mesh_order.h"
#include "base/array.h"
#include "base/memory.h"

#include <stdlib.h>

void bench_mesh_order_free(bench_mesh_order* order) {
    pl_ordering_free(&order->vertices);
    pl_ordering_free(&order->tets);
    pl_ordering_free(&order->triangles);
}

static const pl_ordering* ordering_of(const bench_mesh_order* order, pl_element_kind kind) {
    return kind == PL_ELEMENT_VERTEX     ? &order->vertices
           : kind == PL_ELEMENT_TRIANGLE ? &order->triangles
                                         : &order->tets;
}

static pl_status order_mesh(const pl_mesh* mesh, bench_mesh_order* order, pl_error* error) {
    bool solid = mesh->tet_count > 0;
    pl_edges edges = {0};
    pl_adjacency graph = {0};
    pl_status status = pl_edges_create(solid ? mesh->tets : mesh->triangles,
                                       solid ? mesh->tet_count : mesh->triangle_count,
                                       solid ? 4 : 3, mesh->vertex_count, &edges, error);
    if (status == PL_OK) status = pl_vertex_neighbours(&edges, mesh->vertex_count, &graph, error);
    if (status == PL_OK) status = pl_order_rcm(&graph, &order->vertices, error);
    pl_adjacency_free(&graph);
    pl_edges_free(&edges);
    if (status == PL_OK)
        status = pl_order_elements(mesh->tets, mesh->tet_count, 4, &order->vertices, &order->tets,
                                   error);
    if (status == PL_OK)
        status = pl_order_elements(mesh->triangles, mesh->triangle_count, 3, &order->vertices,
                                   &order->triangles, error);
    return status;
}

static void renumber(const pl_ordering* vertices, const pl_ordering* elements, int corners,
                     const int* from, int* to) {
    pl_ordering_in(elements, from, (size_t)corners * sizeof(int), to);
    for (size_t i = 0; i < (size_t)corners * (size_t)elements->count; i++)
        to[i] = vertices->new_of_old[to[i]];
}

// copy: a copy of mesh, whose contents are permuted here
static void reorder_copy(const pl_mesh* mesh, const bench_mesh_order* order, pl_mesh* copy) {
    pl_ordering_in(&order->vertices, mesh->positions, 3 * sizeof(double), copy->positions);
    renumber(&order->vertices, &order->tets, 4, mesh->tets, copy->tets);
    renumber(&order->vertices, &order->triangles, 3, mesh->triangles, copy->triangles);
    if (copy->triangle_uvs)
        pl_ordering_in(&order->triangles, mesh->triangle_uvs, 3 * sizeof(int), copy->triangle_uvs);
    if (copy->triangle_normals)
        pl_ordering_in(&order->triangles, mesh->triangle_normals, 3 * sizeof(int),
                       copy->triangle_normals);
    // the triangles of a face are no longer consecutive
    PL_FREE(copy->triangle_faces, int, copy->triangle_count);
    copy->triangle_faces = NULL;
    for (int r = 0; r < copy->region_count; r++) {
        pl_region* region = &copy->regions[r];
        const pl_ordering* o = ordering_of(order, region->kind);
        for (int i = 0; i < region->count; i++) region->items[i] = o->new_of_old[region->items[i]];
        if (region->count)
            qsort(region->items, (size_t)region->count, sizeof(int), pl_compare_ints);
    }
    for (int f = 0; f < copy->field_count; f++)
        pl_ordering_in(ordering_of(order, copy->fields[f].kind), mesh->fields[f].values,
                       (size_t)copy->fields[f].components * sizeof(double), copy->fields[f].values);
}

pl_status bench_mesh_reorder(const pl_mesh* mesh, pl_mesh** out, bench_mesh_order* order,
                             pl_error* error) {
    *out = NULL;
    *order = (bench_mesh_order){0};
    pl_status status = order_mesh(mesh, order, error);
    if (status == PL_OK) status = pl_mesh_copy(mesh, out, error);
    if (status == PL_OK) reorder_copy(mesh, order, *out);
    else bench_mesh_order_free(order);
    return status;
}
