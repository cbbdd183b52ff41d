// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Each surface has a tree of boxes over its triangles, built at rest and refitted to the current
// motion before a search. Each leaf of a tree is tested against its own tree and those of later
// surfaces. For two triangles that may meet, only the vertices and edges that count as theirs are
// compared (Curtis et al. 2008, "Fast collision detection for deformable models using
// representative-triangles"), so each pair is found once.
//
// Leaves are searched in fixed blocks. Each block has its own list, and the lists are joined in the
// order of the blocks, so any number of threads gives the same pairs in the same order.
#include "base/timer.h"
#include "contact/feature_pairs.h"
#include "contact/pair_batch.h"
#include "contact/surface_set.h"
#include "contact/surface_set_data.h"
#include "geometry/triangle_intersection.h"

#include <string.h>

// MAX_LEAF: maximum number of triangles per leaf.
enum { REFIT_BLOCK = 4096, MAX_LEAF = 8 };

static bool can_meet(const pl_surface_set* set, int a, int b) {
    const pl_contact_surface *first = &set->surfaces[a], *second = &set->surfaces[b];
    return a == b ? first->meets_itself : first->meets_others && second->meets_others;
}

typedef struct search {
    pl_surface_set* set;
    const double *start, *end; // end: NULL if nothing moves
    bool crosses;              // finds crossings, not pairs
    int surface;               // the surface whose tree is refitted
} search;

// pairs without contact are still searched for crossings, to detect when they have parted
static bool is_searched(const search* s, int a, int b) {
    const size_t pair = (size_t)a * (size_t)s->set->surface_count + (size_t)b;
    return can_meet(s->set, a, b) && (s->crosses || !s->set->parted[pair]);
}

static const pl_vec3 STILL = {0.0, 0.0, 0.0};

static pl_box grown(pl_box box, double by) {
    const pl_vec3 around = {by, by, by};
    return (pl_box){pl_sub(box.low, around), pl_add(box.high, around)};
}

// motion of a vertex relative to a frame that moves by `frame`
static pl_vec3 motion_of(const search* s, int v, pl_vec3 frame) {
    const size_t at = 3 * (size_t)v;
    const pl_vec3 way = pl_sub(pl_vec3_load(s->end + at), pl_vec3_load(s->start + at));
    return pl_sub(way, frame);
}

// box around the paths of vertices, in a frame that moves by `frame`
static pl_box box_of(const search* s, const int* v, int count, double reach, pl_vec3 frame) {
    pl_box box = pl_box_empty();
    for (int i = 0; i < count; i++) {
        box = pl_box_add_point(box, pl_vec3_load(s->start + 3 * (size_t)v[i]));
        if (!s->end) continue;
        const pl_vec3 end = pl_sub(pl_vec3_load(s->end + 3 * (size_t)v[i]), frame);
        box = pl_box_add_point(box, end);
    }
    return grown(box, reach);
}

// reach of a surface towards another one, or towards itself
static double reach_of(const search* s, int surface, bool is_self) {
    const pl_contact_surface* of = &s->set->surfaces[surface];
    return s->crosses ? 0.0 : of->reach - (is_self ? of->self_less : 0.0);
}

// reach for the whole surface in this search
static double whole_reach(const search* s, int surface) {
    return reach_of(s, surface, s->set->surfaces[surface].is_lone);
}

// box around the path of a vertex, in a frame that moves by `frame` (four floats)
static pl_wide_box way_box(const search* s, int v, const float* frame, double reach) {
    const pl_vertex_way* way = &s->set->ways[v];
    return pl_wide_box_of_way(way->place, way->motion, frame, (float)reach);
}

static bool is_still(pl_vec3 frame) { return pl_norm2(frame) == 0.0; }

static void fit_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const search* s = user;
    pl_contact_surface* surface = &s->set->surfaces[s->surface];
    const double reach = whole_reach(s, s->surface);
    const bool still = is_still(surface->common);
    float common[4];
    pl_store4(common, pl_float4_of(surface->common));
    pl_wide_box* slots = surface->boxes.slots;
    for (int k = begin; k < end; k++) {
        const int* v =
            s->set->triangles + 3 * (size_t)(surface->first_triangle + surface->tree.items[k]);
        slots[k] = pl_wide_box_empty();
        for (int i = 0; i < 3; i++)
            slots[k] = pl_wide_box_add(slots[k], still ? s->set->ways[v[i]].box
                                                       : way_box(s, v[i], common, reach));
    }
}

