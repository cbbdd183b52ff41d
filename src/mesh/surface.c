// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Makes the surface a separate mesh: faces first, then the vertices they use, then everything
// attached to either.
#include "mesh/surface.h"
#include "base/memory.h"
#include "math/vec3.h"
#include "mesh/mesh_object.h"

#include <limits.h>
#include <string.h>

void pl_boundary_free(pl_boundary* boundary) {
    PL_FREE(boundary->triangles, int, 3 * (size_t)boundary->count);
    PL_FREE(boundary->sides, int, boundary->count);
    *boundary = (pl_boundary){0};
}

// Six times the volume of each component, its tets turned to agree with the component's first.
static void sum_volumes(const pl_mesh* mesh, const pl_components* components, double* volumes) {
    for (int t = 0; t < mesh->tet_count; t++) {
        pl_vec3 p[4];
        for (int k = 0; k < 4; k++)
            p[k] =
                pl_vec3_load(mesh->positions + 3 * (size_t)mesh->tets[4 * (size_t)t + (size_t)k]);
        volumes[components->component[t]] +=
            components->orientation[t] * pl_det4(p[0], p[1], p[2], p[3]);
    }
}

static void fill_boundary(const pl_mesh* mesh, const int* neighbours,
                          const pl_components* components, const double* volumes,
                          pl_boundary* out) {
    int count = 0;
    for (int side = 0; side < 4 * mesh->tet_count; side++) {
        if (neighbours[side] != PL_SIDE_BOUNDARY) continue;
        int t = side / 4;
        int* face = out->triangles + 3 * (size_t)count;
        pl_tet_face(mesh->tets + 4 * (size_t)t, side % 4, face);
        bool negative = volumes[components->component[t]] < 0.0;
        if (negative != (components->orientation[t] < 0)) {
            int swapped = face[1];
            face[1] = face[2];
            face[2] = swapped;
        }
        out->sides[count++] = side;
    }
}

static pl_status take_boundary(const pl_mesh* mesh, const int* neighbours,
                               const pl_components* components, pl_boundary* out, pl_error* error) {
    int count = 0;
    for (int side = 0; side < 4 * mesh->tet_count; side++)
        count += neighbours[side] == PL_SIDE_BOUNDARY;
    if (count == 0) return PL_OK;
    out->triangles = PL_ALLOC(int, 3 * (size_t)count);
    out->sides = PL_ALLOC(int, count);
    double* volumes = PL_ALLOC(double, components->count);
    out->count = count;
    pl_status status = PL_OK;
    if (out->triangles && out->sides && volumes) {
        sum_volumes(mesh, components, volumes);
        fill_boundary(mesh, neighbours, components, volumes, out);
    } else {
        pl_boundary_free(out);
        status = pl_fail_memory(error, "the surface of a mesh");
    }
    PL_FREE(volumes, double, components->count);
    return status;
}

pl_status pl_boundary_from_sides(const pl_mesh* mesh, const pl_side_groups* sides, pl_boundary* out,
                                 pl_error* error) {
    *out = (pl_boundary){0};
    if (mesh->tet_count == 0) return PL_OK;
    int* neighbours = PL_ALLOC(int, sides->side_count);
    if (!neighbours) return pl_fail_memory(error, "the surface of a mesh");
    pl_side_neighbours(sides, neighbours);
    pl_components components;
    pl_status status =
        pl_components_create(mesh->tets, mesh->tet_count, 4, neighbours, &components, error);
    if (status == PL_OK) status = take_boundary(mesh, neighbours, &components, out, error);
    pl_components_free(&components);
    PL_FREE(neighbours, int, sides->side_count);
    return status;
}

enum { TET_BLOCK = 4096 };

typedef struct mesh_job {
    const pl_mesh* mesh;
} mesh_job;

// how many tets have no positive volume
static double count_odd(int begin, int end, void* user) {
    const pl_mesh* mesh = ((const mesh_job*)user)->mesh;
    int count = 0;
    for (int t = begin; t < end; t++) {
        const int* tet = mesh->tets + 4 * (size_t)t;
        pl_vec3 p[4];
        for (int k = 0; k < 4; k++) p[k] = pl_vec3_load(mesh->positions + 3 * (size_t)tet[k]);
        count += !(pl_det4(p[0], p[1], p[2], p[3]) > 0.0) || pl_names_twice(tet, 4);
    }
    return count;
}

