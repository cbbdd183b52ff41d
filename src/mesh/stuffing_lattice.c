// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Isosurface stuffing, first half: the function on the lattice, cut points, warping. After F.
// Labelle and J. Shewchuk, "Isosurface stuffing: fast tetrahedral meshes with good dihedral
// angles", 2007, section 3 (the uniform lattice).
//
// paper: a vertex is positive inside; here inside is negative, as for a signed distance.
#include "base/memory.h"
#include "mesh/stuffing.h"

// section 3.2, for the uniform lattice: a cut point closer to a lattice point than this share of
// their edge moves that point onto the surface
static const double alpha_long = 0.24999, alpha_short = 0.41189;

enum { MAX_POINTS = 1 << 27, BRICK = 8, SITE_BLOCK = 64, POINT_BLOCK = 1 << 15 };

static void set_steps(pl_lattice* lattice) {
    int row = lattice->size[0], sheet = row * lattice->size[1], layer = 2 * sheet;
    const int along[3] = {1, row, layer};
    for (int s = 0; s < 2; s++) {
        for (int d = 0; d < PL_LONG_EDGES; d++)
            lattice->step[s][d] = d % 2 ? -along[d / 2] : along[d / 2];
        for (int b = 0; b < 8; b++) {
            int step = s == 0 ? sheet : -sheet;
            // from a corner to the centre below and above; from a centre to the corner below and
            // above
            for (int axis = 0; axis < 3; axis++)
                step += ((b >> axis & 1) - (s == 0 ? 1 : 0)) * along[axis];
            lattice->step[s][PL_LONG_EDGES + b] = step;
        }
    }
}

pl_status pl_lattice_setup(pl_lattice* lattice, const double* low, const double* high, double edge,
                           pl_error* error) {
    *lattice = (pl_lattice){.h = edge / PL_MEAN_LATTICE_EDGE};
    double points = 2.0, sizes[3];
    for (int k = 0; k < 3; k++) {
        sizes[k] = ceil((high[k] - low[k]) / lattice->h) + 5.0;
        points *= sizes[k];
    }
    if (!(points <= MAX_POINTS))
        return pl_fail(error, PL_ERROR_LIMIT,
                       "an edge of %g in a box of %g x %g x %g gives %.3g lattice points, over the "
                       "limit of %d; take an edge above %.3g",
                       edge, high[0] - low[0], high[1] - low[1], high[2] - low[2], points,
                       MAX_POINTS, 1.01 * edge * cbrt(points / MAX_POINTS));
    for (int k = 0; k < 3; k++) lattice->size[k] = (int)sizes[k];
    lattice->point_count = (int)points;
    // centres the box, so that a symmetric shape gets a symmetric lattice
    double start[3];
    for (int k = 0; k < 3; k++)
        start[k] = 0.5 * (low[k] + high[k]) - 0.5 * lattice->h * (sizes[k] - 1.0);
    lattice->origin = pl_vec3_load(start);
    set_steps(lattice);
    lattice->phi = PL_ALLOC(double, points);
    lattice->side = PL_ALLOC(signed char, points);
    if (lattice->phi && lattice->side) return PL_OK;
    return pl_fail_memory(error, "the lattice; take a larger edge");
}

void pl_lattice_free(pl_lattice* lattice) {
    PL_FREE(lattice->phi, double, lattice->point_count);
    PL_FREE(lattice->side, signed char, lattice->point_count);
    PL_FREE(lattice->site_of, int, lattice->point_count);
    PL_FREE(lattice->sites, pl_site, lattice->site_count);
    *lattice = (pl_lattice){0};
}

typedef struct sampling {
    pl_lattice* lattice;
    pl_implicit function;
    void* user;
    int bricks[3];
} sampling;

static bool is_outermost(const pl_lattice* lattice, int i, int j, int k) {
    const int* n = lattice->size;
    return i < 2 || j < 2 || k < 2 || i >= n[0] - 2 || j >= n[1] - 2 || k >= n[2] - 2;
}

