// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The solver of a step: lines (8) to (10) of S1 section 3, preceded by the hierarchy of section 7.
// Passes from coarse to fine are followed by sweeps on level 0, every second one backwards (section
// 9).
//
// Positions are floats relative to a point of the body. Only the solver's change is added to the
// predicted positions, which are doubles, so a free body moves exactly. The previous positions are
// not stored but computed from the predicted ones, because memory reads limit the speed of large
// bodies.
#include "pbd/pbd_body.h"
#include "base/memory.h"
#include "base/notes.h"
#include "geometry/box.h"
#include "pbd/level_stiffness.h"
#include "pbd/pbd_build.h"

#include <math.h>
#include <string.h>

enum { PARTICLE_BLOCK = 16384, ORIGIN_SAMPLES = 64 };
// Defaults: particles on the coarsest level of cloth, and the largest number of substeps.
enum { COARSEST = 40, MAX_SUBSTEPS = 100 };
// Limit of positions [m], near the end of the range of floats.
static const float FARTHEST = 1e38f;

void pl_pbd_body_free(pl_pbd_body* b) {
    PL_FREE(b->attached, bool, b->vertex_count);
    PL_FREE(b->other, float, 4 * (size_t)b->vertex_count);
    pl_adjacency_free(&b->corners);
    pl_tearing_free(&b->tearing);
    pl_array_free(&b->points);
    pl_hierarchy_free(&b->hierarchy);
    pl_ordering_free(&b->order);
    *b = (pl_pbd_body){0};
}

// Number of levels: each has a quarter of the particles of the finer one, down to a few.
static int level_count_of(const pl_method_body* body) {
    const pl_pbd* s = &body->body->pbd;
    if (s->hierarchy >= 0) return s->hierarchy;
    if (s->model != PL_PBD_COMPLIANCE || !body->is_cloth) return 0;
    int levels = 0;
    for (int count = body->mesh->vertex_count; count > 2 * COARSEST; count /= 4) levels++;
    return levels;
}

static pl_hierarchy_options options_of(const pl_method_body* body) {
    const pl_pbd* s = &body->body->pbd;
    int sweeps = body->body->solver.iterations, levels = level_count_of(body);
    bool compliant = s->model == PL_PBD_COMPLIANCE;
    return (pl_hierarchy_options){
        .coarsen = {s->parents, s->rest_length, s->keep_attached},
        .level_count = levels > s->level ? levels : s->level,
        .lumped_mass = s->lumped_mass,
        .bilateral = !body->is_cloth,
        .coarse_bending = s->coarse_bending,
        .drawn_level = s->level,
        // one sweep of a coarse level does the work of all sweeps of the finest
        .stretch = compliant ? 1.0f : (float)s->stretch,
        .bend = compliant ? 0.0f : pl_stiffness_of_sweep(s->bend, sweeps),
        .compliance = compliant && s->compliance > 0.0 ? (float)s->compliance : 0.0f};
}

// builds the levels without attachments, so that unsupported settings of a scene are reported
// before it runs
static pl_status first_levels(pl_pbd_body* b, const pl_body* body, pl_notes* notes,
                              pl_error* error) {
    const char* name = body->name;
    pl_status status = pl_hierarchy_update(&b->hierarchy, &b->options, error);
    b->has_levels = status == PL_OK;
    if (status == PL_OK && body->pbd.hierarchy >= 0 &&
        b->hierarchy.level_count - 1 < b->options.level_count)
        pl_note(notes, PL_NOTE_INFO,
                "body \"%s\": %d coarse levels can be made, not %d; the coarsest has %d particles",
                name, b->hierarchy.level_count - 1, b->options.level_count,
                b->hierarchy.levels[b->hierarchy.level_count - 1].graph.particle_count);
    return status;
}

// the corners of each particle
static pl_status list_corners(const pl_tearing* t, const pl_ordering* order, pl_adjacency* out,
                              pl_error* error) {
    int* particles = PL_ALLOC(int, t->corner_count);
    if (t->corner_count && !particles) return pl_fail_memory(error, "corners");
    for (int c = 0; c < t->corner_count; c++)
        particles[c] = order->new_of_old[t->particle_of_corner[c]];
    pl_status status =
        pl_vertex_elements(particles, t->corner_count, 1, t->particle_count, out, error);
    PL_FREE(particles, int, t->corner_count);
    return status;
}

