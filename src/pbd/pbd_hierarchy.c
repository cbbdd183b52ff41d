// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Hierarchical position based dynamics (Mueller 2008, S1), sections 6 and 7.
//
//   paper          here
//   l, L           level, level_count - 1
//   p_i, q_i       particles, before
//   P(i), w_ij     to_coarser.parents, weights
//
// Where this differs: q_i is saved before the coarser level corrects a level, so the change that is
// passed down includes the corrections of all coarser levels. If it were saved afterwards (the
// order in which the paper lists the steps), particles of level l - 2 would never receive the
// corrections of level l, and levels would not help the hanging cloth of pliant-bench
// s1-iterations. Each level has its own array of particles, so its sweeps are as dense as those of
// level 0 and run on all threads (the paper used one). A coarse particle can have the mass of all
// particles it represents, which conserves linear momentum, because Eq. 7 moves the mass of the
// children too.
#include "pbd/pbd_hierarchy.h"
#include "base/memory.h"
#include "math/vec3.h"
#include "math/vec3w.h"
#include "pbd/level_stiffness.h"
#include "pbd/unfold.h"

#include <math.h>
#include <string.h>

// A path on flat cloth is a detour around a cut if it is longer than this multiple of the straight
// distance.
static const double MAX_DETOUR = 1.2;

enum { PARTICLE_BLOCK = 16384, SMALLEST_LEVEL = 4 };

static void level_free(pl_pbd_level* l) {
    PL_FREE(l->mass, double, l->graph.particle_count);
    PL_FREE(l->modulus, double, l->graph.particle_count);
    PL_FREE(l->torn, bool, l->graph.particle_count);
    PL_FREE(l->last, unsigned char, l->graph.particle_count);
    PL_FREE(l->particles, float, 4 * (size_t)l->room);
    PL_FREE(l->before, float, 4 * (size_t)l->room);
    pl_array_free(&l->points.groups);
    pl_sweeper_free(&l->sweeper);
    for (int k = 0; k < l->set_count; k++) pl_constraint_set_free(&l->sets[k]);
    pl_coarsening_free(&l->to_coarser);
    pl_particle_graph_free(&l->graph);
    *l = (pl_pbd_level){0};
}

void pl_hierarchy_free(pl_hierarchy* h) {
    for (int l = 0; l < h->level_count; l++) level_free(&h->levels[l]);
    *h = (pl_hierarchy){0};
}

// allocates the blocks and particles that sweeps need
static pl_status level_prepare(pl_pbd_level* l, pl_error* error) {
    pl_status status =
        pl_sweeper_setup(l->sets, l->set_count, l->graph.particle_count, &l->sweeper, error);
    if (status != PL_OK) return status;
    l->room = pl_sweeper_room(&l->sweeper);
    l->particles = PL_ALLOC(float, 4 * (size_t)l->room);
    l->before = PL_ALLOC(float, 4 * (size_t)l->room);
    if (!l->particles || !l->before) return pl_fail_memory(error, "a level of particles");
    pl_sweeper_fill_room(&l->sweeper, l->particles);
    l->points = pl_point_list_empty();
    return PL_OK;
}

static void set_inverse_masses(pl_pbd_level* l) {
    for (int i = 0; i < l->graph.particle_count; i++)
        l->particles[4 * (size_t)i + 3] = l->graph.attached[i] ? 0.0f : (float)(1.0 / l->mass[i]);
    pl_sweeper_weigh(&l->sweeper, l->particles);
}

