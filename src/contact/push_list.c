// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Projected Gauss-Seidel on the model of push_response.h. If the pushes change by q, the vertices
// move to
//
//   x = end + M^-1 q + sum over columns of s c (c' q).
//
// The term M^-1 q is stored per vertex (`moved`); of each column only c' q is stored. A row has
// three directions a, its normal and two perpendicular ones. Their products c' a with the columns
// of the two sides are computed once (`products`). Rigid sides have six columns before those that
// were learned, and no masses.
#include "contact/push_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SWEEPS = 161, SWEEPS_OF_ACTIVE = 8 };
// Sweeps end when none changes a distance by more than this fraction of the required distance.
static const double SWEEP_TOLERANCE = 1e-2;
// At the start of the step, two features are apart along their normal by at least this fraction of
// their distance.
static const double MIN_PARTED = 0.9;
// Two features that do not push are far apart from this multiple of the required distance on.
static const double FAR_APART = 2.0;

pl_push_list pl_push_list_empty(void) {
    return (pl_push_list){.pushes = pl_array_of(sizeof(pl_push)),
                          .found = pl_array_of(sizeof(pl_push)),
                          .products = pl_array_of(sizeof(double)),
                          .moved = pl_array_of(sizeof(double))};
}

void pl_push_list_free(pl_push_list* list) {
    pl_array_free(&list->pushes);
    pl_array_free(&list->found);
    pl_array_free(&list->products);
    pl_array_free(&list->moved);
}

// ------------------------------------------------------------------ which pairs