// computes the boxes of nodes from those of slots
static void refit(pl_contact_surface* surface) {
    pl_wide_box* nodes = surface->boxes.nodes;
    const pl_wide_box* slots = surface->boxes.slots;
    for (int k = surface->tree.node_count - 1; k >= 0; k--) {
        const pl_bvh_node* node = &surface->tree.nodes[k];
        if (node->count == 0) {
            nodes[k] = pl_wide_box_add(nodes[k + 1], nodes[node->right]);
            continue;
        }
        nodes[k] = slots[node->right];
        for (int i = 1; i < node->count; i++)
            nodes[k] = pl_wide_box_add(nodes[k], slots[node->right + i]);
    }
}

static void bound_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const search* s = user;
    for (int k = begin; k < end; k++) {
        pl_contact_surface* surface = &s->set->surfaces[k];
        surface->is_near = false;
        surface->is_lone = true;
        surface->common = STILL;
        surface->box = pl_box_empty();
        for (int v = surface->first_vertex; v < surface->end_vertex; v++) {
            if (s->set->surface_of_vertex[v] != k) continue;
            const size_t at = 3 * (size_t)v;
            surface->box = pl_box_add_point(surface->box, pl_vec3_load(s->start + at));
            if (s->end) surface->box = pl_box_add_point(surface->box, pl_vec3_load(s->end + at));
        }
        surface->box = grown(surface->box, reach_of(s, k, false));
    }
}

// lists for each surface the ones that it may meet, by their boxes
static bool list_near(const search* s, pl_pool* pool) {
    pl_surface_set* set = s->set;
    pl_parallel_for(pool, bound_task, set->surface_count, 1, (void*)s);
    set->near.count = 0;
    for (int a = 0; a < set->surface_count; a++) {
        pl_contact_surface* first = &set->surfaces[a];
        set->near_offsets[a] = (int)set->near.count;
        for (int b = a; b < set->surface_count; b++) {
            pl_contact_surface* second = &set->surfaces[b];
            if (!first->triangle_count || !second->triangle_count || !is_searched(s, a, b))
                continue;
            if (!pl_box_overlaps(first->box, second->box)) continue;
            if (!pl_array_push(&set->near, &b)) return false;
            first->is_near = second->is_near = true;
            if (a != b) first->is_lone = second->is_lone = false;
        }
    }
    set->near_offsets[set->surface_count] = (int)set->near.count;
    return true;
}

// A vertex of a surface that is near another one, so that floats relative to it are precise.
static pl_vec3 choose_origin(const search* s) {
    for (int k = 0; k < s->set->surface_count; k++) {
        const pl_contact_surface* surface = &s->set->surfaces[k];
        if (surface->is_near) return pl_vec3_load(s->start + 3 * (size_t)surface->first_vertex);
    }
    return STILL;
}

static void fit_vertices_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const search* s = user;
    for (int v = begin; v < end; v++) {
        const int surface = s->set->surface_of_vertex[v];
        if (surface < 0 || !s->set->surfaces[surface].is_near) continue;
        pl_vertex_way* way = &s->set->ways[v];
        const pl_vec3 motion = s->end ? motion_of(s, v, STILL) : STILL;
        const pl_vec3 place = pl_sub(pl_vec3_load(s->start + 3 * (size_t)v), s->set->origin);
        pl_store4(way->place, pl_float4_of(place));
        pl_store4(way->motion, pl_float4_of(motion));
        way->place[3] = (float)pl_norm(motion);
        pl_box box = box_of(s, &v, 1, whole_reach(s, surface), STILL);
        box = (pl_box){pl_sub(box.low, s->set->origin), pl_sub(box.high, s->set->origin)};
        way->box = pl_wide_box_of(box);
    }
}

// Mean motion of a surface: in a frame that moves with it, its parts move least.
static pl_vec3 mean_way(const search* s, int surface) {
    const pl_contact_surface* of = &s->set->surfaces[surface];
    pl_vec3 sum = STILL;
    int count = 0;
    for (int v = of->first_vertex; v < of->end_vertex; v++) {
        if (s->set->surface_of_vertex[v] != surface) continue;
        sum = pl_add(sum, motion_of(s, v, STILL));
        count++;
    }
    return pl_scale(1.0 / (count ? count : 1), sum);
}

