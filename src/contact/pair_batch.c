// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The two features of a pair are far apart if their projections onto some direction are farther
// apart than asked; they are near if two of their points are. Any direction and any two points give
// a valid answer, so rounding errors in finding them do not matter: the directions are the common
// normal and the line through the approximate closest points. Vertices x0 to x3 are relative to x3:
// a, b, c and zero.
#include "contact/pair_batch.h"
#include "math/vec3w.h"

// Error of a length in floats, as a fraction of the length, and of the size of the pair and of the
// numbers that give its position and motion.
#define PART_OF_LENGTH 1e-5f
#define PART_OF_SIZE 4e-6f
#define PART_OF_PLACE 2e-6f
// Squared lengths below this may have lost all digits.
#define SMALLEST_SQUARE 1e-35f

// The pairs of a batch, one per lane.
typedef struct lanes {
    int32_t offsets[4][PL_LANES]; // of a vertex, in floats
    int32_t is_edges[PL_LANES];   // -1 or 0
    float reach[PL_LANES], frame[3][PL_LANES];
} lanes;

static void spread(const pl_pair_batch* batch, lanes* out) {
    const int floats = (int)(sizeof(pl_vertex_way) / sizeof(float));
    for (int k = 0; k < PL_LANES; k++) {
        const pl_pair_candidate* item = &batch->items[k < batch->count ? k : 0];
        for (int i = 0; i < 4; i++) out->offsets[i][k] = floats * item->pair.v[i];
        out->is_edges[k] = -(int32_t)item->pair.is_edges;
        out->reach[k] = (float)item->reach;
        out->frame[0][k] = (float)item->frame.x;
        out->frame[1][k] = (float)item->frame.y;
        out->frame[2][k] = (float)item->frame.z;
    }
}

PL_WIDE pl_vec3w xyz(pl_float4w a) { return (pl_vec3w){a.x, a.y, a.z}; }

PL_WIDE pl_vec3w select_vec3(pl_iw mask, pl_vec3w a, pl_vec3w b) {
    return (pl_vec3w){pl_select_w(mask, a.x, b.x), pl_select_w(mask, a.y, b.y),
                      pl_select_w(mask, a.z, b.z)};
}

PL_WIDE pl_fw norm2(pl_vec3w a) { return pl_dot_w(a, a); }

// A corner of each pair.
typedef struct corner {
    pl_vec3w place;
    pl_fw way;  // length of its path
    pl_fw size; // largest number that `place` or `way` is computed from
} corner;

PL_WIDE pl_fw size_of(pl_vec3w a) {
    return pl_max_w(pl_max_w(pl_abs_w(a.x), pl_abs_w(a.y)), pl_abs_w(a.z));
}

PL_WIDE corner load_corner(const lanes* in, const pl_vertex_way* ways, int i, bool moves) {
    const pl_float4w at = pl_load4_at_w(ways->place, in->offsets[i]);
    corner out = {xyz(at), at.w, size_of(xyz(at))};
    if (!moves) return out;
    const pl_vec3w frame = {pl_loadu_w(in->frame[0]), pl_loadu_w(in->frame[1]),
                            pl_loadu_w(in->frame[2])};
    const pl_vec3w motion = xyz(pl_load4_at_w(ways->motion, in->offsets[i]));
    out.way = pl_sqrt_w(norm2(pl_sub_w(motion, frame)));
    out.size += size_of(motion) + size_of(frame);
    return out;
}

// Four points of a pair, the last one at the origin.
typedef struct wide_pair {
    pl_vec3w a, b, c;
    pl_iw is_edges;
} wide_pair;

// True where the projections of the two features on w are farther apart than `room`.
PL_WIDE pl_iw are_apart(const wide_pair* p, pl_vec3w w, pl_fw room) {
    const pl_fw zero = {0}, a = pl_dot_w(p->a, w), b = pl_dot_w(p->b, w), c = pl_dot_w(p->c, w);
    const pl_fw first_high = pl_max_w(a, pl_select_w(p->is_edges, b, a));
    const pl_fw first_low = pl_min_w(a, pl_select_w(p->is_edges, b, a));
    const pl_fw rest = pl_select_w(p->is_edges, zero, b);
    const pl_fw second_high = pl_max_w(pl_max_w(c, zero), rest);
    const pl_fw second_low = pl_min_w(pl_min_w(c, zero), rest);
    const pl_fw gap = pl_max_w(first_low - second_high, second_low - first_high);
    return (gap > 0.0f) & (gap * gap > norm2(w) * room * room + SMALLEST_SQUARE);
}

PL_WIDE pl_fw between_0_and_1(pl_fw a) {
    return pl_min_w(pl_max_w(a, pl_splat_w(0.0f)), pl_splat_w(1.0f));
}

// a / b; 0 where b is 0
PL_WIDE pl_fw part_of(pl_fw a, pl_fw b) {
    const pl_iw is_some = b > 0.0f;
    return pl_select_w(is_some, a / pl_select_w(is_some, b, pl_splat_w(1.0f)), pl_splat_w(0.0f));
}

