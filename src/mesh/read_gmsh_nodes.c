// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// $Nodes and $Entities of a Gmsh file. Vertices keep the order of the file; their tags, which may
// have gaps, are mapped.
#include "base/memory.h"
#include "mesh/read_gmsh.h"

#include <limits.h>
#include <stdlib.h>

static pl_status read_position(pl_gmsh* g, double* position) {
    for (int k = 0; k < 3; k++)
        if (!pl_gmsh_get_double(g, &position[k])) return pl_gmsh_expected(g, "a coordinate");
    return PL_OK;
}

static pl_status read_nodes_2(pl_gmsh* g, int64_t* tags) {
    for (int i = 0; i < g->mesh->vertex_count; i++) {
        if (!pl_gmsh_get_tag(g, &tags[i])) return pl_gmsh_expected(g, "a node's number");
        pl_status status = read_position(g, &g->mesh->positions[3 * (size_t)i]);
        if (status != PL_OK) return status;
    }
    return PL_OK;
}

typedef struct node_block {
    int dimension, entity, parametric;
    int64_t count;
} node_block;

static pl_status read_block_header(pl_gmsh* g, node_block* block, int64_t room) {
    int* first = g->version == 40 ? &block->entity : &block->dimension;
    int* second = g->version == 40 ? &block->dimension : &block->entity;
    if (!pl_gmsh_get_int(g, first) || !pl_gmsh_get_int(g, second) ||
        !pl_gmsh_get_int(g, &block->parametric) || !pl_gmsh_get_size(g, &block->count))
        return pl_gmsh_expected(g, "a block of nodes");
    if (block->dimension < 0 || block->dimension > 3)
        return pl_gmsh_fail(g, PL_ERROR_FORMAT, "a block of nodes on an entity of dimension %d",
                            block->dimension);
    if (block->count < 0 || block->count > room)
        return pl_gmsh_fail(g, PL_ERROR_FORMAT,
                            "a block of %lld nodes, but only %lld are left of the %d stated",
                            (long long)block->count, (long long)room, g->mesh->vertex_count);
    return PL_OK;
}

// a position; the parameters on a curve or surface that may follow are ignored
static pl_status read_block_position(pl_gmsh* g, const node_block* block, double* position) {
    pl_status status = read_position(g, position);
    double parameter;
    for (int k = 0; status == PL_OK && block->parametric && k < block->dimension; k++)
        if (!pl_gmsh_get_double(g, &parameter)) return pl_gmsh_expected(g, "a node's parameter");
    return status;
}

// version 4.1: all tags of the block, then all positions; 4.0: in turn
static pl_status read_block(pl_gmsh* g, const node_block* block, int64_t* tags, double* positions) {
    for (int64_t i = 0; i < block->count; i++) {
        if (!pl_gmsh_get_tag(g, &tags[i])) return pl_gmsh_expected(g, "a node's tag");
        if (g->version == 41) continue;
        pl_status status = read_block_position(g, block, &positions[3 * i]);
        if (status != PL_OK) return status;
    }
    for (int64_t i = 0; g->version == 41 && i < block->count; i++) {
        pl_status status = read_block_position(g, block, &positions[3 * i]);
        if (status != PL_OK) return status;
    }
    return PL_OK;
}

static pl_status read_nodes_4(pl_gmsh* g, int64_t block_count, int64_t* tags) {
    int64_t done = 0, total = g->mesh->vertex_count;
    for (int64_t b = 0; b < block_count; b++) {
        node_block block;
        pl_status status = read_block_header(g, &block, total - done);
        if (status == PL_OK && block.count > 0)
            status = read_block(g, &block, tags + done, g->mesh->positions + 3 * done);
        if (status != PL_OK) return status;
        done += block.count;
    }
    if (done == total) return PL_OK;
    return pl_gmsh_fail(g, PL_ERROR_FORMAT, "%lld nodes are stated, but the blocks hold %lld",
                        (long long)total, (long long)done);
}

static pl_status map_tags(pl_gmsh* g, const int64_t* tags) {
    int repeated;
    pl_status status = pl_tag_map_setup(&g->nodes, tags, g->mesh->vertex_count, &repeated);
    if (status == PL_ERROR_MEMORY) return pl_gmsh_fail_memory(g);
    if (status != PL_OK)
        return pl_gmsh_fail(g, PL_ERROR_FORMAT,
                            "node tag %lld is given twice, the second time by node %d of the list",
                            (long long)tags[repeated], repeated + 1);
    return PL_OK;
}

static pl_status read_counts(pl_gmsh* g, int64_t* block_count, int64_t* count) {
    bool found;
    if (g->version == 22) {
        found = pl_scan_int64(&g->scan, count); // text in binary files, too
        if (g->binary) pl_scan_skip_line(&g->scan);
    } else {
        int64_t lowest, highest;
        found =
            pl_gmsh_get_size(g, block_count) && pl_gmsh_get_size(g, count) &&
            (g->version == 40 || (pl_gmsh_get_size(g, &lowest) && pl_gmsh_get_size(g, &highest)));
    }
    if (!found) return pl_gmsh_expected(g, "the number of nodes");
    size_t tag_bytes = g->version == 41 ? 8 : 4;
    if (!pl_gmsh_fits(g, *count, 4, tag_bytes + 3 * sizeof(double)) || *count > INT_MAX)
        return pl_gmsh_fail(g, PL_ERROR_FORMAT,
                            "%lld nodes are stated, but the rest of the file is too short for them",
                            (long long)*count);
    return PL_OK;
}