static void store_value(pl_lattice* lattice, int point, bool outermost, double value) {
    if (!(value <= 0.0)) value = isfinite(value) ? value : lattice->h;
    else if (outermost) value = lattice->h;
    else if (!isfinite(value)) value = -lattice->h;
    lattice->phi[point] = value;
    lattice->side[point] = (signed char)(value < 0.0   ? PL_INSIDE
                                         : value > 0.0 ? PL_OUTSIDE
                                                       : PL_ON_SURFACE);
}

typedef struct brick_points {
    int count;
    int points[2 * BRICK * BRICK * BRICK];
    double positions[6 * BRICK * BRICK * BRICK];
    double values[2 * BRICK * BRICK * BRICK];
} brick_points;

// one row of a brick, alternating in direction so that consecutive points are close
static void add_row(const pl_lattice* lattice, int begin, int end, bool back, int row,
                    brick_points* b) {
    for (int i = begin; i < end; i++) {
        int point = row * lattice->size[0] + (back ? begin + end - 1 - i : i);
        pl_vec3_store(b->positions + 3 * b->count, pl_lattice_position(lattice, point));
        b->points[b->count++] = point;
    }
}

static int min_int(int a, int b) { return a < b ? a : b; }

// points of one brick are close together, which helps functions that reuse earlier searches
static void sample_brick(const sampling* s, int brick) {
    pl_lattice* lattice = s->lattice;
    const int* n = lattice->size;
    int begin[3] = {brick % s->bricks[0] * BRICK, brick / s->bricks[0] % s->bricks[1] * BRICK,
                    brick / s->bricks[0] / s->bricks[1] * BRICK};
    brick_points b;
    b.count = 0;
    for (int layer = 2 * begin[2]; layer < min_int(2 * begin[2] + 2 * BRICK, 2 * n[2]); layer++)
        for (int j = begin[1]; j < min_int(begin[1] + BRICK, n[1]); j++)
            add_row(lattice, begin[0], min_int(begin[0] + BRICK, n[0]), j & 1, layer * n[1] + j,
                    &b);
    s->function(b.positions, b.count, b.values, s->user);
    for (int p = 0; p < b.count; p++) {
        int i = b.points[p] % n[0], row = b.points[p] / n[0];
        store_value(lattice, b.points[p], is_outermost(lattice, i, row % n[1], row / n[1] / 2),
                    b.values[p]);
    }
}

static void sample_task(int begin, int end, int worker, void* user) {
    (void)worker;
    for (int brick = begin; brick < end; brick++) sample_brick(user, brick);
}

pl_status pl_lattice_sample(pl_lattice* lattice, pl_implicit function, void* user, pl_pool* pool,
                            pl_error* error) {
    sampling s = {.lattice = lattice, .function = function, .user = user};
    int brick_count = 1;
    for (int k = 0; k < 3; k++) {
        s.bricks[k] = (lattice->size[k] + BRICK - 1) / BRICK;
        brick_count *= s.bricks[k];
    }
    pl_parallel_for(pool, sample_task, brick_count, 1, &s);
    for (int p = 0; p < lattice->point_count; p++)
        if (lattice->side[p] == PL_INSIDE) return PL_OK;
    return pl_fail(error, PL_ERROR_MESH,
                   "nothing is inside at this resolution: the shape is thinner than the edge of %g "
                   "everywhere, or empty; take a smaller edge",
                   lattice->h * PL_MEAN_LATTICE_EDGE);
}

// an edge of the point changes sides; points on the surface have no cut edges
static bool is_site(const pl_lattice* lattice, int point) {
    int side = lattice->side[point];
    if (side == PL_ON_SURFACE) return false;
    int sheet = lattice->size[0] * lattice->size[1];
    // the first and last layers are outside, and so are their neighbours
    if (point < 2 * sheet || point >= lattice->point_count - 2 * sheet) return false;
    const int* step = lattice->step[pl_lattice_sublattice(lattice, point)];
    for (int d = 0; d < PL_LATTICE_EDGES; d++)
        if (lattice->side[point + step[d]] == -side) return true;
    return false;
}

typedef struct site_search {
    pl_lattice* lattice;
    int* offsets; // of a block's sites
} site_search;