// refits the trees of all surfaces that are near one, and the boxes of their vertices
static void fit_trees(search* s, pl_pool* pool) {
    s->set->origin = choose_origin(s);
    pl_parallel_for(pool, fit_vertices_task, s->set->vertex_count, REFIT_BLOCK, s);
    for (int k = 0; k < s->set->surface_count; k++) {
        pl_bvh* tree = &s->set->surfaces[k].tree;
        pl_contact_surface* surface = &s->set->surfaces[k];
        if (!surface->is_near) continue;
        if (s->end && surface->is_lone && surface->moves_as_one) surface->common = mean_way(s, k);
        s->surface = k;
        pl_parallel_for(pool, fit_task, tree->slot_count, REFIT_BLOCK, s);
        refit(surface);
    }
}

// A triangle of the leaf that is being compared with a tree.
typedef struct own_triangle {
    pl_vec3 frame; // motion of the frame in which it is compared
    float wide_frame[4];
    pl_triangle_boxes boxes;
    bool is_ready;
} own_triangle;

// A leaf and the tree that it is tested against.
typedef struct query {
    const search* search;
    pl_array* out;
    int surfaces[2]; // of the leaf; of the tree
    double reach[2]; // of the two surfaces towards each other
    bool moves;      // triangles are compared in moving frames
    own_triangle triangles[MAX_LEAF];
    const own_triangle* own; // the current triangle of the leaf
    int triangle;            // number of this triangle
    pl_pair_batch batch;
    bool failed;
} query;

static void take_boxes(const query* q, int triangle, int side, const float* frame,
                       pl_triangle_boxes* out) {
    const search* s = q->search;
    const int* v = s->set->triangles + 3 * (size_t)triangle;
    pl_wide_box* of = out->of;
    for (int i = 0; i < 3; i++)
        of[i] = q->moves ? way_box(s, v[i], frame, q->reach[side]) : s->set->ways[v[i]].box;
    for (int k = 0; k < 3; k++)
        of[PL_OF_EDGES + k] =
            pl_wide_box_add(of[PL_TRIANGLE_EDGE[k][0]], of[PL_TRIANGLE_EDGE[k][1]]);
    of[PL_OF_WHOLE] = pl_wide_box_add(of[PL_OF_EDGES], of[2]);
}

static bool has_vertex(const int* v, int count, int vertex) {
    for (int i = 0; i < count; i++)
        if (v[i] == vertex) return true;
    return false;
}

// the longest path of a corner
static double way_of(const search* s, const int* v, int count, pl_vec3 frame) {
    double most = 0.0;
    for (int i = 0; s->end && i < count; i++) most = fmax(most, pl_norm(motion_of(s, v[i], frame)));
    return most;
}

// compares the boxes of a pair in double, which is decisive
static bool boxes_overlap(const search* s, const pl_pair_candidate* item) {
    const pl_contact_pair* pair = &item->pair;
    const int first = pair->is_edges ? 2 : 1;
    const bool is_self = pair->surfaces[0] == pair->surfaces[1];
    const double reach[2] = {reach_of(s, pair->surfaces[0], is_self),
                             reach_of(s, pair->surfaces[1], is_self)};
    return pl_box_overlaps(box_of(s, pair->v, first, reach[0], item->frame),
                           box_of(s, pair->v + first, 4 - first, reach[1], item->frame));
}

// How much less than the thickness of both the distance of a pair of one surface may be.
static double spared_at_rest(const search* s, const pl_contact_pair* pair) {
    const pl_contact_surface* surface = &s->set->surfaces[pair->surfaces[0]];
    if (pair->surfaces[0] != pair->surfaces[1] || !surface->patches) return 0.0;
    const pl_quad rest = pl_pair_places(pair, s->set->rest);
    const double kept = PL_REST_PART * pl_quad_distance(&rest, pair->is_edges, NULL);
    return fmax(pl_surfaces_distance(surface, surface) - kept, 0.0);
}

// The exact test, in double. is_near: the distance is known to be small enough.
static bool is_listed(const search* s, const pl_pair_candidate* item, bool is_near) {
    const pl_contact_pair* pair = &item->pair;
    const int first = pair->is_edges ? 2 : 1;
    const double spared = spared_at_rest(s, pair);
    if (!is_near || spared > 0.0) {
        const pl_quad at = pl_pair_places(pair, s->start);
        const double near = item->reach + way_of(s, pair->v, first, item->frame) +
                            way_of(s, pair->v + first, 4 - first, item->frame);
        if (pl_quad_distance(&at, pair->is_edges, NULL) > near - spared) return false;
    }
    return item->boxes_meet || boxes_overlap(s, item);
}