pl_status pl_hierarchy_setup(pl_particle_graph* graph, pl_constraint_set* sets, int set_count,
                             const double* mass, const double* modulus, pl_hierarchy* out,
                             pl_error* error) {
    *out = (pl_hierarchy){.level_count = 1};
    pl_pbd_level* l = &out->levels[0];
    l->graph = *graph;
    *graph = (pl_particle_graph){0};
    l->set_count = set_count;
    for (int k = 0; k < set_count; k++) {
        l->sets[k] = sets[k];
        sets[k] = (pl_constraint_set){0};
    }
    l->mass = PL_ALLOC(double, l->graph.particle_count);
    if (modulus) l->modulus = PL_ALLOC(double, l->graph.particle_count);
    bool ok = l->mass && (l->modulus || !modulus);
    pl_status status = ok ? level_prepare(l, error) : pl_fail_memory(error, "masses");
    if (status != PL_OK) {
        pl_hierarchy_free(out);
        return status;
    }
    memcpy(l->mass, mass, (size_t)l->graph.particle_count * sizeof(double));
    if (modulus) memcpy(l->modulus, modulus, (size_t)l->graph.particle_count * sizeof(double));
    set_inverse_masses(l);
    return PL_OK;
}

// M_j = sum over children of w_ij M_i; attached particles do not count, because external forces
// hold them
static void lump_masses(const pl_pbd_level* fine, pl_pbd_level* coarse) {
    const pl_coarsening* c = &fine->to_coarser;
    for (int i = 0; i < c->fine_count; i++) {
        if (fine->graph.attached[i] && c->coarse_of_fine[i] < 0) continue;
        for (int k = c->parent_offsets[i]; k < c->parent_offsets[i + 1]; k++)
            coarse->mass[c->parents[k]] += (double)c->weights[k] * fine->mass[i];
    }
}

static pl_status set_masses(const pl_pbd_level* fine, bool lumped, pl_pbd_level* coarse,
                            pl_error* error) {
    const pl_coarsening* c = &fine->to_coarser;
    coarse->mass = PL_ALLOC(double, c->coarse_count);
    if (!coarse->mass) return pl_fail_memory(error, "masses");
    if (lumped) lump_masses(fine, coarse);
    for (int j = 0; !lumped && j < c->coarse_count; j++)
        coarse->mass[j] = fine->mass[c->fine_of_coarse[j]];
    return PL_OK;
}

static pl_status hand_on_modulus(const pl_pbd_level* fine, pl_pbd_level* coarse, pl_error* error) {
    const pl_coarsening* c = &fine->to_coarser;
    if (!fine->modulus) return PL_OK;
    coarse->modulus = PL_ALLOC(double, c->coarse_count);
    if (!coarse->modulus) return pl_fail_memory(error, "moduli");
    for (int j = 0; j < c->coarse_count; j++)
        coarse->modulus[j] = fine->modulus[c->fine_of_coarse[j]];
    return pl_level_measure(coarse, error);
}

// Section 8: split particles lose their parents. These lose their constraints and their own parents
// in turn, up to the coarsest level.
static pl_status cut_links(pl_pbd_level* fine, pl_pbd_level* coarse, pl_error* error) {
    pl_coarsening* c = &fine->to_coarser;
    if (!fine->torn) return PL_OK;
    coarse->torn = PL_ALLOC(bool, c->coarse_count);
    if (!coarse->torn) return pl_fail_memory(error, "a level of particles");
    for (int i = 0; i < c->fine_count; i++)
        for (int k = c->parent_offsets[i]; fine->torn[i] && k < c->parent_offsets[i + 1]; k++) {
            coarse->torn[c->parents[k]] = true;
            c->weights[k] = 0.0f;
        }
    return PL_OK;
}

static bool is_cut(const pl_pbd_level* l, const int* vertices, int count) {
    for (int i = 0; l->torn && i < count; i++)
        if (l->torn[vertices[i]]) return true;
    return false;
}

