// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Pairs that are decided many at once, in floats: what is said holds in double too.
#include "base/random.h"
#include "contact/pair_batch.h"
#include "test.h"

static pl_vec3 random_point(pl_random* random) {
    double x = pl_random_uniform(random, -1.0, 1.0), y = pl_random_uniform(random, -1.0, 1.0);
    return (pl_vec3){x, y, pl_random_uniform(random, -1.0, 1.0)};
}

// Four corners, some of them in places where distances are hard to tell.
static pl_quad random_quad(pl_random* random, int k) {
    pl_quad quad;
    pl_vec3* x = quad.x;
    for (int i = 0; i < 4; i++) x[i] = random_point(random);
    if (k % 7 == 1) x[3] = pl_add(x[2], pl_sub(x[1], x[0])); // parallel
    if (k % 7 == 2) x[3] = pl_lerp(x[1], x[2], 0.3);
    if (k % 7 == 3) x[3] = x[2];
    if (k % 7 == 4) x[3] = pl_madd(pl_add(x[2], pl_sub(x[1], x[0])), 1e-7, random_point(random));
    return quad;
}

static void store(float to[4], pl_vec3 a, double last) {
    to[0] = (float)a.x, to[1] = (float)a.y, to[2] = (float)a.z, to[3] = (float)last;
}

typedef struct tally {
    int wrong, open, count;
} tally;

// By how much distances differ from what is asked for, as a part of it; how far all is from the
// origin; how much the pairs are scaled.
static tally judge_random_pairs(double spread, double away, double scale, bool frame_moves) {
    pl_random random = {14};
    tally t = {0};
    for (int round = 0; round < 400; round++) {
        pl_vertex_way ways[4 * PL_LANES];
        pl_pair_batch batch = {.count = PL_LANES - round % 2 * (PL_LANES / 2)};
        bool is_near[PL_LANES];
        for (int k = 0; k < batch.count; k++) {
            pl_pair_candidate* item = &batch.items[k];
            pl_quad at = random_quad(&random, round * PL_LANES + k);
            const pl_vec3 offset = pl_scale(away, random_point(&random));
            const int first = k % 2 ? 2 : 1;
            double way[2] = {0.0, 0.0};
            *item = (pl_pair_candidate){.frame_moves = frame_moves};
            item->pair.is_edges = k % 2;
            item->frame = pl_scale(frame_moves ? scale : 0.0, random_point(&random));
            for (int i = 0; i < 4; i++) {
                at.x[i] = pl_add(pl_scale(scale, at.x[i]), offset);
                const pl_vec3 own = pl_scale(0.01 * scale, random_point(&random));
                way[i >= first] = fmax(way[i >= first], pl_norm(own));
                item->pair.v[i] = 4 * k + i;
                store(ways[4 * k + i].place, at.x[i], pl_norm(own));
                store(ways[4 * k + i].motion, pl_add(own, item->frame), 0.0);
            }
            const double distance = pl_quad_distance(&at, item->pair.is_edges, NULL);
            const double room =
                (distance + way[0] + way[1]) * (1.0 + pl_random_uniform(&random, -spread, spread));
            item->reach = room - way[0] - way[1];
            is_near[k] = distance <= room;
        }
        const pl_pair_verdicts verdicts = pl_pair_batch_judge(&batch, ways);
        for (int k = 0; k < batch.count; k++) {
            const bool far = verdicts.far >> k & 1u, near = verdicts.near >> k & 1u;
            t.wrong += (far && is_near[k]) || (near && !is_near[k]);
            t.open += !far && !near;
            t.count++;
        }
    }
    return t;
}

TEST(pairs_decided_in_floats_are_those_of_doubles)
{
    for (int k = 0; k < 4; k++) {
        const double scale = k % 2 ? 1e-3 : 1.0, away = k / 2 ? 10.0 * scale : 0.0;
        for (int frame_moves = 0; frame_moves < 2; frame_moves++) {
            const tally wide = judge_random_pairs(0.5, away, scale, frame_moves);
            CHECK_INT(wide.wrong, 0);
            CHECK(wide.open < wide.count / 20);
            // so near to the limit that rounding would decide
            CHECK_INT(judge_random_pairs(1e-6, away, scale, frame_moves).wrong, 0);
            CHECK_INT(judge_random_pairs(1e-9, away, scale, frame_moves).wrong, 0);
        }
    }
}

TEST(pairs_far_from_the_origin_are_left_open_rather_than_decided_wrongly)
{
    CHECK_INT(judge_random_pairs(0.5, 1e5, 1e-3, false).wrong, 0);
    CHECK_INT(judge_random_pairs(1e-6, 1e4, 1.0, true).wrong, 0);
}