// lists the pairs of the batch that are near
static void settle(query* q) {
    const search* s = q->search;
    if (q->batch.count == 0) return;
    const pl_pair_verdicts verdicts = pl_pair_batch_judge(&q->batch, s->set->ways);
    for (int k = 0; k < q->batch.count; k++) {
        const pl_pair_candidate* item = &q->batch.items[k];
        if ((verdicts.far >> k & 1u) || !is_listed(s, item, verdicts.near >> k & 1u)) continue;
        if (!pl_array_push(q->out, &item->pair)) q->failed = true;
    }
    q->batch.count = 0;
}

// Adds a pair whose boxes overlap to the batch.
static void add_pair(query* q, const pl_feature_pair* pair, const int corners[6], bool boxes_meet) {
    pl_pair_candidate* item = &q->batch.items[q->batch.count];
    for (int i = 0; i < 4; i++) item->pair.v[i] = corners[pair->corners[i]];
    if (pl_have_common_vertex(item->pair.v, pair->is_edges)) return;
    item->pair.surfaces[0] = q->surfaces[pair->is_turned];
    item->pair.surfaces[1] = q->surfaces[!pair->is_turned];
    item->pair.is_edges = pair->is_edges;
    item->frame = q->own->frame;
    item->reach = q->reach[0] + q->reach[1];
    item->boxes_meet = boxes_meet;
    item->frame_moves = q->moves;
    if (++q->batch.count == PL_LANES) settle(q);
}

// compares the feature pairs that count as belonging to two triangles
static void compare_features(query* q, int other) {
    const pl_surface_set* set = q->search->set;
    const int *a = set->triangles + 3 * (size_t)q->triangle,
              *b = set->triangles + 3 * (size_t)other;
    const int corners[6] = {a[0], a[1], a[2], b[0], b[1], b[2]};
    const pl_triangle_boxes* at_a = &q->own->boxes;
    pl_triangle_boxes at_b;
    take_boxes(q, other, 1, q->own->wide_frame, &at_b);
    if (q->moves && !pl_wide_box_overlaps(at_a->of[PL_OF_WHOLE], at_b.of[PL_OF_WHOLE])) return;
    for (unsigned left = pl_own_features(set->features[q->triangle], set->features[other]) &
                         pl_overlapping_features(at_a, &at_b);
         left; left &= left - 1) {
        const pl_feature_pair* pair = &PL_FEATURES[__builtin_ctz(left)];
        const bool boxes_meet = !q->moves && pl_wide_box_surely_overlaps(at_a->of[pair->boxes[0]],
                                                                         at_b.of[pair->boxes[1]]);
        add_pair(q, pair, corners, boxes_meet);
    }
}

static void add_crossings(query* q, int of_edges, int of_triangle) {
    const search* s = q->search;
    const int* e = s->set->triangles + 3 * (size_t)of_edges;
    const int* t = s->set->triangles + 3 * (size_t)of_triangle;
    pl_vec3 corners[3];
    for (int i = 0; i < 3; i++) corners[i] = pl_vec3_load(s->start + 3 * (size_t)t[i]);
    for (int k = 0; k < 3; k++) {
        const int v[2] = {e[PL_TRIANGLE_EDGE[k][0]], e[PL_TRIANGLE_EDGE[k][1]]};
        if (!(s->set->features[of_edges] & (8 << k))) continue;
        if (has_vertex(t, 3, v[0]) || has_vertex(t, 3, v[1])) continue;
        const pl_vec3 from = pl_vec3_load(s->start + 3 * (size_t)v[0]);
        const pl_vec3 to = pl_vec3_load(s->start + 3 * (size_t)v[1]);
        if (pl_triangle_is_flat(corners[0], corners[1], corners[2]) ||
            !pl_segment_meets_triangle(from, to, corners))
            continue;
        const pl_crossing crossing = {
            {v[0], v[1]}, {t[0], t[1], t[2]}, {q->surfaces[0], q->surfaces[1]}};
        if (!pl_array_push(q->out, &crossing)) q->failed = true;
    }
}

// Makes a triangle of the leaf the current one. If the comparison is in moving frames, its frame
// moves with the triangle.
static void take_triangle(query* q, int slot, int triangle) {
    const search* s = q->search;
    own_triangle* own = &q->triangles[slot];
    q->triangle = triangle;
    q->own = own;
    if (s->crosses || own->is_ready) return;
    own->is_ready = true;
    own->frame = STILL;
    const int* v = s->set->triangles + 3 * (size_t)triangle;
    for (int i = 0; q->moves && i < 3; i++)
        own->frame = pl_madd(own->frame, 1.0 / 3.0, motion_of(s, v[i], STILL));
    pl_store4(own->wide_frame, pl_float4_of(own->frame));
    take_boxes(q, triangle, 0, own->wide_frame, &own->boxes);
}