static pl_status take_lone_sides(const pl_mesh* mesh, const unsigned char* lone, pl_boundary* out,
                                 pl_error* error) {
    int count = 0, side_count = 4 * mesh->tet_count;
    for (int side = 0; side < side_count; side++) count += lone[side];
    if (count == 0) return PL_OK;
    out->count = count;
    out->triangles = PL_ALLOC(int, 3 * (size_t)count);
    out->sides = PL_ALLOC(int, count);
    if (!out->triangles || !out->sides) {
        pl_boundary_free(out);
        return pl_fail_memory(error, "the surface of a mesh");
    }
    for (int side = 0, at = 0; side < side_count; side++) {
        if (!lone[side]) continue;
        pl_tet_face(mesh->tets + 4 * (size_t)(side / 4), side % 4, out->triangles + 3 * (size_t)at);
        out->sides[at++] = side;
    }
    return PL_OK;
}

// The boundary if all tets have positive volume: their own orientation then tells which side is
// outside.
static pl_status boundary_of_positive(pl_pool* pool, const pl_mesh* mesh, pl_boundary* out,
                                      pl_error* error) {
    unsigned char* lone = PL_ALLOC(unsigned char, 4 * (size_t)mesh->tet_count);
    if (!lone) return pl_fail_memory(error, "the surface of a mesh");
    pl_status status =
        pl_lone_sides(pool, mesh->tets, mesh->tet_count, mesh->vertex_count, lone, error);
    if (status == PL_OK) status = take_lone_sides(mesh, lone, out, error);
    PL_FREE(lone, unsigned char, 4 * (size_t)mesh->tet_count);
    return status;
}

static pl_status boundary_by(pl_pool* pool, const pl_mesh* mesh, pl_boundary* out,
                             pl_error* error) {
    *out = (pl_boundary){0};
    if (mesh->tet_count == 0) return PL_OK;
    mesh_job job = {mesh};
    if (mesh->tet_count <= INT_MAX / 12 &&
        pl_parallel_sum(pool, count_odd, mesh->tet_count, TET_BLOCK, &job) == 0.0)
        return boundary_of_positive(pool, mesh, out, error);
    pl_side_groups sides;
    pl_status status =
        pl_side_groups_create(mesh->tets, mesh->tet_count, 4, mesh->vertex_count, &sides, error);
    if (status == PL_OK) status = pl_boundary_from_sides(mesh, &sides, out, error);
    pl_side_groups_free(&sides);
    return status;
}

pl_status pl_boundary_create(const pl_mesh* mesh, pl_boundary* out, pl_error* error) {
    return boundary_by(NULL, mesh, out, error);
}

// What the steps below share.
typedef struct builder {
    pl_pool* pool;
    const pl_mesh* mesh;
    pl_surface* surface;
    int* vertex_to; // surface vertex of each vertex, or -1
    int* face_of;   // surface triangle of each triangle of the mesh, or -1
} builder;

// The faces, still with the vertices of the whole mesh.
static pl_status take_faces(builder* b, pl_error* error) {
    const pl_mesh* mesh = b->mesh;
    pl_surface* surface = b->surface;
    pl_boundary boundary;
    pl_status status = boundary_by(b->pool, mesh, &boundary, error);
    if (status != PL_OK) return status;
    int count = mesh->tet_count ? boundary.count : mesh->triangle_count;
    int* elements = PL_ALLOC(int, count);
    if (count && (!elements || !pl_mesh_set_triangle_count(surface->mesh, count))) {
        PL_FREE(elements, int, count);
        pl_boundary_free(&boundary);
        return pl_fail_memory(error, "the surface of a mesh");
    }
    surface->elements = elements;
    for (int i = 0; i < count; i++) elements[i] = mesh->tet_count ? boundary.sides[i] / 4 : i;
    if (count)
        memcpy(surface->mesh->triangles, mesh->tet_count ? boundary.triangles : mesh->triangles,
               3 * (size_t)count * sizeof(int));
    pl_boundary_free(&boundary);
    return PL_OK;
}

// Which surface triangle each triangle of the mesh coincides with.
static pl_status match_triangles(builder* b, pl_error* error) {
    const pl_mesh *mesh = b->mesh, *surface = b->surface->mesh;
    int own = surface->triangle_count, given = mesh->triangle_count;
    if (given == 0) return PL_OK;
    if (mesh->tet_count == 0) {
        for (int i = 0; i < given; i++) b->face_of[i] = i;
        return PL_OK;
    }
    size_t count = (size_t)own + (size_t)given;
    int* all = PL_ALLOC(int, 3 * count);
    int* first = PL_ALLOC(int, count);
    pl_status status = all && first ? PL_OK : pl_fail_memory(error, "the surface of a mesh");
    if (status == PL_OK) {
        if (own) memcpy(all, surface->triangles, 3 * (size_t)own * sizeof(int));
        memcpy(all + 3 * (size_t)own, mesh->triangles, 3 * (size_t)given * sizeof(int));
        status = pl_first_of_equal_elements(all, (int)count, 3, mesh->vertex_count, first, error);
    }
    for (int i = 0; status == PL_OK && i < given; i++)
        b->face_of[i] = first[own + i] < own ? first[own + i] : -1;
    PL_FREE(all, int, 3 * count);
    PL_FREE(first, int, count);
    return status;
}