// Rebuilds particles and constraints from the body, or from cloth in its current torn state. On
// failure the old ones remain.
static pl_status make_particles(pl_pbd_body* b, const pl_method_body* body, pl_error* error) {
    pl_pbd_parts parts;
    pl_hierarchy hierarchy = {0};
    pl_adjacency corners = {0};
    pl_status status = b->tears ? pl_tearing_parts(&b->tearing, &parts, error)
                                : pl_pbd_parts_create(body, NULL, 0, &parts, error);
    if (status != PL_OK) return status;
    bool removes = b->tears && b->tearing.body.pbd.tear_mode == PL_TEAR_REMOVE, *torn = NULL;
    if (b->tears) status = list_corners(&b->tearing, &parts.order, &corners, error);
    if (status == PL_OK && removes) {
        torn = PL_ALLOC(bool, parts.order.count);
        status = torn ? PL_OK : pl_fail_memory(error, "torn particles");
        if (torn) pl_tearing_mark(&b->tearing, &parts.order, torn);
    }
    if (status == PL_OK)
        status = pl_hierarchy_setup(&parts.graph, parts.sets, parts.set_count, parts.mass,
                                    parts.modulus, &hierarchy, error);
    if (status != PL_OK && torn) PL_FREE(torn, bool, parts.order.count);
    else if (status == PL_OK) hierarchy.levels[0].torn = torn;
    if (status != PL_OK) {
        pl_adjacency_free(&corners);
        pl_pbd_parts_free(&parts);
        return status;
    }
    PL_FREE(parts.mass, double, parts.order.count);
    PL_FREE(parts.modulus, double, parts.order.count);
    pl_hierarchy_free(&b->hierarchy);
    pl_ordering_free(&b->order);
    pl_adjacency_free(&b->corners);
    b->hierarchy = hierarchy, b->order = parts.order, b->corners = corners;
    b->has_levels = b->is_stale = false;
    return PL_OK;
}

// Cloth with levels: measured so that at most 1 % of the edges are stretched by 5 % while a sheet
// swings from two corners. Without levels, a hanging column of n edges stretches by about 1.7 n g
// h^2 / edge, because single sweeps do not carry its full weight.
static double pace_of_cloth(const pl_method_body* body, int level_count) {
    enum { MEASURED = 10000 };
    const pl_mesh* mesh = body->mesh;
    if (level_count > 0)
        return fmin(fmax(1200.0 * pow((double)mesh->vertex_count / MEASURED, 0.25), 600.0), 1800.0);
    pl_box box = pl_box_of_points(mesh->positions, mesh->vertex_count);
    double size = pl_box_diagonal(box), rows = sqrt((double)mesh->vertex_count);
    return size > 0.0 ? rows * sqrt(1.7 * 9.81 / (0.03 * size)) : 360.0;
}

// Rate at which waves cross an element [1/s]; law springs: from the stiffness of the springs.
static double wave_rate(const pl_method_body* body, int e) {
    const int* v = body->mesh->tets + 4 * (size_t)e;
    const pl_element_material* m = &body->materials[e];
    pl_vec3 x[4];
    for (int i = 0; i < 4; i++) x[i] = pl_vec3_load(body->mesh->positions + 3 * (size_t)v[i]);
    double volume = pl_dot(pl_cross(pl_sub(x[1], x[0]), pl_sub(x[2], x[0])), pl_sub(x[3], x[0]));
    double edge = cbrt(1.41421356 * fabs(volume)); // of a regular tet with volume / 6
    if (!(edge > 0.0) || !(m->density > 0.0)) return 0.0;
    double modulus = m->law == PL_LAW_SPRINGS ? m->stretch / edge : m->lambda + 2.0 * m->mu;
    return sqrt(fmax(modulus, 0.0) / m->density) / edge;
}

static double pace_of(const pl_method_body* body, int level_count) {
    const double crossings = 6.0, least = 1200.0; // substeps per wave crossing of a tet
    if (body->is_cloth) return pace_of_cloth(body, level_count);
    double sum = 0.0;
    for (int e = 0; e < body->mesh->tet_count; e++) sum += wave_rate(body, e);
    double mean = body->mesh->tet_count ? sum / body->mesh->tet_count : 0.0;
    return fmax(crossings * mean, least);
}