static void count_sites_task(int begin, int end, int worker, void* user) {
    (void)worker;
    site_search* search = user;
    int count = 0;
    for (int p = begin; p < end; p++) {
        search->lattice->site_of[p] = is_site(search->lattice, p) ? 0 : -1;
        count += search->lattice->site_of[p] == 0;
    }
    search->offsets[begin / POINT_BLOCK] = count;
}

static void list_sites_task(int begin, int end, int worker, void* user) {
    (void)worker;
    site_search* search = user;
    int next = search->offsets[begin / POINT_BLOCK];
    for (int p = begin; p < end; p++) {
        if (search->lattice->site_of[p] < 0) continue;
        search->lattice->site_of[p] = next;
        search->lattice->sites[next++] =
            (pl_site){.point = p, .position = pl_lattice_position(search->lattice, p)};
    }
}

pl_status pl_lattice_find_sites(pl_lattice* lattice, pl_pool* pool, pl_error* error) {
    int blocks = (lattice->point_count + POINT_BLOCK - 1) / POINT_BLOCK, sum = 0;
    site_search search = {lattice, PL_ALLOC(int, blocks)};
    lattice->site_of = PL_ALLOC(int, lattice->point_count);
    bool allocated = search.offsets && lattice->site_of;
    if (allocated) {
        pl_parallel_for(pool, count_sites_task, lattice->point_count, POINT_BLOCK, &search);
        for (int b = 0; b < blocks; b++) {
            int count = search.offsets[b];
            search.offsets[b] = sum;
            sum += count;
        }
        lattice->sites = PL_ALLOC(pl_site, sum);
        allocated = lattice->sites || sum == 0;
        if (allocated) lattice->site_count = sum;
    }
    if (allocated)
        pl_parallel_for(pool, list_sites_task, lattice->point_count, POINT_BLOCK, &search);
    PL_FREE(search.offsets, int, blocks);
    return allocated ? PL_OK : pl_fail_memory(error, "the cut points; take a larger edge");
}

// An edge from an inside point (t = 0) to an outside one (t = 1), narrowed down around the zero.
typedef struct bracket {
    int site, edge;
    double low, high, phi_low, phi_high;
    double t; // the next position to sample, or the result
} bracket;

enum { MAX_ROUNDS = 12, MAX_BRACKETS = SITE_BLOCK * PL_LATTICE_EDGES };

static int collect_brackets(const pl_lattice* lattice, int begin, int end, bracket* brackets) {
    int count = 0;
    for (int s = begin; s < end; s++) {
        int point = lattice->sites[s].point;
        if (lattice->side[point] != PL_INSIDE) continue;
        const int* step = lattice->step[pl_lattice_sublattice(lattice, point)];
        for (int d = 0; d < PL_LATTICE_EDGES; d++)
            if (lattice->side[point + step[d]] == PL_OUTSIDE) {
                double a = lattice->phi[point], b = lattice->phi[point + step[d]];
                brackets[count++] = (bracket){s, d, 0.0, 1.0, a, b, a / (a - b)};
            }
    }
    return count;
}

static pl_vec3 bracket_point(const pl_lattice* lattice, const bracket* b) {
    int point = lattice->sites[b->site].point;
    int other = point + lattice->step[pl_lattice_sublattice(lattice, point)][b->edge];
    return pl_lerp(lattice->sites[b->site].position, pl_lattice_position(lattice, other), b->t);
}

// Narrows the bracket by the value at t. True if the zero is known well enough: for functions that
// behave like a distance after the first sample, otherwise by bisection.
static bool narrow(bracket* b, double value, double h, int round) {
    if (value <= 0.0) b->low = b->t, b->phi_low = value;
    else b->high = b->t, b->phi_high = value;
    bool small = fabs(value) < 0.003 * h && round > 0;
    bool distance_like = fabs(value) < 0.02 * h && fmax(-b->phi_low, b->phi_high) < 1.2 * h;
    if (value == 0.0 || small || b->high - b->low < 0.004) return true;
    double secant = b->low + (b->high - b->low) * b->phi_low / (b->phi_low - b->phi_high);
    double middle = 0.5 * (b->low + b->high);
    b->t = round < 2 && isfinite(secant) && secant > b->low && secant < b->high ? secant : middle;
    return distance_like;
}

