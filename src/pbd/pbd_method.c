// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "pbd/pbd_method.h"
#include "pbd/pbd_energy.h"

#include <string.h>

static pl_status create(const pl_method_body* bodies, int body_count, int vertex_count,
                        pl_pool* pool, void** out, pl_notes* notes, pl_error* error) {
    pl_pbd_system* system;
    pl_status status =
        pl_pbd_system_create(bodies, body_count, vertex_count, pool, &system, notes, error);
    *out = system;
    return status;
}

static void destroy(void* system) { pl_pbd_system_destroy(system); }
static pl_status step(void* system, const pl_method_step* s, pl_method_info* info,
                      pl_error* error) {
    return pl_pbd_system_step(system, s, info, error);
}
static pl_status update(void* system, const pl_method_body* bodies, int body_count,
                        pl_error* error) {
    return pl_pbd_system_update(system, bodies, body_count, error);
}
static double* positions(void* system) { return ((pl_pbd_system*)system)->positions; }
static double* velocities(void* system) { return ((pl_pbd_system*)system)->velocities; }
static const double* masses(void* system) { return ((pl_pbd_system*)system)->mass; }

static pl_method_energies energies(void* system) { return pl_pbd_energies(system); }

static size_t vector_size(const pl_pbd_system* s) {
    return 3 * (size_t)s->vertex_count * sizeof(double);
}
// positions, velocities, and for bodies that tear the particle of each corner
static size_t state_size(const void* system) {
    const pl_pbd_system* s = system;
    size_t size = 2 * vector_size(s);
    for (int b = 0; b < s->body_count; b++)
        size += (size_t)s->bodies[b].tearing.corner_count * sizeof(int);
    return size;
}
static void state_save(const void* system, void* out) {
    const pl_pbd_system* s = system;
    memcpy(out, s->positions, vector_size(s));
    memcpy((char*)out + vector_size(s), s->velocities, vector_size(s));
    char* at = (char*)out + 2 * vector_size(s);
    for (int b = 0; b < s->body_count; b++) {
        const pl_tearing* t = &s->bodies[b].tearing;
        size_t size = (size_t)t->corner_count * sizeof(int);
        if (size) memcpy(at, t->particle_of_corner, size);
        at += size;
    }
}
static void state_load(void* system, const void* in) {
    pl_pbd_system* s = system;
    memcpy(s->positions, in, vector_size(s));
    memcpy(s->velocities, (const char*)in + vector_size(s), vector_size(s));
    const char* at = (const char*)in + 2 * vector_size(s);
    for (int b = 0; b < s->body_count; b++) {
        pl_tearing* t = &s->bodies[b].tearing;
        if (t->corner_count) pl_tearing_load(t, at), s->bodies[b].is_stale = true;
        at += (size_t)t->corner_count * sizeof(int);
    }
}
static bool state_is_motion(const void* system) {
    const pl_pbd_system* s = system;
    return state_size(s) == 2 * vector_size(s);
}

static int cut(void* system, int body, const double sweep[9]) {
    pl_pbd_system* s = system;
    return pl_pbd_body_cut(&s->bodies[body], s->positions, sweep);
}

// the parent with the largest weight on the next coarser level
static int main_parent(const pl_coarsening* c, int particle) {
    int best = c->parent_offsets[particle];
    for (int k = best + 1; k < c->parent_offsets[particle + 1]; k++)
        if (c->weights[k] > c->weights[best]) best = k;
    return c->parents[best];
}

// Nodes are the particles of a level, or of the coarsest if a body has fewer levels. Torn-off
// particles without a parent belong to the first node of the body.
static int nodes_of_body(const pl_pbd_body* b, int level, int* nodes) {
    const pl_hierarchy* h = &b->hierarchy;
    int last = level < h->level_count ? level : h->level_count - 1;
    for (int p = 0; p < h->levels[0].graph.particle_count; p++) {
        int node = p;
        for (int l = 0; l < last && node >= 0; l++) {
            const pl_coarsening* c = &h->levels[l].to_coarser;
            bool has_parent = c->parent_offsets[node] < c->parent_offsets[node + 1];
            node = has_parent ? main_parent(c, node) : -1;
        }
        if (node < 0) node = 0;
        if (!b->tears) nodes[b->order.old_of_new[p]] = node;
        for (int k = b->tears ? b->corners.offsets[p] : 0;
             b->tears && k < b->corners.offsets[p + 1]; k++)
            nodes[b->corners.items[k]] = node;
    }
    return h->levels[last].graph.particle_count;
}

static int aggregates(void* system, int level, int* nodes) {
    const pl_pbd_system* s = system;
    int count = 0;
    bool found = false;
    for (int b = 0; b < s->body_count; b++) {
        const pl_pbd_body* body = &s->bodies[b];
        found = found || (level >= 1 && level < body->hierarchy.level_count);
        int own = nodes_of_body(body, level, nodes + body->first_vertex);
        for (int v = 0; v < body->vertex_count; v++) nodes[body->first_vertex + v] += count;
        count += own;
    }
    return found ? count : 0;
}

const pl_method_functions pl_pbd_method = {.name = "pbd",
                                           .create = create,
                                           .destroy = destroy,
                                           .step = step,
                                           .positions = positions,
                                           .velocities = velocities,
                                           .masses = masses,
                                           .energies = energies,
                                           .state_size = state_size,
                                           .state_save = state_save,
                                           .state_load = state_load,
                                           .state_is_motion = state_is_motion,
                                           .update = update,
                                           .cut = cut,
                                           .aggregates = aggregates,
                                           .keeps_apart = true,
                                           .stores_unseen = true};