static void compare(query* q, int other) {
    if (q->search->crosses) {
        add_crossings(q, q->triangle, other);
        add_crossings(q, other, q->triangle);
    } else {
        compare_features(q, other);
    }
}

// compares the triangles of two leaves, or of one leaf with each other
static void compare_leaves(query* q, int leaf, int other) {
    const pl_contact_surface *first = &q->search->set->surfaces[q->surfaces[0]],
                             *second = &q->search->set->surfaces[q->surfaces[1]];
    const pl_bvh_node *a = &first->tree.nodes[leaf], *b = &second->tree.nodes[other];
    const pl_wide_box *of_a = first->boxes.slots, *of_b = second->boxes.slots;
    const pl_wide_box whole = ((const pl_wide_box*)second->boxes.nodes)[other];
    for (int i = a->right; i < a->right + a->count; i++) {
        if (!pl_wide_box_overlaps(of_a[i], whole)) continue;
        for (int j = a == b ? i + 1 : b->right; j < b->right + b->count && !q->failed; j++) {
            if (!pl_wide_box_overlaps(of_a[i], of_b[j])) continue;
            take_triangle(q, i - a->right, first->first_triangle + first->tree.items[i]);
            compare(q, second->first_triangle + second->tree.items[j]);
        }
    }
}

// prepares a query for a leaf and the tree of q->surfaces[1]
static void begin_query(query* q) {
    const search* s = q->search;
    const bool is_self = q->surfaces[0] == q->surfaces[1];
    const bool moves = s->end && is_self && s->set->surfaces[q->surfaces[0]].moves_as_one;
    if (moves != q->moves) settle(q); // all pairs of a batch are of the same kind
    q->moves = moves;
    for (int i = 0; i < 2; i++) q->reach[i] = reach_of(s, q->surfaces[i], is_self);
    for (int i = 0; i < MAX_LEAF; i++) q->triangles[i].is_ready = false;
}

// compares a leaf with a tree; of its own tree only with itself and later leaves, without those
// that flat patches keep apart
static void search_tree(query* q, int leaf) {
    const pl_contact_surface *surface = &q->search->set->surfaces[q->surfaces[0]],
                             *other = &q->search->set->surfaces[q->surfaces[1]];
    const pl_bvh *own = &surface->tree, *tree = &other->tree;
    const pl_flat_patches* patches = own == tree ? surface->patches : NULL;
    const pl_wide_box* boxes = other->boxes.nodes;
    const pl_wide_box box = ((const pl_wide_box*)surface->boxes.nodes)[leaf];
    int stack[PL_BVH_STACK], top = 0;
    begin_query(q);
    if (tree->node_count) stack[top++] = 0;
    while (top > 0) {
        const int index = stack[--top];
        const pl_bvh_node* node = &tree->nodes[index];
        if (!pl_wide_box_overlaps(boxes[index], box)) continue;
        if (node->count > 0) {
            if (!patches || !pl_flat_patches_part(patches, leaf, index))
                compare_leaves(q, leaf, index);
            continue;
        }
        stack[top++] = node->right;
        if (own != tree || leaf < node->right) stack[top++] = index + 1;
    }
}

// ------------------------------------------------------------------ flat parts

static void find_flat(const search* s, pl_pool* pool) {
    // patches that are flat with this margin, as a fraction of the gap, stay flat for a while
    static const double MARGIN = 0.1, MARGIN_OF_CROSSINGS = 1e-6;
    for (int k = 0; k < s->set->surface_count; k++) {
        const pl_contact_surface* surface = &s->set->surfaces[k];
        if (!surface->patches || !surface->is_near) continue;
        pl_flat_patches_find(surface->patches, pool, s->start, s->end,
                             s->crosses ? 0.0 : pl_surfaces_distance(surface, surface),
                             s->crosses ? MARGIN_OF_CROSSINGS : MARGIN);
    }
}

bool pl_surface_set_stays_flat(const pl_surface_set* set, pl_pool* pool, const double* x) {
    for (int k = 0; k < set->surface_count; k++) {
        const pl_contact_surface* surface = &set->surfaces[k];
        if (surface->patches && surface->is_near &&
            !pl_flat_patches_hold(surface->patches, pool, x,
                                  pl_surfaces_distance(surface, surface)))
            return false;
    }
    return true;
}

