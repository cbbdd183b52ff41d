// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Top-down build: the boxes of a node are sorted into bins by their centres, and the node is split
// at the bin boundary of lowest cost (surface area heuristic). If no split reduces the cost, or a
// branch gets too deep, the node is halved by count, so the depth is bounded for every input.
#include "geometry/bvh.h"
#include "base/memory.h"

enum { BINS = 16, LEAF_SIZE = 4, DEPTH_OF_HALVING = 64 };

typedef struct bin {
    pl_box box;
    int count;
} bin;

typedef struct split {
    int axis; // -1: none found
    int bin;  // boxes in bins up to this one go left
    double low, scale;
} split;

typedef struct pending {
    int first, count;
    int parent; // whose right child this becomes, or -1
    int depth;
} pending;

static int bin_of(double center, double low, double scale) {
    double t = (center - low) * scale;
    return t > 0.0 ? t < BINS - 1 ? (int)t : BINS - 1 : 0;
}

static void fill_bins(const pl_bvh* tree, const pending* p, const split* s, bin* bins) {
    for (int b = 0; b < BINS; b++) bins[b] = (bin){pl_box_empty(), 0};
    for (int i = p->first; i < p->first + p->count; i++) {
        double center = pl_component(pl_box_center(tree->boxes[i]), s->axis);
        bin* b = &bins[bin_of(center, s->low, s->scale)];
        b->box = pl_box_add_box(b->box, tree->boxes[i]);
        b->count++;
    }
}

// finds the cheapest split along one axis; stored in *best if cheaper than *best_cost
static void try_axis(const pl_bvh* tree, const pending* p, split s, split* best,
                     double* best_cost) {
    bin bins[BINS];
    fill_bins(tree, p, &s, bins);
    double right_cost[BINS];
    pl_box box = pl_box_empty();
    int count = 0;
    for (int b = BINS - 1; b > 0; b--) {
        box = pl_box_add_box(box, bins[b].box);
        count += bins[b].count;
        right_cost[b] = count ? count * pl_box_half_area(box) : 0.0;
    }
    box = pl_box_empty();
    count = 0;
    for (int b = 0; b < BINS - 1; b++) {
        box = pl_box_add_box(box, bins[b].box);
        count += bins[b].count;
        if (count == 0 || count == p->count) continue;
        double cost = count * pl_box_half_area(box) + right_cost[b + 1];
        if (!(cost < *best_cost)) continue;
        *best_cost = cost;
        *best = s;
        best->bin = b;
    }
}

static split find_split(const pl_bvh* tree, const pending* p) {
    pl_box centers = pl_box_empty();
    for (int i = p->first; i < p->first + p->count; i++)
        centers = pl_box_add_point(centers, pl_box_center(tree->boxes[i]));
    split best = {.axis = -1};
    double best_cost = INFINITY;
    for (int axis = 0; axis < 3; axis++) {
        double low = pl_component(centers.low, axis),
               extent = pl_component(centers.high, axis) - low;
        if (extent > 0.0)
            try_axis(tree, p, (split){axis, 0, low, BINS / extent}, &best, &best_cost);
    }
    return best;
}

static void swap_slots(pl_bvh* tree, int a, int b) {
    pl_box box = tree->boxes[a];
    int item = tree->items[a];
    tree->boxes[a] = tree->boxes[b];
    tree->items[a] = tree->items[b];
    tree->boxes[b] = box;
    tree->items[b] = item;
}

// moves the boxes of the left side to the front; returns their number
static int partition(pl_bvh* tree, const pending* p, const split* s) {
    int left = p->first, right = p->first + p->count - 1;
    while (left <= right) {
        double center = pl_component(pl_box_center(tree->boxes[left]), s->axis);
        if (bin_of(center, s->low, s->scale) <= s->bin) left++;
        else swap_slots(tree, left, right--);
    }
    return left - p->first;
}

