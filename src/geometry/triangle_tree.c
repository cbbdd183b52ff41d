// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "geometry/triangle_tree.h"
#include "base/memory.h"

static void load_corners(pl_triangle_tree* tree, const double* positions, const int* triangles) {
    for (int s = 0; s < tree->bvh.slot_count; s++)
        for (int k = 0; k < 3; k++) {
            int vertex = triangles[3 * (size_t)tree->bvh.items[s] + (size_t)k];
            tree->corners[3 * (size_t)s + (size_t)k] = pl_vec3_load(positions + 3 * (size_t)vertex);
        }
}

pl_status pl_triangle_tree_build(const double* positions, const int* triangles, int triangle_count,
                                 pl_triangle_tree* out, pl_error* error) {
    *out = (pl_triangle_tree){0};
    pl_status status =
        pl_bvh_build_triangles(positions, triangles, triangle_count, &out->bvh, error);
    if (status != PL_OK || out->bvh.slot_capacity == 0) return status;
    out->corners = PL_ALLOC(pl_vec3, 3 * (size_t)out->bvh.slot_capacity);
    if (!out->corners) {
        pl_triangle_tree_free(out);
        return pl_fail_memory(error, "a tree of triangles");
    }
    load_corners(out, positions, triangles);
    return PL_OK;
}

void pl_triangle_tree_free(pl_triangle_tree* tree) {
    PL_FREE(tree->corners, pl_vec3, 3 * (size_t)tree->bvh.slot_capacity);
    tree->corners = NULL;
    pl_bvh_free(&tree->bvh);
}

void pl_triangle_tree_refit(pl_triangle_tree* tree, const double* positions, const int* triangles) {
    pl_bvh* bvh = &tree->bvh;
    load_corners(tree, positions, triangles);
    for (int s = 0; s < bvh->slot_count; s++) {
        bvh->boxes[s] = pl_box_empty();
        for (int k = 0; k < 3; k++)
            bvh->boxes[s] =
                pl_box_add_point(bvh->boxes[s], tree->corners[3 * (size_t)s + (size_t)k]);
    }
    pl_bvh_refit(bvh);
}

typedef struct pending {
    int node;
    double key; // distance to the node's box
} pending;

static void search_leaf(const pl_triangle_tree* tree, const pl_bvh_node* leaf, pl_vec3 p,
                        pl_nearest* best) {
    for (int s = leaf->right; s < leaf->right + leaf->count; s++) {
        if (pl_box_distance2(tree->bvh.boxes[s], p) > best->at.distance2) continue;
        const pl_vec3* c = tree->corners + 3 * (size_t)s;
        pl_triangle_point at = pl_closest_on_triangle(p, c[0], c[1], c[2]);
        int triangle = tree->bvh.items[s];
        bool wins_tie = at.distance2 == best->at.distance2 && triangle < best->triangle;
        if (at.distance2 < best->at.distance2 || wins_tie) *best = (pl_nearest){triangle, at};
    }
}

pl_nearest pl_triangle_tree_nearest(const pl_triangle_tree* tree, pl_vec3 p, double limit) {
    const pl_bvh_node* nodes = tree->bvh.nodes;
    pl_nearest best = {.triangle = -1, .at.distance2 = limit * limit};
    pending stack[PL_BVH_STACK];
    int top = 0;
    if (tree->bvh.node_count) stack[top++] = (pending){0, pl_box_distance2(nodes[0].box, p)};
    while (top > 0) {
        pending next = stack[--top];
        if (next.key > best.at.distance2) continue;
        const pl_bvh_node* node = &nodes[next.node];
        if (node->count) {
            search_leaf(tree, node, p, &best);
            continue;
        }
        pending left = {next.node + 1, pl_box_distance2(nodes[next.node + 1].box, p)};
        pending right = {node->right, pl_box_distance2(nodes[node->right].box, p)};
        // the nearer child is visited first
        stack[top++] = left.key <= right.key ? right : left;
        stack[top++] = left.key <= right.key ? left : right;
    }
    return best;
}

// where a ray crosses a triangle: t and the barycentric weights
static bool cross_triangle(const pl_vec3* c, pl_vec3 origin, pl_vec3 direction, pl_hit* hit) {
    pl_vec3 ab = pl_sub(c[1], c[0]), ac = pl_sub(c[2], c[0]), to = pl_sub(origin, c[0]);
    pl_vec3 n = pl_cross(direction, ac), q = pl_cross(to, ab);
    double determinant = pl_dot(ab, n);
    if (determinant == 0.0) return false;
    double v = pl_dot(to, n) / determinant, w = pl_dot(direction, q) / determinant;
    if (!(v >= 0.0 && w >= 0.0 && v + w <= 1.0)) return false;
    hit->t = pl_dot(ac, q) / determinant;
    hit->weights[0] = 1.0 - v - w;
    hit->weights[1] = v;
    hit->weights[2] = w;
    return true;
}

static void cross_leaf(const pl_triangle_tree* tree, const pl_bvh_node* leaf, pl_vec3 origin,
                       pl_vec3 direction, pl_hit* best) {
    for (int s = leaf->right; s < leaf->right + leaf->count; s++) {
        pl_hit hit = {.triangle = tree->bvh.items[s]};
        if (!cross_triangle(tree->corners + 3 * (size_t)s, origin, direction, &hit)) continue;
        if (!(hit.t >= 0.0) || hit.t > best->t) continue;
        if (hit.t < best->t || best->triangle < 0 || hit.triangle < best->triangle) *best = hit;
    }
}

pl_hit pl_triangle_tree_ray(const pl_triangle_tree* tree, pl_vec3 origin, pl_vec3 direction,
                            double length) {
    const pl_bvh_node* nodes = tree->bvh.nodes;
    pl_vec3 inverse = pl_ray_inverse(direction);
    pl_hit best = {.triangle = -1, .t = length};
    pending stack[PL_BVH_STACK];
    int top = 0;
    if (tree->bvh.node_count)
        stack[top++] = (pending){0, pl_box_ray(nodes[0].box, origin, inverse, length)};
    while (top > 0) {
        pending next = stack[--top];
        if (next.key == INFINITY || next.key > best.t) continue;
        const pl_bvh_node* node = &nodes[next.node];
        if (node->count) {
            cross_leaf(tree, node, origin, direction, &best);
            continue;
        }
        pending left = {next.node + 1,
                        pl_box_ray(nodes[next.node + 1].box, origin, inverse, length)};
        pending right = {node->right, pl_box_ray(nodes[node->right].box, origin, inverse, length)};
        stack[top++] = left.key <= right.key ? right : left;
        stack[top++] = left.key <= right.key ? left : right;
    }
    return best;
}