// Numbers the vertices in use, in their old order, and renames them in the triangles.
static pl_status take_vertices(builder* b, pl_error* error) {
    const pl_mesh* mesh = b->mesh;
    pl_mesh* surface = b->surface->mesh;
    int count = 0;
    for (int v = 0; v < mesh->vertex_count; v++) b->vertex_to[v] = -1;
    for (size_t i = 0; i < 3 * (size_t)surface->triangle_count; i++)
        b->vertex_to[surface->triangles[i]] = 0;
    for (int v = 0; v < mesh->vertex_count; v++)
        if (b->vertex_to[v] == 0) b->vertex_to[v] = count++;
    int* vertices = PL_ALLOC(int, count);
    if (count && (!vertices || !pl_mesh_set_vertex_count(surface, count))) {
        PL_FREE(vertices, int, count);
        return pl_fail_memory(error, "the surface of a mesh");
    }
    b->surface->vertices = vertices;
    for (int v = 0; v < mesh->vertex_count; v++) {
        int to = b->vertex_to[v];
        if (to < 0) continue;
        vertices[to] = v;
        memcpy(surface->positions + 3 * (size_t)to, mesh->positions + 3 * (size_t)v,
               3 * sizeof(double));
    }
    for (size_t i = 0; i < 3 * (size_t)surface->triangle_count; i++)
        surface->triangles[i] = b->vertex_to[surface->triangles[i]];
    return PL_OK;
}

static bool contains(const pl_region* region, int item) {
    int low = 0, high = region->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (region->items[middle] < item) low = middle + 1;
        else high = middle;
    }
    return low < region->count && region->items[low] == item;
}

// Maps the items of a region to items of the surface; returns their number.
static int map_region(const builder* b, const pl_region* region, int* items) {
    int count = 0;
    if (region->kind == PL_ELEMENT_TET) {
        for (int i = 0; i < b->surface->mesh->triangle_count; i++)
            if (contains(region, b->surface->elements[i])) items[count++] = i;
        return count;
    }
    const int* to = region->kind == PL_ELEMENT_VERTEX ? b->vertex_to : b->face_of;
    for (int i = 0; i < region->count; i++)
        if (to[region->items[i]] >= 0) items[count++] = to[region->items[i]];
    return count;
}

static pl_status take_regions(const builder* b, pl_error* error) {
    const pl_mesh* mesh = b->mesh;
    pl_status status = PL_OK;
    for (int i = 0; status == PL_OK && i < mesh->region_count; i++) {
        const pl_region* region = &mesh->regions[i];
        int room =
            region->kind == PL_ELEMENT_TET ? b->surface->mesh->triangle_count : region->count;
        if (room == 0) continue;
        int* items = PL_ALLOC(int, room);
        if (!items) return pl_fail_memory(error, "the surface of a mesh");
        int count = map_region(b, region, items);
        pl_element_kind kind =
            region->kind == PL_ELEMENT_VERTEX ? PL_ELEMENT_VERTEX : PL_ELEMENT_TRIANGLE;
        if (count)
            status = pl_mesh_copy_region(b->surface->mesh, region, items, count, kind, error);
        PL_FREE(items, int, room);
    }
    return status;
}

// Values of the surface's elements from those of the mesh; NaN where there is none.
static void map_field(const builder* b, const pl_field* field, double* values, int count) {
    size_t size = (size_t)field->components;
    if (field->kind == PL_ELEMENT_TRIANGLE) {
        for (size_t i = 0; i < (size_t)count * size; i++) values[i] = NAN;
        for (int i = b->mesh->triangle_count - 1; i >= 0; i--)
            if (b->face_of[i] >= 0)
                memcpy(values + (size_t)b->face_of[i] * size, field->values + (size_t)i * size,
                       size * sizeof(double));
        return;
    }
    const int* from =
        field->kind == PL_ELEMENT_VERTEX ? b->surface->vertices : b->surface->elements;
    for (int i = 0; i < count; i++)
        memcpy(values + (size_t)i * size, field->values + (size_t)from[i] * size,
               size * sizeof(double));
}