static int split_slots(pl_bvh* tree, const pending* p) {
    if (p->depth < DEPTH_OF_HALVING) {
        split s = find_split(tree, p);
        if (s.axis >= 0) return partition(tree, p, &s);
    }
    return p->count / 2;
}

static void build_nodes(pl_bvh* tree) {
    pending stack[PL_BVH_STACK];
    int top = 0;
    stack[top++] = (pending){0, tree->slot_count, -1, 0};
    while (top > 0) {
        pending p = stack[--top];
        int index = tree->node_count++;
        pl_bvh_node* node = &tree->nodes[index];
        if (p.parent >= 0) tree->nodes[p.parent].right = index;
        node->box = pl_box_empty();
        for (int i = p.first; i < p.first + p.count; i++)
            node->box = pl_box_add_box(node->box, tree->boxes[i]);
        if (p.count <= LEAF_SIZE) {
            node->right = p.first;
            node->count = p.count;
            continue;
        }
        int left = split_slots(tree, &p);
        stack[top++] = (pending){p.first + left, p.count - left, index, p.depth + 1};
        stack[top++] = (pending){p.first, left, -1, p.depth + 1};
    }
}

static pl_status allocate(pl_bvh* tree, int count, pl_error* error) {
    *tree = (pl_bvh){0};
    if (count <= 0) return PL_OK;
    // a leaf holds at least one slot, and inner nodes are fewer than leaves
    tree->node_capacity = count < (1 << 30) ? 2 * count - 1 : 0;
    tree->slot_capacity = count;
    if (!tree->node_capacity)
        return pl_fail(error, PL_ERROR_LIMIT, "%d boxes are too many for one hierarchy", count);
    tree->nodes = PL_ALLOC(pl_bvh_node, tree->node_capacity);
    tree->boxes = PL_ALLOC(pl_box, count);
    tree->items = PL_ALLOC(int, count);
    if (tree->nodes && tree->boxes && tree->items) return PL_OK;
    pl_bvh_free(tree);
    return pl_fail_memory(error, "a bounding volume hierarchy");
}

static void add_slot(pl_bvh* tree, pl_box box, int item) {
    if (!pl_box_is_finite(box)) return;
    tree->boxes[tree->slot_count] = box;
    tree->items[tree->slot_count++] = item;
}

pl_status pl_bvh_build(const pl_box* boxes, int count, pl_bvh* out, pl_error* error) {
    pl_status status = allocate(out, count, error);
    if (status != PL_OK) return status;
    for (int i = 0; i < count; i++) add_slot(out, boxes[i], i);
    if (out->slot_count) build_nodes(out);
    return PL_OK;
}

pl_status pl_bvh_build_triangles(const double* positions, const int* triangles, int triangle_count,
                                 pl_bvh* out, pl_error* error) {
    pl_status status = allocate(out, triangle_count, error);
    if (status != PL_OK) return status;
    for (int i = 0; i < triangle_count; i++) {
        const int* t = triangles + 3 * (size_t)i;
        add_slot(out,
                 pl_box_of_triangle(pl_vec3_load(positions + 3 * (size_t)t[0]),
                                    pl_vec3_load(positions + 3 * (size_t)t[1]),
                                    pl_vec3_load(positions + 3 * (size_t)t[2])),
                 i);
    }
    if (out->slot_count) build_nodes(out);
    return PL_OK;
}

void pl_bvh_free(pl_bvh* tree) {
    PL_FREE(tree->nodes, pl_bvh_node, tree->node_capacity);
    PL_FREE(tree->boxes, pl_box, tree->slot_capacity);
    PL_FREE(tree->items, int, tree->slot_capacity);
    *tree = (pl_bvh){0};
}

void pl_bvh_refit(pl_bvh* tree) {
    // children follow their parents
    for (int i = tree->node_count - 1; i >= 0; i--) {
        pl_bvh_node* node = &tree->nodes[i];
        node->box = node->count ? pl_box_empty() : tree->nodes[i + 1].box;
        if (!node->count) node->box = pl_box_add_box(node->box, tree->nodes[node->right].box);
        for (int s = node->right; s < node->right + node->count; s++)
            node->box = pl_box_add_box(node->box, tree->boxes[s]);
    }
}

