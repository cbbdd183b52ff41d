// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "verify_contact.h"
#include "base/random.h"
#include "contact/surface_set.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static pl_vec3 random_vector(pl_random* random, double size) {
    double x = pl_random_uniform(random, -size, size), y = pl_random_uniform(random, -size, size);
    return (pl_vec3){x, y, pl_random_uniform(random, -size, size)};
}

// ------------------------------------------------------------------ continuous collision

// Two primitives at random; every third is degenerate in one of several ways.
static void random_motion(pl_random* random, pl_quad* start, pl_quad* motion) {
    const int kind = pl_random_int(random, 24);
    const double speed = pow(10.0, pl_random_uniform(random, -2.0, 1.5));
    for (int i = 0; i < 4; i++) {
        start->x[i] = random_vector(random, 1.0);
        motion->x[i] = random_vector(random, speed);
    }
    pl_vec3* x = start->x;
    if (pl_random_int(random, 2)) { // most of these meet
        const pl_vec3 way = pl_scale(pl_random_uniform(random, 0.8, 3.0),
                                     pl_sub(pl_lerp(x[2], x[3], 0.5), pl_lerp(x[0], x[1], 0.3)));
        motion->x[0] = motion->x[1] = way;
        motion->x[2] = motion->x[3] = random_vector(random, 0.1);
    }
    if (kind == 0) x[3] = x[2];                                            // no area, no length
    if (kind == 1) x[3] = pl_lerp(x[1], x[2], 0.3);                        // flat triangle
    if (kind == 2) x[3] = pl_add(x[2], pl_sub(x[1], x[0]));                // parallel edges
    if (kind == 3) x[0] = pl_madd(x[1], 1e-7, random_vector(random, 1.0)); // very near
    if (kind == 4)
        for (int i = 0; i < 4; i++) x[i].z = i == 0 ? 1e-3 : 0.0, motion->x[i].z *= 0.01;
    if (kind == 5)
        for (int i = 1; i < 4; i++) motion->x[i] = motion->x[0]; // no relative motion
    if (kind == 6) { // straight at the middle of a triangle
        const pl_vec3 middle = pl_scale(1.0 / 3.0, pl_add(x[1], pl_add(x[2], x[3])));
        motion->x[0] = pl_scale(3.0, pl_sub(middle, x[0]));
    }
    if (kind == 7) // far from the origin
        for (int i = 0; i < 4; i++) x[i] = pl_add(x[i], (pl_vec3){1e5, -1e5, 1e5});
}

static double distance_at(const pl_quad* start, const pl_quad* motion, bool is_edges, double part) {
    pl_quad at;
    for (int i = 0; i < 4; i++) at.x[i] = pl_madd(start->x[i], part, motion->x[i]);
    return pl_quad_distance(&at, is_edges, NULL);
}

// smallest distance within the part that is allowed, by sampling
static double least_before(const pl_quad* start, const pl_quad* motion, bool is_edges, double part,
                           int samples) {
    double least = INFINITY;
    for (int k = 0; k <= samples; k++)
        least = fmin(least, distance_at(start, motion, is_edges, part * k / samples));
    return least;
}

static double first_contact(const pl_quad* start, const pl_quad* motion, bool is_edges, double near,
                            int samples) {
    for (int k = 0; k <= samples; k++)
        if (distance_at(start, motion, is_edges, (double)k / samples) <= near)
            return (double)k / samples;
    return NAN;
}

verify_ccd_result verify_ccd(int motion_count, int samples, uint64_t seed) {
    verify_ccd_result r = {.motion_count = motion_count, .least_left = INFINITY};
    pl_random random = {seed};
    double sum = 0.0;
    int sum_count = 0;
    for (int m = 0; m < motion_count; m++) {
        pl_quad start, motion;
        random_motion(&random, &start, &motion);
        const bool is_edges = m % 2 == 1;
        const double distance = pl_quad_distance(&start, is_edges, NULL);
        const double part = pl_quad_advance(&start, &motion, is_edges);
        if (!(part > 0.0)) continue;
        // what is left at least, between the places where the distance is taken
        const double left = least_before(&start, &motion, is_edges, part, samples) / distance;
        r.least_left = fmin(r.least_left, left);
        r.late_count += !(left > 0.05);
        r.hit_count += part < 1.0;
        const double contact = first_contact(&start, &motion, is_edges, 0.1 * distance, samples);
        if (part < 1.0 && contact > 0.0) sum += 1.0 - fmin(part / contact, 1.0), sum_count++;
    }
    r.mean_earlier = sum_count ? sum / sum_count : NAN;
    return r;
}