int pl_push_order(bool a_is_edges, const int* a, bool b_is_edges, const int* b) {
    if (a_is_edges != b_is_edges) return a_is_edges ? 1 : -1;
    for (int i = 0; i < 4; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

static int compare(const void* a, const void* b) {
    const pl_contact_pair *x = &((const pl_push*)a)->pair, *y = &((const pl_push*)b)->pair;
    return pl_push_order(x->is_edges, x->v, y->is_edges, y->v);
}

static pl_vec3 difference(const pl_pair_row* row, const double* x) {
    pl_vec3 sum = {0, 0, 0};
    for (int i = 0; i < 4; i++)
        sum = pl_madd(sum, row->weights[i], pl_vec3_load(x + 3 * (size_t)row->v[i]));
    return sum;
}

bool pl_push_row_make(const pl_pair_motion* motion, const pl_contact_pair* pair, pl_pair_row* row) {
    if (!pl_pair_may_touch(motion, pair) || !pl_pair_row_make(motion, pair, row)) return false;
    const pl_quad start = pl_pair_places(pair, motion->start);
    const double apart = fmin(row->distance, pl_quad_distance(&start, pair->is_edges, NULL));
    return pl_dot(row->normal, difference(row, motion->start)) >= MIN_PARTED * apart;
}

bool pl_push_list_add(pl_push_list* list, const pl_pair_motion* motion, const pl_array* pairs) {
    const pl_contact_pair* all = pairs->data;
    list->found.count = 0;
    for (size_t k = 0; k < pairs->count; k++) {
        pl_push push = {.pair = all[k]};
        const bool is_known =
            list->pushes.count &&
            bsearch(&push, list->pushes.data, list->pushes.count, sizeof push, compare);
        if (is_known || !pl_push_row_make(motion, &all[k], &push.row)) continue;
        pl_directions_across(push.row.normal, push.across);
        if (!pl_array_push(&list->found, &push)) return false;
    }
    if (list->found.count == 0) return true;
    pl_push* to = pl_array_add(&list->pushes, list->found.count);
    if (!to) return false;
    memcpy(to, list->found.data, list->found.count * sizeof(pl_push));
    qsort(list->pushes.data, list->pushes.count, sizeof(pl_push), compare);
    return true;
}

void pl_push_list_drop(pl_push_list* list, const double* x) {
    pl_push* pushes = list->pushes.data;
    size_t kept = 0;
    for (size_t k = 0; k < list->pushes.count; k++) {
        const pl_pair_row* row = &pushes[k].row;
        if (row->push > 0.0 ||
            !(pl_dot(row->normal, difference(row, x)) > FAR_APART * row->distance))
            pushes[kept++] = pushes[k];
    }
    list->pushes.count = kept;
}

double pl_push_list_miss(const pl_push_list* list, const double* x) {
    const pl_push* pushes = list->pushes.data;
    double most = 0.0;
    for (size_t k = 0; k < list->pushes.count; k++) {
        const pl_pair_row* row = &pushes[k].row;
        most = fmax(most, 1.0 - pl_dot(row->normal, difference(row, x)) / row->distance);
    }
    return most;
}

double pl_push_list_lift(const pl_push_list* list, const double* x) {
    const pl_push* pushes = list->pushes.data;
    double most = 0.0;
    for (size_t k = 0; k < list->pushes.count; k++) {
        const pl_pair_row* row = &pushes[k].row;
        if (row->push > 0.0)
            most = fmax(most, pl_dot(row->normal, difference(row, x)) / row->distance - 1.0);
    }
    return most;
}

int pl_push_list_active(const pl_push_list* list) {
    const pl_push* pushes = list->pushes.data;
    int count = 0;
    for (size_t k = 0; k < list->pushes.count; k++) count += pushes[k].row.push > 0.0;
    return count;
}

// ------------------------------------------------------------------ sweeps

// The state of the sweeps: M^-1 q, and c' q of all columns.
typedef struct sweeps {
    const pl_push_systems* systems;
    const double *start, *end;
    double* moved;                                  // M^-1 q
    double (*amounts)[PL_PUSH_COLUMNS];             // per system
    double (*rigid_amounts)[PL_PUSH_RIGID_COLUMNS]; // per rigid body
    double change; // largest change in a sweep, relative to the required distance
} sweeps;

// The one or two systems of a push, the rigid bodies in them (-1: not rigid), and the total number
// of their columns.
typedef struct sides {
    int count, systems[2], rigid[2], column_count;
} sides;

static sides sides_of(const pl_push_systems* s, const pl_push* push) {
    sides out = {.count = 2};
    for (int i = 0; i < 2; i++) out.systems[i] = s->system_of_surface[push->pair.surfaces[i]];
    if (out.systems[0] == out.systems[1]) out.count = 1;
    for (int i = 0; i < out.count; i++) {
        const pl_push_response* r = &s->responses[out.systems[i]];
        out.column_count += r->column_count;
        out.rigid[i] = -1;
        if (!r->rigid) continue;
        const int v = push->row.v[i ? 3 : 0] - s->firsts[out.systems[i]];
        out.rigid[i] = pl_push_rigid_of(r, v);
        out.column_count += PL_PUSH_RIGID_COLUMNS;
    }
    return out;
}

// c' a of one column; rigid: it is a column of this rigid body, unless -1
static double product(const pl_push_systems* s, const pl_pair_row* row, int system, int rigid,
                      int column, pl_vec3 a) {
    const pl_push_response* r = &s->responses[system];
    double sum = 0.0;
    for (int i = 0; i < 4; i++) {
        const int v = row->v[i] - s->firsts[system];
        if (v < 0 || row->v[i] >= s->firsts[system + 1]) continue;
        const pl_vec3 c = rigid < 0 ? pl_vec3_load(pl_push_column(r, column) + 3 * (size_t)v)
                                    : pl_push_rigid_column(r, rigid, v, column);
        sum += row->weights[i] * pl_dot(a, c);
    }
    return sum;
}

static double inverse_mass(const pl_push_systems* s, const sides* own, int v) {
    const int system =
        own->systems[v < s->firsts[own->systems[0]] || v >= s->firsts[own->systems[0] + 1]];
    return s->responses[system].scale * s->responses[system].inverse_mass[v - s->firsts[system]];
}

// for each direction of a push: a' H a, then the products
static bool make_products(pl_push_list* list, const pl_push_systems* s) {
    const pl_push* pushes = list->pushes.data;
    list->products.count = 0;
    for (size_t k = 0; k < list->pushes.count; k++) {
        const pl_pair_row* row = &pushes[k].row;
        const sides own = sides_of(s, &pushes[k]);
        const pl_vec3 a[3] = {row->normal, pushes[k].across[0], pushes[k].across[1]};
        double* to = pl_array_add(&list->products, 3 * (size_t)(1 + own.column_count));
        if (!to) return false;
        for (int d = 0; d < 3; d++) {
            double* share = to++;
            *share = 0.0;
            for (int i = 0; i < 4; i++)
                *share += row->weights[i] * row->weights[i] * inverse_mass(s, &own, row->v[i]);
            for (int i = 0; i < own.count; i++) {
                const pl_push_response* r = &s->responses[own.systems[i]];
                for (int j = 0; own.rigid[i] >= 0 && j < PL_PUSH_RIGID_COLUMNS; j++) {
                    *to = product(s, row, own.systems[i], own.rigid[i], j, a[d]);
                    *share += *to * *to;
                    to++;
                }
                for (int j = 0; j < r->column_count; j++) {
                    *to = product(s, row, own.systems[i], -1, j, a[d]);
                    *share += r->scales[j] * *to * *to;
                    to++;
                }
            }
        }
    }
    return true;
}

// a' x, for the part of x from the columns
static double along(const sweeps* w, const sides* own, const double* products) {
    double sum = 0.0;
    for (int i = 0; i < own->count; i++) {
        const pl_push_response* r = &w->systems->responses[own->systems[i]];
        for (int j = 0; own->rigid[i] >= 0 && j < PL_PUSH_RIGID_COLUMNS; j++)
            sum += *products++ * w->rigid_amounts[r->first_rigid + own->rigid[i]][j];
        for (int j = 0; j < r->column_count; j++)
            sum += r->scales[j] * *products++ * w->amounts[own->systems[i]][j];
    }
    return sum;
}

static void change_push(sweeps* w, const pl_pair_row* row, const sides* own, pl_vec3 a,
                        const double* products, double by) {
    if (by == 0.0) return;
    for (int i = 0; i < 4; i++) {
        double* to = w->moved + 3 * (size_t)row->v[i];
        const double factor = by * row->weights[i] * inverse_mass(w->systems, own, row->v[i]);
        pl_vec3_store(to, pl_madd(pl_vec3_load(to), factor, a));
    }
    for (int i = 0; i < own->count; i++) {
        const pl_push_response* r = &w->systems->responses[own->systems[i]];
        for (int j = 0; own->rigid[i] >= 0 && j < PL_PUSH_RIGID_COLUMNS; j++)
            w->rigid_amounts[r->first_rigid + own->rigid[i]][j] += *products++ * by;
        for (int j = 0; j < r->column_count; j++)
            w->amounts[own->systems[i]][j] += *products++ * by;
    }
}

static void sweep_normal(sweeps* w, pl_pair_row* row, const sides* own, const double* products) {
    const double share = products[0];
    if (!(share > 0.0)) return;
    const pl_vec3 at = pl_add(difference(row, w->end), difference(row, w->moved));
    const double gap = pl_dot(row->normal, at) + along(w, own, products + 1) - row->distance;
    const double push = fmax(row->push - gap / share, 0.0), by = push - row->push;
    change_push(w, row, own, row->normal, products + 1, by);
    row->push = push;
    w->change = fmax(w->change, fabs(by) * share / row->distance);
}

// friction removes the slip of the whole step, as far as its limit allows
static void sweep_slip(sweeps* w, pl_push* push, const sides* own, const double* products) {
    pl_pair_row* row = &push->row;
    const size_t stride = 1 + (size_t)own->column_count;
    const double share = fmax(products[stride], products[2 * stride]);
    if (!(row->friction > 0.0) || !(share > 0.0)) return;
    if (!(row->push > 0.0) && pl_norm(row->drag) == 0.0) return;
    const pl_vec3 slip = pl_sub(pl_add(difference(row, w->end), difference(row, w->moved)),
                                difference(row, w->start));
    const pl_vec3* a = push->across;
    pl_vec3 drag = {0, 0, 0};
    for (size_t d = 0; d < 2; d++) {
        const double s = pl_dot(slip, a[d]) + along(w, own, products + (d + 1) * stride + 1);
        drag = pl_madd(drag, pl_dot(row->drag, a[d]) - s / share, a[d]);
    }
    const double size = pl_norm(drag), limit = row->friction * row->push;
    if (size > limit) drag = pl_scale(limit / size, drag);
    for (size_t d = 0; d < 2; d++)
        change_push(w, row, own, a[d], products + (d + 1) * stride + 1,
                    pl_dot(pl_sub(drag, row->drag), a[d]));
    row->drag = drag;
}

bool pl_push_list_solve(pl_push_list* list, const pl_push_systems* systems, const double* start,
                        const double* end) {
    const size_t count = 3 * (size_t)systems->firsts[systems->count];
    const pl_push_response* last = &systems->responses[systems->count - 1];
    const size_t amounts = (size_t)systems->count * PL_PUSH_COLUMNS;
    const size_t rigid = (size_t)(last->first_rigid + last->rigid_count) * PL_PUSH_RIGID_COLUMNS;
    list->moved.count = 0;
    double* room = pl_array_add(&list->moved, count + amounts + rigid);
    if (!room || !make_products(list, systems)) return false;
    memset(room, 0, (count + amounts + rigid) * sizeof(double));
    sweeps w = {.systems = systems,
                .start = start,
                .end = end,
                .moved = room,
                .amounts = (double(*)[PL_PUSH_COLUMNS])(room + count),
                .rigid_amounts = (double(*)[PL_PUSH_RIGID_COLUMNS])(room + count + amounts)};
    pl_push* pushes = list->pushes.data;
    for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
        const double* products = list->products.data;
        const bool all = sweep % SWEEPS_OF_ACTIVE == 0;
        w.change = 0.0;
        for (size_t k = 0; k < list->pushes.count; k++) {
            const sides own = sides_of(systems, &pushes[k]);
            if (all || pushes[k].row.push > 0.0) {
                sweep_normal(&w, &pushes[k].row, &own, products);
                sweep_slip(&w, &pushes[k], &own, products);
            }
            products += 3 * (1 + own.column_count);
        }
        if (all && sweep > 0 && w.change < SWEEP_TOLERANCE) break;
    }
    return true;
}

void pl_push_list_sum(const pl_push_list* list, int vertex_count, double* out) {
    const pl_push* pushes = list->pushes.data;
    memset(out, 0, 3 * (size_t)vertex_count * sizeof(double));
    for (size_t k = 0; k < list->pushes.count; k++) {
        const pl_pair_row* row = &pushes[k].row;
        const pl_vec3 push = pl_madd(row->drag, row->push, row->normal);
        for (int i = 0; i < 4; i++) {
            double* to = out + 3 * (size_t)row->v[i];
            pl_vec3_store(to, pl_madd(pl_vec3_load(to), row->weights[i], push));
        }
    }
}