static pl_status add_distances(pl_pbd_level* l, const pl_hierarchy_options* options, bool bilateral,
                               pl_error* error) {
    pl_constraint_set* set = &l->sets[l->set_count];
    pl_constraint_kind kind = bilateral ? PL_CONSTRAINT_DISTANCE : PL_CONSTRAINT_LIMIT;
    if (l->modulus && !(options->compliance > 0.0f))
        return pl_level_add_springs(l, bilateral, error);
    pl_status status =
        pl_constraint_set_create(kind, l->graph.edge_count, options->compliance > 0.0f, set, error);
    if (status != PL_OK) return status;
    l->set_count++;
    set->stiffness = options->stretch;
    for (int e = 0; e < l->graph.edge_count; e++) {
        const int* ends = l->graph.edges + 2 * (size_t)e;
        float rest = (float)l->graph.rest[e];
        if (is_cut(l, ends, 2)) continue;
        // bilateral constraints use the straight distance at rest
        if (bilateral)
            rest = (float)pl_distance(pl_vec3_load(l->graph.places + 3 * (size_t)ends[0]),
                                      pl_vec3_load(l->graph.places + 3 * (size_t)ends[1]));
        pl_constraint_set_add(set, ends, &rest, &options->compliance);
    }
    return PL_OK;
}

// hinges at the edges where two triangles of the level meet
static void fill_hinges(pl_pbd_level* l, const pl_side_groups* sides) {
    pl_constraint_set* set = &l->sets[l->set_count - 1];
    for (int g = 0; g < sides->groups.count; g++) {
        pl_edge_pairs pairs = pl_edge_pairs_of(sides, g);
        for (int pair[2]; pl_edge_pairs_next(&pairs, pair);) {
            int v[4];
            double angle;
            if (!pl_particle_hinge(&l->graph, pair, v, &angle) || is_cut(l, v, 4)) continue;
            float rest = (float)angle;
            pl_constraint_set_add(set, v, &rest, NULL);
        }
    }
}

static pl_status add_hinges(pl_pbd_level* l, float stiffness, pl_error* error) {
    if (l->graph.triangle_count == 0) return PL_OK;
    pl_side_groups sides;
    pl_status status = pl_side_groups_create(l->graph.triangles, l->graph.triangle_count, 3,
                                             l->graph.particle_count, &sides, error);
    if (status != PL_OK) return status;
    status = pl_constraint_set_create(PL_CONSTRAINT_HINGE, pl_edge_pair_count(&sides), false,
                                      &l->sets[l->set_count], error);
    if (status == PL_OK) {
        l->sets[l->set_count++].stiffness = stiffness;
        fill_hinges(l, &sides);
    }
    pl_side_groups_free(&sides);
    return status;
}

// Marks neighbours of open particles as open too: near a tear, levels need some freedom to differ.
static void open_neighbours(const pl_particle_graph* g, unsigned char* last) {
    enum { NEXT = PL_LEVEL_OPEN - 1 };
    for (int k = 0; k < 2 * g->edge_count; k++)
        if (last[g->edges[k]] == PL_LEVEL_OPEN && last[g->edges[k ^ 1]] != PL_LEVEL_OPEN)
            last[g->edges[k ^ 1]] = NEXT;
    for (int i = 0; i < g->particle_count; i++)
        if (last[i] == NEXT) last[i] = PL_LEVEL_OPEN;
}

static bool is_detour(const pl_particle_graph* g, int a, int b, double rest) {
    double straight = pl_distance(pl_vec3_load(g->places + 3 * (size_t)a),
                                  pl_vec3_load(g->places + 3 * (size_t)b));
    return rest > MAX_DETOUR * straight;
}