// ------------------------------------------------------------------ pairs

enum { SURFACES = 3, SIDE = 4, SHEET_VERTICES = SIDE * SIDE, SHEET_TRIANGLES = 2 * 9 };
enum { VERTICES = 2 * SHEET_VERTICES + 4, TRIANGLES = 2 * SHEET_TRIANGLES + 4 };
enum { MAX_PAIRS = 20000 };

// Two sheets and a tet, one numbering.
typedef struct config {
    double start[3 * VERTICES], end[3 * VERTICES];
    int vertices[VERTICES]; // itself
    int triangles[3 * TRIANGLES];
    pl_surface_source sources[SURFACES];
    bool moves;
} config;

static void add_sheet(int* triangles) {
    for (int i = 0, t = 0; i + 1 < SIDE; i++)
        for (int j = 0; j + 1 < SIDE; j++, t += 6) {
            const int a = SIDE * i + j,
                      corners[6] = {a, a + 1, a + SIDE, a + 1, a + SIDE + 1, a + SIDE};
            memcpy(triangles + t, corners, sizeof corners);
        }
}

static void random_config(pl_random* random, config* c) {
    static const int tet[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
    const double crumpled = pl_random_uniform(random, 0.0, 0.5);
    c->moves = pl_random_int(random, 2) == 1;
    add_sheet(c->triangles);
    add_sheet(c->triangles + 3 * SHEET_TRIANGLES);
    memcpy(c->triangles + 6 * SHEET_TRIANGLES, tet, sizeof tet);
    for (int v = 0; v < VERTICES; v++) {
        const int k = v % SHEET_VERTICES;
        pl_vec3 at = {0.3 * (k % SIDE), 0.3 * (int)(k / SIDE), 0.1 * (int)(v / SHEET_VERTICES)};
        at = pl_add(at, random_vector(random, crumpled));
        pl_vec3_store(c->start + 3 * (size_t)v, at);
        pl_vec3_store(c->end + 3 * (size_t)v, pl_add(at, random_vector(random, 0.2)));
        c->vertices[v] = v;
    }
    const int firsts[4] = {0, SHEET_VERTICES, 2 * SHEET_VERTICES, VERTICES};
    for (int s = 0, first = 0; s < SURFACES; s++) {
        const int count = s < 2 ? SHEET_TRIANGLES : 4;
        c->sources[s] = (pl_surface_source){.positions = c->start + 3 * (size_t)firsts[s],
                                            .vertices = c->vertices,
                                            .first = firsts[s],
                                            .vertex_count = firsts[s + 1] - firsts[s],
                                            .triangles = c->triangles + 3 * (size_t)first,
                                            .triangle_count = count,
                                            .meets_others = pl_random_int(random, 4) > 0,
                                            .meets_itself = pl_random_int(random, 2) == 1};
        first += count;
    }
}

static pl_box swept(const config* c, const int* v, int count, double reach) {
    pl_box box = pl_box_empty();
    for (int i = 0; i < count; i++) {
        box = pl_box_add_point(box, pl_vec3_load(c->start + 3 * (size_t)v[i]));
        if (c->moves) box = pl_box_add_point(box, pl_vec3_load(c->end + 3 * (size_t)v[i]));
    }
    const pl_vec3 around = {reach, reach, reach};
    return (pl_box){pl_sub(box.low, around), pl_add(box.high, around)};
}

static double longest_way(const config* c, const int* v, int count) {
    double most = 0.0;
    for (int i = 0; c->moves && i < count; i++)
        most = fmax(most, pl_distance(pl_vec3_load(c->start + 3 * (size_t)v[i]),
                                      pl_vec3_load(c->end + 3 * (size_t)v[i])));
    return most;
}

// the rule of the search, by definition
static bool is_near(const config* c, const pl_surface_set* set, const pl_contact_pair* pair) {
    const int first = pair->is_edges ? 2 : 1;
    for (int i = 0; i < first; i++)
        for (int j = first; j < 4; j++)
            if (pair->v[i] == pair->v[j]) return false;
    const int *a = pair->v, *b = pair->v + first;
    const double reach[2] = {set->surfaces[pair->surfaces[0]].reach,
                             set->surfaces[pair->surfaces[1]].reach};
    if (!pl_box_overlaps(swept(c, a, first, reach[0]), swept(c, b, 4 - first, reach[1])))
        return false;
    const pl_quad at = pl_pair_places(pair, c->start);
    return pl_quad_distance(&at, pair->is_edges, NULL) <=
           reach[0] + reach[1] + longest_way(c, a, first) + longest_way(c, b, 4 - first);
}

// the smallest distance on the way, by sampling
static bool comes_near(const config* c, const pl_surface_set* set, const pl_contact_pair* pair) {
    const double reach =
        set->surfaces[pair->surfaces[0]].reach + set->surfaces[pair->surfaces[1]].reach;
    const pl_quad from = pl_pair_places(pair, c->start), to = pl_pair_places(pair, c->end);
    for (int k = 0; k <= (c->moves ? 8 : 0); k++) {
        pl_quad at;
        for (int i = 0; i < 4; i++) at.x[i] = pl_lerp(from.x[i], to.x[i], k / 8.0);
        if (pl_quad_distance(&at, pair->is_edges, NULL) <= reach) return true;
    }
    return false;
}

static int surface_of(int v) { return v < SHEET_VERTICES ? 0 : v < 2 * SHEET_VERTICES ? 1 : 2; }

static bool may_meet(const config* c, int a, int b) {
    return a == b ? c->sources[a].meets_itself
                  : c->sources[a].meets_others && c->sources[b].meets_others;
}

// one name for a pair, whichever way round it was found
static pl_contact_pair normal_form(pl_contact_pair p) {
    if (p.is_edges) {
        for (int k = 0; k < 4; k += 2)
            if (p.v[k] > p.v[k + 1]) {
                int v = p.v[k];
                p.v[k] = p.v[k + 1], p.v[k + 1] = v;
            }
        if (p.v[0] > p.v[2] || (p.v[0] == p.v[2] && p.v[1] > p.v[3])) {
            const int v[4] = {p.v[2], p.v[3], p.v[0], p.v[1]};
            memcpy(p.v, v, sizeof v);
        }
    } else {
        for (int k = 0; k < 3; k++)
            for (int i = 1; i < 3; i++)
                if (p.v[i] > p.v[i + 1]) {
                    int v = p.v[i];
                    p.v[i] = p.v[i + 1], p.v[i + 1] = v;
                }
    }
    return p;
}

static int compare(const void* a, const void* b) {
    const pl_contact_pair *p = a, *q = b;
    if (p->is_edges != q->is_edges) return p->is_edges ? 1 : -1;
    for (int i = 0; i < 4; i++)
        if (p->v[i] != q->v[i]) return p->v[i] < q->v[i] ? -1 : 1;
    return 0;
}

static void consider(const config* c, const pl_surface_set* set, pl_contact_pair pair,
                     pl_contact_pair* list, int* count, const pl_contact_pair* found,
                     int found_count, int* unseen) {
    pair.surfaces[0] = surface_of(pair.v[0]);
    pair.surfaces[1] = surface_of(pair.v[3]);
    if (!may_meet(c, pair.surfaces[0], pair.surfaces[1])) return;
    const bool listed = is_near(c, set, &pair);
    pair = normal_form(pair);
    if (listed && *count < MAX_PAIRS) list[(*count)++] = pair;
    for (int i = 0; i < (pair.is_edges ? 2 : 1); i++)
        for (int j = pair.is_edges ? 2 : 1; j < 4; j++)
            if (pair.v[i] == pair.v[j]) return;
    if (comes_near(c, set, &pair) &&
        !bsearch(&pair, found, (size_t)found_count, sizeof pair, compare))
        (*unseen)++;
}

// the unique edges of all triangles
static int list_edges(const config* c, int edges[][2]) {
    int count = 0;
    for (int s = 0, first = 0; s < SURFACES; first += c->sources[s++].triangle_count)
        for (int t = first; t < first + c->sources[s].triangle_count; t++)
            for (int k = 0; k < 3; k++) {
                int a = c->sources[s].first + c->triangles[3 * t + k];
                int b = c->sources[s].first + c->triangles[3 * t + (k + 1) % 3], e = 0;
                if (a > b) {
                    int v = a;
                    a = b, b = v;
                }
                while (e < count && (edges[e][0] != a || edges[e][1] != b)) e++;
                if (e == count) edges[count][0] = a, edges[count++][1] = b;
            }
    return count;
}

static void check_config(const config* c, const pl_surface_set* set, const pl_array* found,
                         pl_contact_pair* mine, pl_contact_pair* theirs, verify_pairs_result* r) {
    int edges[3 * TRIANGLES][2], count = 0, found_count = 0;
    const pl_contact_pair* pairs = found->data;
    for (size_t k = 0; k < found->count && k < MAX_PAIRS; k++)
        theirs[found_count++] = normal_form(pairs[k]);
    qsort(theirs, (size_t)found_count, sizeof *theirs, compare);
    const int edge_count = list_edges(c, edges);
    for (int a = 0; a < edge_count; a++)
        for (int b = a + 1; b < edge_count; b++) {
            const pl_contact_pair pair = {.v = {edges[a][0], edges[a][1], edges[b][0], edges[b][1]},
                                          .is_edges = true};
            consider(c, set, pair, mine, &count, theirs, found_count, &r->unseen_count);
        }
    for (int v = 0; v < VERTICES; v++)
        for (int s = 0, first = 0; s < SURFACES; first += c->sources[s++].triangle_count)
            for (int t = first; t < first + c->sources[s].triangle_count; t++) {
                pl_contact_pair pair = {.v = {v}};
                for (int k = 0; k < 3; k++)
                    pair.v[k + 1] = c->sources[s].first + c->triangles[3 * t + k];
                consider(c, set, pair, mine, &count, theirs, found_count, &r->unseen_count);
            }
    qsort(mine, (size_t)count, sizeof *mine, compare);
    r->pair_count += count;
    int i = 0, j = 0;
    while (i < count || j < found_count) {
        const int order = i == count ? 1 : j == found_count ? -1 : compare(&mine[i], &theirs[j]);
        r->missing_count += order < 0;
        r->extra_count += order > 0;
        i += order <= 0, j += order >= 0;
    }
}

pl_status verify_pairs(int config_count, uint64_t seed, pl_pool* pool, verify_pairs_result* out,
                       pl_error* error) {
    *out = (verify_pairs_result){0};
    pl_random random = {seed};
    pl_array found = pl_array_of(sizeof(pl_contact_pair));
    pl_contact_pair* lists = malloc(2 * MAX_PAIRS * sizeof *lists);
    pl_status status = lists ? PL_OK : pl_fail_memory(error, "pairs");
    for (int k = 0; status == PL_OK && k < config_count; k++) {
        config c;
        pl_surface_set* set;
        random_config(&random, &c);
        status = pl_surface_set_create(c.sources, SURFACES, VERTICES, &set, error);
        if (status != PL_OK) break;
        for (int s = 0; s < SURFACES; s++)
            set->surfaces[s].reach = pl_random_uniform(&random, 0.0, 0.08);
        status = pl_surface_set_find(set, pool, c.start, c.moves ? c.end : NULL, &found, error);
        if (status == PL_OK) check_config(&c, set, &found, lists, lists + MAX_PAIRS, out);
        pl_surface_set_destroy(set);
    }
    free(lists);
    pl_array_free(&found);
    return status;
}