// ------------------------------------------------------------------ all

static void search_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const search* s = user;
    const pl_surface_set* set = s->set;
    const int block = begin / PL_LEAF_BLOCK;
    const int* near = set->near.data;
    query q = {.search = s, .out = s->crosses ? &set->crossings[block] : &set->pairs[block]};
    q.out->count = 0;
    for (int k = begin; k < end; k++) {
        const int own = q.surfaces[0] = set->leaves[k].surface;
        for (int n = set->near_offsets[own]; n < set->near_offsets[own + 1] && !q.failed; n++) {
            q.surfaces[1] = near[n];
            search_tree(&q, set->leaves[k].node);
        }
    }
    settle(&q);
    if (q.failed) q.out->count = SIZE_MAX; // reported by run
}

// joins the lists of all blocks
static pl_status join_lists(const pl_surface_set* set, const pl_array* lists, pl_array* out,
                            pl_error* error) {
    size_t count = 0;
    for (int k = 0; k < set->block_count; k++) {
        if (lists[k].count == SIZE_MAX) return pl_fail_memory(error, "contacts");
        count += lists[k].count;
    }
    if (count > out->capacity && !pl_array_reserve(out, count + count / 4))
        return pl_fail_memory(error, "contacts");
    for (int k = 0; k < set->block_count; k++) {
        if (lists[k].count == 0) continue;
        memcpy((char*)out->data + out->count * out->item_size, lists[k].data,
               lists[k].count * out->item_size);
        out->count += lists[k].count;
    }
    return PL_OK;
}

static pl_status run(search* s, pl_pool* pool, pl_array* out, pl_error* error) {
    pl_surface_set* set = s->set;
    pl_array* lists = s->crosses ? set->crossings : set->pairs;
    out->count = 0;
    if (!list_near(s, pool)) return pl_fail_memory(error, "contacts");
    if (set->near.count == 0) {
        for (int k = 0; k < set->block_count; k++) lists[k].count = 0;
        return PL_OK;
    }
    fit_trees(s, pool);
    find_flat(s, pool);
    pl_parallel_for(pool, search_task, set->leaf_count, PL_LEAF_BLOCK, s);
    return join_lists(set, lists, out, error);
}

bool pl_surface_set_is_apart(pl_surface_set* set, pl_pool* pool, const double* start,
                             const double* end) {
    const search s = {.set = set, .start = start, .end = end};
    return list_near(&s, pool) && set->near.count == 0;
}

pl_status pl_surface_set_find(pl_surface_set* set, pl_pool* pool, const double* start,
                              const double* end, pl_array* out, pl_error* error) {
    search s = {.set = set, .start = start, .end = end};
    const double begin = pl_seconds();
    const pl_status status = run(&s, pool, out, error);
    set->seconds += pl_seconds() - begin;
    return status;
}

pl_status pl_surface_set_cross(pl_surface_set* set, pl_pool* pool, const double* positions,
                               pl_array* out, pl_error* error) {
    search s = {.set = set, .start = positions, .crosses = true};
    const size_t size = 3 * (size_t)set->vertex_count * sizeof(double);
    // the end of a frame is the start of the next one
    if (set->has_crossed && memcmp(set->crossed_at, positions, size) == 0) {
        out->count = 0;
        return join_lists(set, set->crossings, out, error);
    }
    const pl_status status = run(&s, pool, out, error);
    set->has_crossed = status == PL_OK;
    memcpy(set->crossed_at, positions, size);
    return status;
}

pl_status pl_surface_set_measure(pl_surface_set* set, pl_pool* pool, pl_error* error) {
    pl_array list = pl_array_of(sizeof(pl_contact_pair));
    for (int s = 0; s < set->surface_count; s++)
        set->surfaces[s].reach = set->surfaces[s].thickness;
    const pl_status status = pl_surface_set_find(set, pool, set->rest, NULL, &list, error);
    const pl_contact_pair* pairs = list.data;
    for (size_t k = 0; status == PL_OK && k < list.count; k++) {
        const pl_quad at = pl_pair_places(&pairs[k], set->rest);
        int a = pairs[k].surfaces[0], b = pairs[k].surfaces[1];
        double* nearest =
            &set->nearest[a < b ? a * set->surface_count + b : b * set->surface_count + a];
        if (a != b) *nearest = fmin(*nearest, pl_quad_distance(&at, pairs[k].is_edges, NULL));
    }
    pl_array_free(&list);
    return status;
}