// Vector from a point of the segment 0 to v to a point of the segment w to w + u, approximately the
// shortest (Ericson 2005, "Real-time collision detection", 5.1.9).
PL_WIDE pl_vec3w between_segments(pl_vec3w w, pl_vec3w u, pl_vec3w v) {
    const pl_fw uu = norm2(u), uv = pl_dot_w(u, v), vv = norm2(v), uw = pl_dot_w(u, w),
                vw = pl_dot_w(v, w);
    pl_fw s = between_0_and_1(part_of(uv * vw - uw * vv, uu * vv - uv * uv));
    const pl_fw t = between_0_and_1(part_of(uv * s + vw, vv));
    s = between_0_and_1(part_of(uv * t - uw, uu));
    return pl_madd_w(pl_madd_w(w, s, u), -t, v);
}

// Vector from the approximately closest point of the segment p to q to the point a.
PL_WIDE pl_vec3w from_segment(pl_vec3w a, pl_vec3w p, pl_vec3w q) {
    const pl_vec3w edge = pl_sub_w(q, p), way = pl_sub_w(a, p);
    return pl_madd_w(way, -between_0_and_1(part_of(pl_dot_w(way, edge), norm2(edge))), edge);
}

PL_WIDE pl_vec3w shorter(pl_vec3w a, pl_vec3w b) { return select_vec3(norm2(a) < norm2(b), a, b); }

// Vector from the approximately closest point of the triangle b, c, 0 to a; normal: of the
// triangle, of any length.
PL_WIDE pl_vec3w from_triangle(pl_vec3w a, pl_vec3w b, pl_vec3w c, pl_vec3w normal) {
    const pl_vec3w none = {{0}, {0}, {0}};
    const pl_fw area2 = norm2(normal);
    const pl_fw v = pl_dot_w(pl_cross_w(a, c), normal), w = pl_dot_w(pl_cross_w(b, a), normal);
    const pl_iw is_inside = (v >= 0.0f) & (w >= 0.0f) & (v + w <= area2) & (area2 > 0.0f);
    const pl_vec3w foot = pl_madd_w(pl_madd_w(a, -part_of(v, area2), b), -part_of(w, area2), c);
    const pl_vec3w side =
        shorter(shorter(from_segment(a, none, b), from_segment(a, none, c)), from_segment(a, b, c));
    return select_vec3(is_inside, foot, side);
}

// Vector between the approximately closest points.
PL_WIDE pl_vec3w shortest_way(const wide_pair* p, pl_vec3w normal) {
    return select_vec3(p->is_edges, between_segments(p->b, pl_sub_w(p->a, p->b), p->c),
                       from_triangle(p->a, p->b, p->c, normal));
}

PL_WIDE pl_pair_verdicts judge(const pl_pair_batch* batch, const pl_vertex_way* ways, bool moves) {
    lanes in;
    spread(batch, &in);
    corner x[4];
    for (int i = 0; i < 4; i++) x[i] = load_corner(&in, ways, i, moves);
    wide_pair p = {pl_sub_w(x[0].place, x[3].place),
                   pl_sub_w(x[1].place, x[3].place),
                   pl_sub_w(x[2].place, x[3].place),
                   {0}};
    memcpy(&p.is_edges, in.is_edges, sizeof p.is_edges);
    const pl_fw zero = {0}, of_1 = pl_select_w(p.is_edges, x[1].way, zero);
    const pl_fw room = pl_loadu_w(in.reach) + pl_max_w(x[0].way, of_1) +
                       pl_max_w(pl_max_w(x[2].way, x[3].way), x[1].way - of_1);
    const pl_fw size = pl_sqrt_w(pl_max_w(pl_max_w(norm2(p.a), norm2(p.b)), norm2(p.c)));
    const pl_fw place = pl_max_w(pl_max_w(x[0].size, x[1].size), pl_max_w(x[2].size, x[3].size));
    const pl_fw error = room * PART_OF_LENGTH + size * PART_OF_SIZE + place * PART_OF_PLACE;
    const pl_vec3w normal = pl_cross_w(select_vec3(p.is_edges, pl_sub_w(p.a, p.b), p.b), p.c);
    const pl_vec3w way = shortest_way(&p, normal);
    const pl_fw near = room - error, far = room + error, least = norm2(way) + SMALLEST_SQUARE;
    return (pl_pair_verdicts){
        .far = pl_mask_bits_w(are_apart(&p, way, far) | are_apart(&p, normal, far)),
        .near = pl_mask_bits_w((near > 0.0f) & (least < near * near))};
}

pl_pair_verdicts pl_pair_batch_judge(const pl_pair_batch* batch, const pl_vertex_way* ways) {
    return batch->items[0].frame_moves ? judge(batch, ways, true) : judge(batch, ways, false);
}