static pl_status take_fields(const builder* b, pl_error* error) {
    pl_status status = PL_OK;
    for (int i = 0; status == PL_OK && i < b->mesh->field_count; i++) {
        const pl_field* field = &b->mesh->fields[i];
        pl_element_kind kind =
            field->kind == PL_ELEMENT_VERTEX ? PL_ELEMENT_VERTEX : PL_ELEMENT_TRIANGLE;
        int count = pl_mesh_element_count(b->surface->mesh, kind);
        size_t size = (size_t)count * (size_t)field->components;
        if (size == 0) continue;
        double* values = PL_ALLOC(double, size);
        if (!values) return pl_fail_memory(error, "the surface of a mesh");
        map_field(b, field, values, count);
        status = pl_mesh_add_field(b->surface->mesh, kind, field->name, field->components, values,
                                   error);
        PL_FREE(values, double, size);
    }
    return status;
}

// Texture coordinates of the triangles that are on the surface, corner by corner: the surface may
// name a triangle's vertices in another order.
static pl_status take_uvs(const builder* b, pl_error* error) {
    const pl_mesh* mesh = b->mesh;
    pl_mesh* surface = b->surface->mesh;
    if (surface->triangle_count == 0) return PL_OK;
    if (mesh->tet_count == 0) // the same triangles
        return pl_mesh_copy_corners(mesh, surface) ? PL_OK
                                                   : pl_fail_memory(error, "the surface of a mesh");
    if (mesh->uv_count == 0 || !mesh->triangle_uvs) return PL_OK;
    surface->triangle_uvs = PL_ALLOC(int, 3 * (size_t)surface->triangle_count);
    if (!pl_mesh_copy_uvs(mesh, surface) || !surface->triangle_uvs)
        return pl_fail_memory(error, "the surface of a mesh");
    for (size_t i = 0; i < 3 * (size_t)surface->triangle_count; i++) surface->triangle_uvs[i] = -1;
    for (int i = mesh->triangle_count - 1; i >= 0; i--) {
        if (b->face_of[i] < 0) continue;
        size_t from = 3 * (size_t)i, to = 3 * (size_t)b->face_of[i];
        for (size_t j = 0; j < 9; j++)
            if (b->vertex_to[mesh->triangles[from + j / 3]] == surface->triangles[to + j % 3])
                surface->triangle_uvs[to + j % 3] = mesh->triangle_uvs[from + j / 3];
    }
    return PL_OK;
}

pl_status pl_mesh_surface(const pl_mesh* mesh, pl_surface** out, pl_error* error) {
    return pl_mesh_surface_by(NULL, mesh, out, error);
}

pl_status pl_mesh_surface_by(pl_pool* pool, const pl_mesh* mesh, pl_surface** out,
                             pl_error* error) {
    *out = NULL;
    builder b = {.pool = pool, .mesh = mesh};
    b.surface = PL_ALLOC(pl_surface, 1);
    if (b.surface) b.surface->mesh = pl_mesh_new();
    b.vertex_to = PL_ALLOC(int, mesh->vertex_count);
    b.face_of = PL_ALLOC(int, mesh->triangle_count);
    bool ready = b.surface && b.surface->mesh && (b.vertex_to || mesh->vertex_count == 0) &&
                 (b.face_of || mesh->triangle_count == 0);
    pl_status status = ready ? PL_OK : pl_fail_memory(error, "the surface of a mesh");
    if (status == PL_OK) status = take_faces(&b, error);
    if (status == PL_OK) status = match_triangles(&b, error);
    if (status == PL_OK) status = take_vertices(&b, error);
    if (status == PL_OK) status = take_uvs(&b, error);
    if (status == PL_OK) status = take_regions(&b, error);
    if (status == PL_OK) status = take_fields(&b, error);
    PL_FREE(b.vertex_to, int, mesh->vertex_count);
    PL_FREE(b.face_of, int, mesh->triangle_count);
    if (status == PL_OK) *out = b.surface;
    else pl_surface_destroy(b.surface);
    return status;
}

void pl_surface_destroy(pl_surface* surface) {
    if (!surface) return;
    if (surface->mesh) {
        PL_FREE(surface->vertices, int, surface->mesh->vertex_count);
        PL_FREE(surface->elements, int, surface->mesh->triangle_count);
    }
    pl_mesh_destroy(surface->mesh);
    PL_FREE(surface, pl_surface, 1);
}