bool pl_bvh_overlap(const pl_bvh* tree, pl_box box, pl_bvh_visit visit, void* user) {
    int stack[PL_BVH_STACK], top = 0;
    if (tree->node_count) stack[top++] = 0;
    while (top > 0) {
        int index = stack[--top];
        const pl_bvh_node* node = &tree->nodes[index];
        if (!pl_box_overlaps(node->box, box)) continue;
        if (node->count == 0) {
            stack[top++] = node->right;
            stack[top++] = index + 1;
        }
        for (int i = node->right; i < node->right + node->count; i++)
            if (pl_box_overlaps(tree->boxes[i], box) && !visit(tree->items[i], user)) return false;
    }
    return true;
}

bool pl_bvh_ray(const pl_bvh* tree, pl_vec3 origin, pl_vec3 direction, double length,
                pl_bvh_visit visit, void* user) {
    pl_vec3 inverse = pl_ray_inverse(direction);
    int stack[PL_BVH_STACK], top = 0;
    if (tree->node_count) stack[top++] = 0;
    while (top > 0) {
        int index = stack[--top];
        const pl_bvh_node* node = &tree->nodes[index];
        if (pl_box_ray(node->box, origin, inverse, length) == INFINITY) continue;
        if (node->count == 0) {
            stack[top++] = node->right;
            stack[top++] = index + 1;
        }
        for (int i = node->right; i < node->right + node->count; i++)
            if (pl_box_ray(tree->boxes[i], origin, inverse, length) < INFINITY &&
                !visit(tree->items[i], user))
                return false;
    }
    return true;
}

static bool visit_slots(const pl_bvh* tree, int i, int j, pl_bvh_visit_pair visit, void* user) {
    if (!pl_box_overlaps(tree->boxes[i], tree->boxes[j])) return true;
    int a = tree->items[i], b = tree->items[j];
    return a < b ? visit(a, b, user) : visit(b, a, user);
}

// visits the pairs of items of two leaves, or of one leaf
static bool visit_leaves(const pl_bvh* tree, const pl_bvh_node* a, const pl_bvh_node* b,
                         pl_bvh_visit_pair visit, void* user) {
    for (int i = a->right; i < a->right + a->count; i++)
        for (int j = a == b ? i + 1 : b->right; j < b->right + b->count; j++)
            if (!visit_slots(tree, i, j, visit, user)) return false;
    return true;
}

bool pl_bvh_self_overlap(const pl_bvh* tree, pl_bvh_visit_pair visit, void* user) {
    // a pair of nodes is replaced by at most three pairs, in which the larger node is one level
    // deeper
    struct {
        int a, b;
    } stack[6 * PL_BVH_STACK];
    int top = 0;
    if (tree->node_count) stack[top].a = 0, stack[top++].b = 0;
    while (top > 0) {
        int a = stack[--top].a, b = stack[top].b;
        const pl_bvh_node *node_a = &tree->nodes[a], *node_b = &tree->nodes[b];
        if (a != b && !pl_box_overlaps(node_a->box, node_b->box)) continue;
        if (node_a->count && node_b->count) {
            if (!visit_leaves(tree, node_a, node_b, visit, user)) return false;
        } else if (a == b) {
            stack[top].a = a + 1, stack[top++].b = node_a->right;
            stack[top].a = node_a->right, stack[top++].b = node_a->right;
            stack[top].a = a + 1, stack[top++].b = a + 1;
        } else {
            bool open_a = node_b->count || (!node_a->count && pl_box_half_area(node_a->box) >=
                                                                  pl_box_half_area(node_b->box));
            int left = open_a ? a + 1 : b + 1, right = open_a ? node_a->right : node_b->right;
            int other = open_a ? b : a;
            stack[top].a = right, stack[top++].b = other;
            stack[top].a = left, stack[top++].b = other;
        }
    }
    return true;
}