static void take_settings(pl_pbd_body* b, const pl_method_body* body) {
    b->options = options_of(body);
    b->iterations = body->body->solver.iterations;
    b->passes = body->body->pbd.passes;
    b->coarse_sweeps = body->body->pbd.coarse_sweeps;
    b->damping = body->body->damping.mass;
    bool compliant = body->body->pbd.model == PL_PBD_COMPLIANCE;
    b->stiffness_damping = compliant ? body->body->damping.stiffness : 0.0;
    b->substeps = compliant || body->body->pbd.substeps ? body->body->pbd.substeps : 1;
    b->pace = b->substeps ? 0.0 : pace_of(body, b->options.level_count);
}

int pl_pbd_body_substeps(const pl_pbd_body* b, double time_step) {
    if (b->substeps > 0) return b->substeps;
    double wanted = ceil(time_step * b->pace);
    return wanted > MAX_SUBSTEPS ? MAX_SUBSTEPS : wanted > 1.0 ? (int)wanted : 1;
}

pl_status pl_pbd_body_update(pl_pbd_body* b, const pl_method_body* body, pl_error* error) {
    take_settings(b, body);
    if (!b->tears) return make_particles(b, body, error);
    pl_tearing_update(&b->tearing, body);
    b->is_stale = true;
    return PL_OK;
}

pl_status pl_pbd_body_create(const pl_method_body* body, pl_pbd_body* out, pl_notes* notes,
                             pl_error* error) {
    *out = (pl_pbd_body){.first_vertex = body->first_vertex,
                         .vertex_count = body->mesh->vertex_count,
                         .points = pl_array_of(sizeof(pl_point_constraint))};
    take_settings(out, body);
    out->tears = !isnan(body->body->pbd.tear);
    pl_status status = PL_OK;
    if (out->tears) status = pl_tearing_create(body, &out->tearing, error);
    if (status == PL_OK) status = make_particles(out, body, error);
    if (status == PL_OK && body->body->pbd.model == PL_PBD_COMPLIANCE) {
        out->other = PL_ALLOC(float, 4 * (size_t)out->vertex_count);
        if (!out->other) status = pl_fail_memory(error, "a body");
    }
    if (status == PL_OK) {
        out->attached = PL_ALLOC(bool, out->vertex_count);
        status = out->attached ? first_levels(out, body->body, notes, error)
                               : pl_fail_memory(error, "a body");
    }
    if (status != PL_OK) pl_pbd_body_free(out);
    return status;
}

void pl_pbd_body_tear(pl_pbd_body* b, const double* positions) {
    if (b->tears && pl_tearing_split(&b->tearing, positions + 3 * (size_t)b->first_vertex) > 0)
        b->is_stale = true;
}

int pl_pbd_body_cut(pl_pbd_body* b, const double* positions, const double sweep[9]) {
    if (!b->tears) return -1;
    int count = pl_tearing_cut(&b->tearing, positions + 3 * (size_t)b->first_vertex, sweep);
    if (count > 0) b->is_stale = true;
    return count;
}

static int particle_of(const pl_pbd_body* b, int v) {
    return b->order.new_of_old[b->tears ? b->tearing.particle_of_corner[v] : v];
}

// The finest level that is simulated: 0 for all.
static int finest_level(const pl_pbd_body* b) {
    int coarsest = b->hierarchy.level_count - 1;
    return b->options.drawn_level < coarsest ? b->options.drawn_level : coarsest;
}