// Drops edges between open particles whose path leads around the end of a cut, and triangles across
// the cut. Otherwise a particle would have parents on the other side.
static pl_status drop_detours(const pl_coarsening* c, const unsigned char* last,
                              pl_particle_graph* g, pl_error* error) {
    pl_neighbours n;
    pl_status status = pl_neighbours_create(g, &n, error);
    if (status != PL_OK) return status;
    int kept = 0;
    for (int t = 0; t < g->triangle_count; t++) {
        const int* v = g->triangles + 3 * (size_t)t;
        bool over = false;
        for (int i = 0; i < 3; i++) {
            int a = v[i], b = v[(i + 1) % 3];
            over = over || (last[c->fine_of_coarse[a]] == PL_LEVEL_OPEN &&
                            last[c->fine_of_coarse[b]] == PL_LEVEL_OPEN &&
                            is_detour(g, a, b, pl_neighbour_rest(&n, a, b)));
        }
        if (!over) memmove(g->triangles + 3 * (size_t)kept++, v, 3 * sizeof(int));
    }
    pl_neighbours_free(&n);
    for (int e = 0; e < g->edge_count; e++) {
        int* ends = g->edges + 2 * (size_t)e;
        if (last[c->fine_of_coarse[ends[0]]] == PL_LEVEL_OPEN &&
            last[c->fine_of_coarse[ends[1]]] == PL_LEVEL_OPEN &&
            is_detour(g, ends[0], ends[1], g->rest[e]))
            ends[1] = ends[0]; // dropped below
    }
    status = pl_particle_graph_set_edges(g, g->edges, g->rest, g->edge_count, error);
    return status == PL_OK ? pl_particle_graph_cut_triangles(g, kept, error) : status;
}

// Particles that the untorn cloth has on coarser levels stay coarse; the others become fine.
// Particles that are open, or on this level only because of a tear, are undecided.
static pl_status coarsen_torn(const pl_particle_graph* fine, unsigned char* last, int level,
                              const pl_coarsen_options* options, pl_coarsening* out,
                              pl_particle_graph* coarse, pl_error* error) {
    unsigned char* becomes = PL_ALLOC(unsigned char, fine->particle_count);
    if (!becomes) return pl_fail_memory(error, "a level of particles");
    open_neighbours(fine, last);
    for (int i = 0; i < fine->particle_count; i++)
        becomes[i] = last[i] == PL_LEVEL_OPEN ? PL_BECOMES_ANYTHING
                     : last[i] > level        ? PL_BECOMES_COARSE
                     : last[i] == level       ? PL_BECOMES_FINE
                                              : PL_BECOMES_ANYTHING;
    pl_status status = pl_coarsen(fine, options, becomes, out, coarse, error);
    PL_FREE(becomes, unsigned char, fine->particle_count);
    if (status != PL_OK) return status;
    status = drop_detours(out, last, coarse, error);
    if (status == PL_OK) return PL_OK;
    pl_coarsening_free(out);
    pl_particle_graph_free(coarse);
    return status;
}

static pl_status hand_on_last(const pl_pbd_level* fine, pl_pbd_level* coarse, pl_error* error) {
    const pl_coarsening* c = &fine->to_coarser;
    if (!fine->last) return PL_OK;
    coarse->last = PL_ALLOC(unsigned char, c->coarse_count);
    if (!coarse->last) return pl_fail_memory(error, "a level of particles");
    for (int j = 0; j < c->coarse_count; j++) coarse->last[j] = fine->last[c->fine_of_coarse[j]];
    for (int i = 0; i < c->fine_count; i++) // the parents of open particles are open too
        for (int k = c->parent_offsets[i]; k < c->parent_offsets[i + 1]; k++)
            if (fine->last[i] == PL_LEVEL_OPEN) coarse->last[c->parents[k]] = PL_LEVEL_OPEN;
    return PL_OK;
}

// builds the graph of the next coarser level; *made is false if there is none
static pl_status next_graph(const pl_particle_graph* fine, unsigned char* last, int level,
                            const pl_coarsen_options* options, pl_coarsening* out,
                            pl_particle_graph* coarse, bool* made, pl_error* error) {
    *made = false;
    if (fine->particle_count <= SMALLEST_LEVEL) return PL_OK;
    pl_status status = last ? coarsen_torn(fine, last, level, options, out, coarse, error)
                       : pl_can_coarsen_grid(fine, options)
                           ? pl_coarsen_grid(fine, options, out, coarse, error)
                           : pl_coarsen(fine, options, NULL, out, coarse, error);
    if (status != PL_OK) return status;
    *made = coarse->particle_count < fine->particle_count && coarse->edge_count > 0;
    if (*made) return PL_OK;
    pl_coarsening_free(out);
    pl_particle_graph_free(coarse);
    return PL_OK;
}

