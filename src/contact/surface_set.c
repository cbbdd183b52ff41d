// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Builds surfaces that collide: their trees, the features that belong to each triangle, and the
// list of leaves for searches.
#include "contact/surface_set.h"
#include "base/memory.h"
#include "contact/surface_set_data.h"
#include "mesh/topology.h"

#include <string.h>

void pl_surface_set_destroy(pl_surface_set* set) {
    if (!set) return;
    const size_t surfaces = (size_t)set->surface_count, square = surfaces * surfaces;
    for (int k = 0; set->surfaces && k < set->surface_count; k++) {
        const pl_bvh* tree = &set->surfaces[k].tree;
        pl_flat_patches_destroy(set->surfaces[k].patches);
        PL_FREE(set->surfaces[k].boxes.nodes, pl_wide_box, tree->node_count);
        PL_FREE(set->surfaces[k].boxes.slots, pl_wide_box, tree->slot_count);
        pl_bvh_free(&set->surfaces[k].tree);
    }
    for (int k = 0; k < set->block_count; k++) {
        if (set->pairs) pl_array_free(&set->pairs[k]);
        if (set->crossings) pl_array_free(&set->crossings[k]);
    }
    PL_FREE(set->surfaces, pl_contact_surface, surfaces);
    PL_FREE(set->parted, bool, square);
    PL_FREE(set->nearest, double, square);
    PL_FREE(set->rest, double, 3 * (size_t)set->vertex_count);
    PL_FREE(set->crossed_at, double, 3 * (size_t)set->vertex_count);
    PL_FREE(set->surface_of_vertex, int, set->vertex_count);
    PL_FREE(set->ways, pl_vertex_way, set->vertex_count);
    PL_FREE(set->triangles, int, 3 * (size_t)set->triangle_count);
    PL_FREE(set->surface_of, int, set->triangle_count);
    PL_FREE(set->features, unsigned char, set->triangle_count);
    PL_FREE(set->near_offsets, int, surfaces + 1);
    PL_FREE(set->leaves, pl_surface_leaf, set->leaf_count);
    PL_FREE(set->pairs, pl_array, set->block_count);
    PL_FREE(set->crossings, pl_array, set->block_count);
    pl_array_free(&set->near);
    PL_FREE(set, pl_surface_set, 1);
}

static bool allocate(pl_surface_set* set) {
    const size_t surfaces = (size_t)set->surface_count, square = surfaces * surfaces;
    const size_t triangles = (size_t)set->triangle_count;
    if (!(set->surfaces = PL_ALLOC(pl_contact_surface, surfaces)) ||
        !(set->parted = PL_ALLOC(bool, square)) || !(set->nearest = PL_ALLOC(double, square)) ||
        !(set->near_offsets = PL_ALLOC(int, surfaces + 1)) ||
        !(set->rest = PL_ALLOC(double, 3 * (size_t)set->vertex_count)) ||
        !(set->crossed_at = PL_ALLOC(double, 3 * (size_t)set->vertex_count)) ||
        !(set->surface_of_vertex = PL_ALLOC(int, set->vertex_count)) ||
        !(set->ways = PL_ALLOC(pl_vertex_way, set->vertex_count)))
        return false;
    for (int v = 0; v < set->vertex_count; v++) set->surface_of_vertex[v] = -1;
    for (size_t k = 0; k < square; k++) set->nearest[k] = INFINITY;
    if (triangles == 0) return true;
    if (!(set->triangles = PL_ALLOC(int, 3 * triangles)) ||
        !(set->surface_of = PL_ALLOC(int, triangles)) ||
        !(set->features = PL_ALLOC(unsigned char, triangles)))
        return false;
    return true;
}

// lists the leaves of all trees, with a list of results for each block of leaves
static bool list_leaves(pl_surface_set* set) {
    for (int k = 0; k < set->surface_count; k++) {
        const pl_bvh* tree = &set->surfaces[k].tree;
        for (int n = 0; n < tree->node_count; n++) set->leaf_count += tree->nodes[n].count > 0;
    }
    if (set->leaf_count == 0) return true;
    set->block_count = (set->leaf_count + PL_LEAF_BLOCK - 1) / PL_LEAF_BLOCK;
    if (!(set->leaves = PL_ALLOC(pl_surface_leaf, set->leaf_count)) ||
        !(set->pairs = PL_ALLOC(pl_array, set->block_count)) ||
        !(set->crossings = PL_ALLOC(pl_array, set->block_count)))
        return false;
    for (int k = 0; k < set->block_count; k++) {
        set->pairs[k] = pl_array_of(sizeof(pl_contact_pair));
        set->crossings[k] = pl_array_of(sizeof(pl_crossing));
    }
    for (int k = 0, at = 0; k < set->surface_count; k++) {
        const pl_bvh* tree = &set->surfaces[k].tree;
        for (int n = 0; n < tree->node_count; n++)
            if (tree->nodes[n].count > 0) set->leaves[at++] = (pl_surface_leaf){k, n};
    }
    return true;
}