// Levels depend only on what is attached now, not on earlier steps, so a resumed run has the same
// levels.
static pl_status update_levels(pl_pbd_body* b, const pl_method_step* step, pl_error* error) {
    memset(b->attached, 0, (size_t)b->vertex_count * sizeof(bool));
    for (int k = 0; k < step->pin_count; k++) {
        int v = step->pins[k].vertex - b->first_vertex;
        if (step->pins[k].hard && v >= 0 && v < b->vertex_count)
            b->attached[particle_of(b, v)] = true;
    }
    pl_pbd_level* finest = &b->hierarchy.levels[0];
    bool* known = finest->graph.attached;
    size_t size = (size_t)b->order.count * sizeof(bool);
    if (b->has_levels && memcmp(known, b->attached, size) == 0) return PL_OK;
    memcpy(known, b->attached, size);
    b->has_levels = false;
    pl_status status = PL_OK;
    if (b->tears && !finest->last) {
        finest->last = PL_ALLOC(unsigned char, b->order.count);
        if (b->order.count && !finest->last) status = pl_fail_memory(error, "torn particles");
    }
    if (status == PL_OK && b->tears)
        status =
            pl_tearing_last_levels(&b->tearing, &b->options, &b->order, known, finest->last, error);
    if (status == PL_OK) status = pl_hierarchy_update(&b->hierarchy, &b->options, error);
    b->has_levels = status == PL_OK;
    return status;
}

// chooses a point inside the body as the origin, so that floats are accurate
static void choose_origin(pl_pbd_body* b, const double* next) {
    int count = b->vertex_count < ORIGIN_SAMPLES ? b->vertex_count : ORIGIN_SAMPLES;
    memset(b->origin, 0, sizeof b->origin);
    for (int k = 0; k < count; k++) {
        size_t v = (size_t)b->first_vertex + (size_t)k * (size_t)b->vertex_count / (size_t)count;
        for (int i = 0; i < 3; i++) b->origin[i] += next[3 * v + (size_t)i] / count;
    }
}

typedef struct copy_job {
    pl_pbd_body* body;
    double* next;
    double *positions, *velocities; // used only when committing
    double rate;                    // 1 / time step
} copy_job;

// Rounds to the 24 bits of a float (Veltkamp's split). Not a cast to float and back: GCC 12 with
// AVX-512 omits both conversions where it converts eight numbers at a time.
static inline double as_float(double x) {
    double scaled = x * 536870913.0; // 2^29 + 1
    return scaled - (scaled - x);
}

static void load_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const copy_job* job = user;
    const pl_pbd_body* b = job->body;
    const double origin[3] = {b->origin[0], b->origin[1], b->origin[2]};
    const double* restrict next = job->next + 3 * (size_t)b->first_vertex;
    const int* restrict old_of_new = b->order.old_of_new;
    float* restrict particles = b->hierarchy.levels[0].particles;
    for (int k = begin; k < end; k++)
        for (int i = 0; i < 3; i++)
            particles[4 * k + i] =
                (float)as_float(next[3 * (size_t)old_of_new[k] + (size_t)i] - origin[i]);
}

// positions at the start of the substep, for damping
static void load_start_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const copy_job* job = user;
    const pl_pbd_body* b = job->body;
    float* start = b->hierarchy.levels[0].before;
    for (int k = begin; k < end; k++) {
        size_t v = (size_t)(b->first_vertex + pl_pbd_vertex_of(b, k));
        for (int i = 0; i < 3; i++)
            start[4 * (size_t)k + (size_t)i] =
                (float)(job->positions[3 * v + (size_t)i] - b->origin[i]);
    }
}

// a predicted position plus the solver's change
static inline double solved(const double origin[3], double predicted, const float* particle,
                            int i) {
    return predicted + ((double)particle[i] - as_float(predicted - origin[i]));
}

static void store_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const copy_job* job = user;
    pl_pbd_body* b = job->body;
    const pl_pbd_level* l = &b->hierarchy.levels[0];
    for (int k = begin; k < end; k++) {
        double* to = job->next + 3 * (size_t)(b->first_vertex + b->order.old_of_new[k]);
        for (int i = 0; i < 3; i++)
            to[i] = solved(b->origin, to[i], l->particles + 4 * (size_t)k, i);
    }
}

// the same, written directly to the state, lines (12) and (13)
static void commit_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const copy_job* job = user;
    const pl_pbd_body* b = job->body;
    size_t first = 3 * (size_t)b->first_vertex;
    const double origin[3] = {b->origin[0], b->origin[1], b->origin[2]}, rate = job->rate;
    const double* restrict next = job->next + first;
    double* restrict positions = job->positions + first, * restrict velocities =
                                                             job->velocities + first;
    const int* restrict old_of_new = b->order.old_of_new;
    const float* restrict particles = b->hierarchy.levels[0].particles;
    for (int k = begin; k < end; k++)
        for (int i = 0; i < 3; i++) {
            size_t at = 3 * (size_t)old_of_new[k] + (size_t)i;
            double place = solved(origin, next[at], particles + 4 * (size_t)k, i);
            velocities[at] = (place - positions[at]) * rate;
            positions[at] = place;
        }
}