pl_status pl_find_last_levels(const pl_particle_graph* graph, const pl_hierarchy_options* options,
                              unsigned char* last, pl_error* error) {
    int count = graph->particle_count, *at = PL_ALLOC(int, count); // numbers on the current level
    if (count && !at) return pl_fail_memory(error, "a level of particles");
    for (int i = 0; i < count; i++) at[i] = i, last[i] = 0;
    pl_particle_graph fine = {0}, coarse = {0};
    bool made = true;
    pl_status status = PL_OK;
    for (int l = 0; status == PL_OK && made && l < options->level_count; l++) {
        pl_coarsening c = {0};
        status =
            next_graph(l ? &fine : graph, NULL, l, &options->coarsen, &c, &coarse, &made, error);
        for (int i = 0; status == PL_OK && made && i < count; i++) {
            at[i] = at[i] < 0 ? -1 : c.coarse_of_fine[at[i]];
            if (at[i] >= 0) last[i] = (unsigned char)(l + 1);
        }
        pl_coarsening_free(&c);
        pl_particle_graph_free(&fine);
        fine = coarse;
        coarse = (pl_particle_graph){0};
    }
    pl_particle_graph_free(&fine);
    PL_FREE(at, int, count);
    return status;
}

// appends the next coarser level; *made is false if there is none
static pl_status add_level(pl_hierarchy* h, const pl_hierarchy_options* options, bool* made,
                           pl_error* error) {
    pl_pbd_level* fine = &h->levels[h->level_count - 1];
    pl_pbd_level* coarse = &h->levels[h->level_count];
    pl_status status = next_graph(&fine->graph, fine->last, h->level_count - 1, &options->coarsen,
                                  &fine->to_coarser, &coarse->graph, made, error);
    if (status != PL_OK || !*made) return status;
    bool drawn = h->level_count++ == options->drawn_level;
    // a level that is simulated alone must have the mass of the body
    bool lumped = options->lumped_mass || options->drawn_level > 0;
    status = set_masses(fine, lumped, coarse, error);
    if (status == PL_OK) status = hand_on_modulus(fine, coarse, error);
    if (status == PL_OK) status = cut_links(fine, coarse, error);
    if (status == PL_OK) status = hand_on_last(fine, coarse, error);
    if (status == PL_OK)
        status = add_distances(coarse, options, options->bilateral || drawn, error);
    if (status == PL_OK && options->bend > 0.0f && (options->coarse_bending || drawn))
        status = add_hinges(coarse, options->bend, error);
    if (status == PL_OK) status = level_prepare(coarse, error);
    if (status == PL_OK) set_inverse_masses(coarse);
    return status;
}

pl_status pl_hierarchy_update(pl_hierarchy* h, const pl_hierarchy_options* options,
                              pl_error* error) {
    for (; h->level_count > 1; h->level_count--) level_free(&h->levels[h->level_count - 1]);
    pl_coarsening_free(&h->levels[0].to_coarser);
    set_inverse_masses(&h->levels[0]);
    bool made = true;
    pl_status status = pl_level_measure(&h->levels[0], error);
    while (status == PL_OK && made && h->level_count <= options->level_count)
        status = add_level(h, options, &made, error);
    return status;
}

typedef struct level_job {
    pl_pbd_level* fine;
    pl_pbd_level* coarse;
} level_job;