typedef struct cutting {
    pl_lattice* lattice;
    pl_implicit function;
    void* user;
} cutting;

static void cut_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const cutting* c = user;
    bracket brackets[MAX_BRACKETS];
    double points[3 * MAX_BRACKETS], values[MAX_BRACKETS];
    int active[MAX_BRACKETS];
    int count = collect_brackets(c->lattice, begin, end, brackets), active_count = count;
    for (int i = 0; i < count; i++) active[i] = i;
    for (int round = 0; round < MAX_ROUNDS && active_count; round++) {
        for (int i = 0; i < active_count; i++)
            pl_vec3_store(points + 3 * i, bracket_point(c->lattice, &brackets[active[i]]));
        c->function(points, active_count, values, c->user);
        int left = 0;
        for (int i = 0; i < active_count; i++)
            if (!narrow(&brackets[active[i]], values[i], c->lattice->h, round))
                active[left++] = active[i];
        active_count = left;
    }
    for (int i = 0; i < count; i++) {
        pl_site* site = &c->lattice->sites[brackets[i].site];
        site->cut[brackets[i].edge] = fmin(fmax(brackets[i].t, 1e-9), 1.0 - 1e-9);
        site->cut_mask |= (unsigned short)(1u << brackets[i].edge);
    }
}

void pl_lattice_cut_edges(pl_lattice* lattice, pl_implicit function, void* user, pl_pool* pool) {
    cutting c = {lattice, function, user};
    pl_parallel_for(pool, cut_task, lattice->site_count, SITE_BLOCK, &c);
}

// the cut point of an edge as seen from a site: its owner (the inside end) and its distance
typedef struct near_cut {
    pl_site* owner;
    int owner_edge;
    double distance; // in shares of the edge
} near_cut;

static bool find_cut(pl_lattice* lattice, pl_site* site, int edge, near_cut* cut) {
    if (lattice->side[site->point] == PL_INSIDE) {
        *cut = (near_cut){site, edge, site->cut[edge]};
    } else {
        int step = lattice->step[pl_lattice_sublattice(lattice, site->point)][edge];
        int other = lattice->site_of[site->point + step], back = pl_opposite_edge(edge);
        if (other < 0) return false;
        pl_site* owner = &lattice->sites[other];
        *cut = (near_cut){owner, back, 1.0 - owner->cut[back]};
    }
    return (cut->owner->cut_mask >> cut->owner_edge & 1) != 0;
}

// Moves a site onto the nearest cut point that is too close to it, which removes all cut points of
// its edges.
static void warp_site(pl_lattice* lattice, pl_site* site) {
    int nearest = -1;
    double best = INFINITY;
    near_cut cut;
    for (int d = 0; d < PL_LATTICE_EDGES; d++) {
        bool is_long = d < PL_LONG_EDGES;
        if (!find_cut(lattice, site, d, &cut)) continue;
        if (cut.distance >= (is_long ? alpha_long : alpha_short)) continue;
        double length = cut.distance * (is_long ? 1.0 : 0.86602540378443864676);
        if (length < best) best = length, nearest = d;
    }
    if (nearest < 0) return;
    find_cut(lattice, site, nearest, &cut);
    int other = site->point + lattice->step[pl_lattice_sublattice(lattice, site->point)][nearest];
    site->position = pl_lerp(site->position, pl_lattice_position(lattice, other), cut.distance);
    site->moved = true;
    for (int d = 0; d < PL_LATTICE_EDGES; d++)
        if (find_cut(lattice, site, d, &cut))
            cut.owner->cut_mask &= (unsigned short)~(1u << cut.owner_edge);
    lattice->side[site->point] = PL_ON_SURFACE;
}

void pl_lattice_warp(pl_lattice* lattice) {
    for (int s = 0; s < lattice->site_count; s++) warp_site(lattice, &lattice->sites[s]);
}