// Predicted position of a particle with several corners: their centre of mass. Corners at the same
// position give exactly this position.
static pl_vec3 middle_of_corners(const pl_pbd_body* b, const double* next, int k) {
    const double* first = next + 3 * (size_t)b->corners.items[b->corners.offsets[k]];
    pl_vec3 at = pl_vec3_load(first), sum = {0, 0, 0};
    double mass = 0.0;
    for (int j = b->corners.offsets[k]; j < b->corners.offsets[k + 1]; j++) {
        int c = b->corners.items[j];
        sum = pl_madd(sum, b->tearing.mass[c], pl_sub(pl_vec3_load(next + 3 * (size_t)c), at));
        mass += b->tearing.mass[c];
    }
    return pl_madd(at, 1.0 / mass, sum);
}

static void load_corners_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const copy_job* job = user;
    pl_pbd_body* b = job->body;
    pl_pbd_level* l = &b->hierarchy.levels[0];
    for (int k = begin; k < end; k++) {
        double at[3];
        pl_vec3_store(at, middle_of_corners(b, job->next + 3 * (size_t)b->first_vertex, k));
        for (int i = 0; i < 3; i++) l->particles[4 * k + i] = (float)as_float(at[i] - b->origin[i]);
    }
}

static void store_corners_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const copy_job* job = user;
    pl_pbd_body* b = job->body;
    const pl_pbd_level* l = &b->hierarchy.levels[0];
    double* next = job->next + 3 * (size_t)b->first_vertex;
    for (int k = begin; k < end; k++) {
        double at[3];
        pl_vec3_store(at, middle_of_corners(b, next, k));
        for (int i = 0; i < 3; i++)
            at[i] = solved(b->origin, at[i], l->particles + 4 * (size_t)k, i);
        for (int j = b->corners.offsets[k]; j < b->corners.offsets[k + 1]; j++)
            memcpy(next + 3 * (size_t)b->corners.items[j], at, sizeof at);
    }
}

// a particle is held if any of its corners is
static void hold_corners(pl_pbd_body* b, const pl_method_step* step, const pl_pbd_part* part,
                         double* next) {
    for (int k = 0; b->tears && k < step->pin_count; k++) {
        int v = step->pins[k].vertex - b->first_vertex;
        if (!step->pins[k].hard || v < 0 || v >= b->vertex_count) continue;
        int p = particle_of(b, v);
        for (int j = b->corners.offsets[p]; j < b->corners.offsets[p + 1]; j++)
            pl_vec3_store(next + 3 * (size_t)(b->first_vertex + b->corners.items[j]),
                          pl_pbd_pin_place(&step->pins[k], part));
    }
}

static void to_float(const pl_pbd_body* b, pl_vec3 a, float out[3]) {
    out[0] = (float)(a.x - b->origin[0]);
    out[1] = (float)(a.y - b->origin[1]);
    out[2] = (float)(a.z - b->origin[2]);
}

pl_vec3 pl_pbd_contact_place(const pl_contact* c, const pl_pbd_part* part, pl_vec3 from) {
    pl_vec3 before = pl_madd(c->point, part->begin - 1.0, c->motion);
    double depth = pl_dot(pl_sub(before, from), c->normal);
    double left = (1.0 - part->end) / (1.0 - part->begin) * fmax(depth, 0.0);
    pl_vec3 place = pl_madd(c->point, part->end - 1.0, c->motion);
    return left > 0.0 ? pl_madd(place, -left, c->normal) : place;
}