static void restrict_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const level_job* job = user;
    const int* from = job->fine->to_coarser.fine_of_coarse;
    for (int j = begin; j < end; j++) {
        float* p = job->coarse->particles + 4 * (size_t)j;
        memcpy(p, job->fine->particles + 4 * (size_t)from[j], 3 * sizeof(float));
        memcpy(job->coarse->before + 4 * (size_t)j, p, 4 * sizeof(float));
    }
}

void pl_hierarchy_restrict(pl_hierarchy* h, pl_pool* pool, int finest) {
    for (int l = finest; l + 1 < h->level_count; l++) {
        level_job job = {&h->levels[l], &h->levels[l + 1]};
        pl_parallel_for(pool, restrict_task, job.coarse->graph.particle_count, PARTICLE_BLOCK,
                        &job);
    }
}

// before = particles - before: the corrections of this level
static void difference_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const pl_pbd_level* l = ((const level_job*)user)->coarse;
    for (int j = begin; j < end; j++) {
        pl_f4* before = (pl_f4*)(l->before + 4 * (size_t)j);
        *before = *(const pl_f4*)(l->particles + 4 * (size_t)j) - *before;
    }
}

// Eq. 7: p_i += sum of w_ij (p_j - q_j)
static void prolong_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const level_job* job = user;
    const pl_coarsening* c = &job->fine->to_coarser;
    const int* restrict offsets = c->parent_offsets, * restrict parents = c->parents;
    const float* restrict weights = c->weights;
    const pl_f4* restrict changes = (const pl_f4*)job->coarse->before;
    pl_f4* restrict particles = (pl_f4*)job->fine->particles;
    for (int i = begin; i < end; i++) {
        if (particles[i][3] == 0.0f) continue; // held
        pl_f4 sum = {0};
        for (int k = offsets[i]; k < offsets[i + 1]; k++) sum += weights[k] * changes[parents[k]];
        particles[i] += sum;
    }
}

static void prolong(pl_pbd_level* coarse, pl_pbd_level* fine, pl_pool* pool) {
    level_job job = {fine, coarse};
    pl_parallel_for(pool, difference_task, coarse->graph.particle_count, PARTICLE_BLOCK, &job);
    pl_parallel_for(pool, prolong_task, fine->graph.particle_count, PARTICLE_BLOCK, &job);
}

void pl_level_sweep(pl_pbd_level* l, pl_pool* pool, double time_step, bool backward) {
    pl_sweep(&l->sweeper, pool, time_step, backward, l->particles);
    pl_points_project(&l->points, pool, time_step, l->particles);
}

void pl_hierarchy_pass(pl_hierarchy* h, pl_pool* pool, double time_step, int finest, int sweeps) {
    pl_hierarchy_restrict(h, pool, finest);
    for (int l = h->level_count - 1; l > finest; l--) {
        pl_pbd_level* level = &h->levels[l];
        int count = pl_hierarchy_sweeps(h, l, finest, sweeps);
        for (int k = 0; k < count; k++) pl_level_sweep(level, pool, time_step, k % 2 == 1);
        prolong(level, &h->levels[l - 1], pool);
    }
}

static void interpolate_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const level_job* job = user;
    const pl_coarsening* c = &job->fine->to_coarser;
    for (int i = begin; i < end; i++) {
        float* p = job->fine->particles + 4 * (size_t)i;
        if (p[3] == 0.0f || (job->fine->torn && job->fine->torn[i])) continue;
        pl_f4 sum = {0};
        for (int k = c->parent_offsets[i]; k < c->parent_offsets[i + 1]; k++)
            sum +=
                c->weights[k] * *(const pl_f4*)(job->coarse->particles + 4 * (size_t)c->parents[k]);
        for (int k = 0; k < 3; k++) p[k] = sum[k];
    }
}

void pl_hierarchy_interpolate(pl_hierarchy* h, pl_pool* pool, int l) {
    level_job job = {&h->levels[l], &h->levels[l + 1]};
    pl_parallel_for(pool, interpolate_task, job.fine->graph.particle_count, PARTICLE_BLOCK, &job);
}