// a vertex or an edge belongs to the first triangle that has it
static pl_status share_features(pl_surface_set* set, pl_error* error) {
    const int vertex_count = set->vertex_count;
    pl_edges edges;
    pl_status status =
        pl_edges_create(set->triangles, set->triangle_count, 3, vertex_count, &edges, error);
    if (status != PL_OK) return status;
    const size_t count = (size_t)vertex_count + (size_t)edges.count;
    bool* taken = PL_ALLOC(bool, count);
    for (int t = 0; taken && t < set->triangle_count; t++)
        for (int k = 0; k < 6; k++) {
            int edge = k < 3 ? 0 : edges.element_edges[3 * (size_t)t + (size_t)k - 3];
            if (edge < 0) continue; // an edge from a vertex to itself
            size_t item = k < 3 ? (size_t)set->triangles[3 * (size_t)t + (size_t)k]
                                : (size_t)vertex_count + (size_t)edge;
            if (!taken[item]) set->features[t] |= (unsigned char)(1 << k);
            taken[item] = true;
        }
    status = taken || count == 0 ? PL_OK : pl_fail_memory(error, "surfaces in contact");
    PL_FREE(taken, bool, count);
    pl_edges_free(&edges);
    return status;
}

static double mean_edge(const pl_surface_source* source) {
    double sum = 0.0;
    for (int t = 0; t < source->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            const int* v = source->triangles + 3 * (size_t)t;
            sum += pl_distance(pl_vec3_load(source->positions + 3 * (size_t)v[k]),
                               pl_vec3_load(source->positions + 3 * (size_t)v[(k + 1) % 3]));
        }
    return source->triangle_count ? sum / (3.0 * source->triangle_count) : 0.0;
}

static pl_status add_surface(pl_surface_set* set, int number, const pl_surface_source* source,
                             int first, pl_error* error) {
    pl_contact_surface* surface = &set->surfaces[number];
    surface->first_triangle = first;
    surface->triangle_count = source->triangle_count;
    surface->meets_others = source->meets_others;
    surface->meets_itself = source->meets_itself;
    surface->edge = mean_edge(source);
    surface->first_vertex = set->vertex_count;
    for (int k = 0; k < source->vertex_count; k++) {
        const int v = source->first + source->vertices[k];
        if (v < surface->first_vertex) surface->first_vertex = v;
        if (v >= surface->end_vertex) surface->end_vertex = v + 1;
        set->surface_of_vertex[v] = number;
        memcpy(set->rest + 3 * (size_t)v, source->positions + 3 * (size_t)k, 3 * sizeof(double));
    }
    for (int t = 0; t < source->triangle_count; t++) {
        set->surface_of[first + t] = number;
        for (int i = 0; i < 3; i++)
            set->triangles[3 * (size_t)(first + t) + (size_t)i] =
                source->first + source->vertices[source->triangles[3 * (size_t)t + (size_t)i]];
    }
    pl_bvh* tree = &surface->tree;
    const pl_status status = pl_bvh_build_triangles(source->positions, source->triangles,
                                                    source->triangle_count, tree, error);
    if (status != PL_OK || tree->slot_count == 0) return status;
    surface->boxes.nodes = PL_ALLOC(pl_wide_box, tree->node_count);
    surface->boxes.slots = PL_ALLOC(pl_wide_box, tree->slot_count);
    return surface->boxes.nodes && surface->boxes.slots
               ? PL_OK
               : pl_fail_memory(error, "surfaces in contact");
}

pl_status pl_surface_set_create(const pl_surface_source* sources, int count, int vertex_count,
                                pl_surface_set** out, pl_error* error) {
    *out = NULL;
    pl_surface_set* set = PL_ALLOC(pl_surface_set, 1);
    if (!set) return pl_fail_memory(error, "surfaces in contact");
    set->surface_count = count;
    set->vertex_count = vertex_count;
    set->near = pl_array_of(sizeof(int));
    for (int k = 0; k < count; k++) set->triangle_count += sources[k].triangle_count;
    pl_status status = allocate(set) ? PL_OK : pl_fail_memory(error, "surfaces in contact");
    for (int k = 0, first = 0; status == PL_OK && k < count; k++) {
        status = add_surface(set, k, &sources[k], first, error);
        first += sources[k].triangle_count;
    }
    if (status == PL_OK && !list_leaves(set)) status = pl_fail_memory(error, "surfaces in contact");
    if (status == PL_OK) status = share_features(set, error);
    if (status == PL_OK) *out = set;
    else pl_surface_set_destroy(set);
    return status;
}

pl_status pl_surface_set_find_patches(pl_surface_set* set, pl_pool* pool, pl_error* error) {
    pl_status status = PL_OK;
    for (int k = 0; status == PL_OK && k < set->surface_count; k++) {
        pl_contact_surface* surface = &set->surfaces[k];
        if (!surface->meets_itself || surface->patches || !surface->tree.node_count) continue;
        const pl_flat_source source = {&surface->tree,
                                       set->triangles + 3 * (size_t)surface->first_triangle,
                                       surface->triangle_count,
                                       set->features + surface->first_triangle,
                                       set->rest,
                                       set->vertex_count};
        status = pl_flat_patches_create(&source, pool, &surface->patches, error);
    }
    return status;
}