pl_status pl_gmsh_read_nodes(pl_gmsh* g) {
    if (g->has_nodes) return pl_gmsh_fail(g, PL_ERROR_UNSUPPORTED, "a second $Nodes section");
    int64_t block_count = 0, count = 0;
    pl_status status = read_counts(g, &block_count, &count);
    if (status != PL_OK) return status;
    if (!pl_mesh_set_vertex_count(g->mesh, (int)count)) return pl_gmsh_fail_memory(g);
    int64_t* tags = PL_ALLOC(int64_t, count);
    if (count && !tags) return pl_gmsh_fail_memory(g);
    status = g->version == 22 ? read_nodes_2(g, tags) : read_nodes_4(g, block_count, tags);
    if (status == PL_OK) status = map_tags(g, tags);
    PL_FREE(tags, int64_t, count);
    g->has_nodes = true;
    return status;
}

static int compare_memberships(const void* a, const void* b) {
    const pl_gmsh_membership *x = a, *y = b;
    if (x->dimension != y->dimension) return x->dimension < y->dimension ? -1 : 1;
    if (x->entity != y->entity) return x->entity < y->entity ? -1 : 1;
    return (x->physical > y->physical) - (x->physical < y->physical);
}

static pl_status read_physicals(pl_gmsh* g, int dimension, int entity) {
    int64_t count;
    if (!pl_gmsh_get_size(g, &count) || count < 0)
        return pl_gmsh_expected(g, "the number of physical groups of an entity");
    for (int64_t i = 0; i < count; i++) {
        pl_gmsh_membership membership = {dimension, entity, 0};
        if (!pl_gmsh_get_int(g, &membership.physical))
            return pl_gmsh_expected(g, "a physical group");
        // a negative tag means that the group has the entity reversed
        if (membership.physical < 0)
            membership.physical = membership.physical == INT_MIN ? INT_MAX : -membership.physical;
        if (!pl_array_push(&g->memberships, &membership)) return pl_gmsh_fail_memory(g);
    }
    return PL_OK;
}

// skips a list of ints that starts with its length
static bool skip_ints(pl_gmsh* g) {
    int64_t count;
    int ignored;
    if (!pl_gmsh_get_size(g, &count)) return false;
    for (int64_t i = 0; i < count; i++)
        if (!pl_gmsh_get_int(g, &ignored)) return false;
    return true;
}

static pl_status read_entity(pl_gmsh* g, int dimension, bool partitioned) {
    int entity, parent;
    if (!pl_gmsh_get_int(g, &entity)) return pl_gmsh_expected(g, "an entity");
    // dimension and tag of the entity that was partitioned, and its partitions
    if (partitioned &&
        !(pl_gmsh_get_int(g, &parent) && pl_gmsh_get_int(g, &parent) && skip_ints(g)))
        return pl_gmsh_expected(g, "the partitions of an entity");
    int bounds = dimension == 0 && g->version == 41 ? 3 : 6;
    double bound;
    for (int k = 0; k < bounds; k++)
        if (!pl_gmsh_get_double(g, &bound)) return pl_gmsh_expected(g, "the bounds of an entity");
    pl_status status = read_physicals(g, dimension, entity);
    if (status == PL_OK && dimension > 0 && !skip_ints(g))
        return pl_gmsh_expected(g, "the boundary of an entity");
    return status;
}

// $PartitionedEntities repeats the entities in parts, to which the elements then refer
static pl_status read_partition_header(pl_gmsh* g) {
    int64_t partition_count, ghost_count;
    int ghost, partition;
    if (!pl_gmsh_get_size(g, &partition_count) || !pl_gmsh_get_size(g, &ghost_count))
        return pl_gmsh_expected(g, "the number of partitions");
    for (int64_t i = 0; i < ghost_count; i++)
        if (!pl_gmsh_get_int(g, &ghost) || !pl_gmsh_get_int(g, &partition))
            return pl_gmsh_expected(g, "a ghost entity");
    return PL_OK;
}

pl_status pl_gmsh_read_entities(pl_gmsh* g, bool partitioned) {
    pl_status status = partitioned ? read_partition_header(g) : PL_OK;
    if (status != PL_OK) return status;
    int64_t counts[4];
    for (int d = 0; d < 4; d++)
        if (!pl_gmsh_get_size(g, &counts[d])) return pl_gmsh_expected(g, "the number of entities");
    for (int d = 0; d < 4; d++)
        for (int64_t i = 0; i < counts[d]; i++) {
            status = read_entity(g, d, partitioned);
            if (status != PL_OK) return status;
        }
    if (g->memberships.count > 0)
        qsort(g->memberships.data, g->memberships.count, sizeof(pl_gmsh_membership),
              compare_memberships);
    return PL_OK;
}