static bool add_contact(pl_pbd_body* b, const pl_contact* c, const pl_pbd_part* part,
                        const double* start) {
    int v = c->vertex - b->first_vertex;
    if (v < 0 || v >= b->vertex_count) return true;
    pl_point_constraint point = {
        .particle = particle_of(b, v),
        .order = (int)b->points.count,
        .is_contact = true,
        .obstacle = c->obstacle,
        .normal = {(float)c->normal.x, (float)c->normal.y, (float)c->normal.z},
        .friction = (float)c->friction};
    pl_vec3 from = pl_vec3_load(start + 3 * (size_t)c->vertex);
    to_float(b, pl_pbd_contact_place(c, part, from), point.place);
    to_float(b, pl_madd(from, part->end - part->begin, c->motion), point.origin);
    return pl_array_push(&b->points, &point);
}

static bool add_pin(pl_pbd_body* b, const pl_pin* pin, const pl_pbd_part* part) {
    int v = pin->vertex - b->first_vertex;
    if (pin->hard || v < 0 || v >= b->vertex_count || !(pin->stiffness > 0.0)) return true;
    pl_point_constraint point = {.particle = particle_of(b, v),
                                 .order = (int)b->points.count,
                                 .compliance = (float)(1.0 / pin->stiffness)};
    to_float(b, pl_pbd_pin_place(pin, part), point.place);
    return pl_array_push(&b->points, &point);
}

// constraints of single particles, grouped for each level that has them
static pl_status gather_points(pl_pbd_body* b, const pl_method_step* step, const pl_pbd_part* part,
                               const double* start, const pl_contact* contacts, int contact_count,
                               pl_error* error) {
    b->points.count = 0;
    bool ok = true;
    for (int k = 0; ok && k < step->pin_count; k++) ok = add_pin(b, &step->pins[k], part);
    for (int k = 0; ok && k < contact_count; k++) ok = add_contact(b, &contacts[k], part, start);
    if (!ok) return pl_fail_memory(error, "contacts");
    pl_hierarchy* h = &b->hierarchy;
    pl_points_sort(b->points.data, (int)b->points.count);
    ok = pl_points_group(&h->levels[0].points, b->points.data, (int)b->points.count);
    for (int l = 0; ok && l + 1 < h->level_count; l++)
        ok = pl_points_coarsen(&h->levels[l].points, h->levels[l].to_coarser.coarse_of_fine,
                               &h->levels[l + 1].points);
    return ok ? PL_OK : pl_fail_memory(error, "contacts");
}

// Every second sweep runs backwards. backward: 1 if the first one does.
static int run_sweeps(pl_pbd_body* b, pl_pool* pool, const pl_pbd_part* part, int backward) {
    int finest = finest_level(b), done = 0;
    double h = part->time_step;
    pl_hierarchy* levels = &b->hierarchy;
    pl_hierarchy_share_load(levels, finest, h, part->sweeps, b->coarse_sweeps);
    if (finest > 0) pl_hierarchy_restrict(levels, pool, 0);
    for (int pass = 0; pass < b->passes; pass++) {
        if (levels->level_count - 1 > finest)
            pl_hierarchy_pass(levels, pool, h, finest, b->coarse_sweeps);
        int until = (int)((int64_t)part->sweeps * (pass + 1) / b->passes);
        for (; done < until; done++)
            pl_level_sweep(&levels->levels[finest], pool, h, (done + backward) % 2 == 1);
    }
    for (int l = finest - 1; l >= 0; l--) pl_hierarchy_interpolate(levels, pool, l);
    return done;
}

static void start_sweeps(pl_pbd_body* b) {
    for (int l = 0; l < b->hierarchy.level_count; l++)
        pl_sweeper_start(&b->hierarchy.levels[l].sweeper);
    pl_point_constraint* points = b->points.data;
    for (size_t k = 0; k < b->points.count; k++) {
        points[k].push = 0.0f;
        memset(points[k].drag, 0, sizeof points[k].drag);
    }
}

static void keep_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const pl_pbd_body* b = ((const copy_job*)user)->body;
    memcpy(b->other + 4 * (size_t)begin, b->hierarchy.levels[0].particles + 4 * (size_t)begin,
           4 * (size_t)(end - begin) * sizeof(float));
}

static void swap_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const pl_pbd_body* b = ((const copy_job*)user)->body;
    float *other = b->other, *particles = b->hierarchy.levels[0].particles;
    for (size_t k = 4 * (size_t)begin; k < 4 * (size_t)end; k++) {
        float before = other[k];
        other[k] = particles[k];
        particles[k] = before;
    }
}

static void average_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const pl_pbd_body* b = ((const copy_job*)user)->body;
    float *other = b->other, *particles = b->hierarchy.levels[0].particles;
    for (int k = begin; k < end; k++)
        for (size_t i = 4 * (size_t)k; i < 4 * (size_t)k + 3; i++)
            particles[i] = 0.5f * (particles[i] + other[i]);
}

// The order of a sweep leaves a persistent bias: residual forces are larger on the constraints that
// come first. It makes a bar sway to one side, and a body whose substeps alternate between forward
// and backward trembles. So both orders are solved from the same positions, and the result is their
// mean. Levels remove most of these residual forces, so cloth with levels needs no second solution.
static int run_both_ways(pl_pbd_body* b, pl_pool* pool, const pl_pbd_part* part, copy_job* job) {
    pl_parallel_for(pool, keep_task, b->order.count, PARTICLE_BLOCK, job);
    start_sweeps(b);
    int count = run_sweeps(b, pool, part, 0);
    pl_parallel_for(pool, swap_task, b->order.count, PARTICLE_BLOCK, job);
    start_sweeps(b);
    count += run_sweeps(b, pool, part, 1);
    pl_parallel_for(pool, average_task, b->order.count, PARTICLE_BLOCK, job);
    return count;
}

// Damping needs the positions of the finest level at the start of the substep.
static void load_start(pl_pbd_body* b, pl_pool* pool, copy_job* job) {
    pl_pbd_level* l = &b->hierarchy.levels[0];
    l->sweeper.damping = b->stiffness_damping;
    l->sweeper.start = l->before;
    if (!(b->stiffness_damping > 0.0)) return;
    pl_parallel_for(pool, load_start_task, b->order.count, PARTICLE_BLOCK, job);
}

pl_status pl_pbd_body_solve(pl_pbd_body* b, pl_pool* pool, const pl_method_step* step,
                            const pl_pbd_part* part, double* start, const pl_contact* contacts,
                            int contact_count, double* next, int* sweep_count, pl_error* error) {
    pl_status status = b->is_stale ? make_particles(b, NULL, error) : PL_OK;
    if (status == PL_OK && part->index == 0) status = update_levels(b, step, error);
    if (status != PL_OK) return status;
    hold_corners(b, step, part, next);
    choose_origin(b, next);
    status = gather_points(b, step, part, start, contacts, contact_count, error);
    if (status != PL_OK) return status;
    copy_job job = {.body = b, .next = next, .positions = start};
    pl_parallel_for(pool, b->tears ? load_corners_task : load_task, b->order.count, PARTICLE_BLOCK,
                    &job);
    load_start(b, pool, &job);
    if (b->other && b->hierarchy.level_count == 1) {
        *sweep_count += run_both_ways(b, pool, part, &job);
        return PL_OK;
    }
    start_sweeps(b);
    *sweep_count += run_sweeps(b, pool, part, 0);
    return PL_OK;
}

void pl_pbd_body_store(pl_pbd_body* b, pl_pool* pool, double* next) {
    copy_job job = {.body = b, .next = next};
    pl_parallel_for(pool, b->tears ? store_corners_task : store_task, b->order.count,
                    PARTICLE_BLOCK, &job);
}

void pl_pbd_body_commit(pl_pbd_body* b, pl_pool* pool, double* next, double time_step,
                        double* positions, double* velocities) {
    copy_job job = {b, next, positions, velocities, 1.0 / time_step};
    pl_parallel_for(pool, commit_task, b->order.count, PARTICLE_BLOCK, &job);
}

static double count_non_finite(int begin, int end, void* user) {
    const pl_pbd_level* l = &((const pl_pbd_body*)user)->hierarchy.levels[0];
    int64_t count = 0; // an integer: a sum of floats would be a dependency chain
    for (size_t k = 4 * (size_t)begin; k < 4 * (size_t)end; k += 4)
        for (size_t i = k; i < k + 3; i++) count += !(fabsf(l->particles[i]) < FARTHEST);
    return (double)count;
}

bool pl_pbd_body_is_finite(pl_pbd_body* b, pl_pool* pool) {
    return pl_parallel_sum(pool, count_non_finite, b->order.count, PARTICLE_BLOCK, b) == 0.0;
}
