// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A step of Newton's method moves vertices along straight lines. A spring of length l that turns by
// an angle t gets longer by l t^2 / 2. Cloth is thousands of times stiffer along its springs than
// inertia is, so this stretch causes most of the remaining forces: in wrinkles that move, a few
// vertices hold nearly all of the residual. The line search then cuts the step of the whole cloth
// to what those few can bear, and they take dozens of iterations to settle, one after the other.
//
// So before a step is judged, its vertices get a few sweeps of nonlinear Gauss-Seidel, in which
// each vertex solves for its own 3 coordinates. That removes local residuals and leaves the rest to
// the next solve (nonlinear elimination, as Cai and Keyes 2002 before Newton; here after the step).
// On a cloth of 3700 vertices that falls on a ball, frames in contact take 12 iterations instead of
// 34.
//
// Springs and contacts are nonlinear, springs with their Hessian projected. Everything else is
// linear, or linearised about the positions before the sweeps, with a matrix Q that bounds its
// Hessian from above (that of Projective Dynamics, for hinges):
//
//   d Phi / dx_v = constant_v + sum_w Q_vw (x_w - from_w) + springs and contacts of v
//
// At the minimum of Phi nothing moves. Sweeps over-relax except the last ones, which leave no
// oscillation behind. They are in float, PL_LANES vertices at a time (relax_batches.h). A hundred
// sweeps, nearly as over-relaxed as is stable, cost as much as four iterations of a linear solve,
// and Newton's method then takes a fifth of the iterations that it takes with 60.
#include "fem/spring_relax.h"
#include "base/array.h"
#include "base/memory.h"
#include "base/tuned.h"
#include "fem/relax_batches.h"

#include <math.h>
#include <string.h>

// Vertices are relaxed one after the other in chunks. Chunks of a colour are not coupled, and there
// are far fewer colours of chunks than of vertices, so that threads seldom wait for one another.
// Inside a chunk, vertices are coloured again and stored in batches.
enum { CHUNK = 256 };

// The system of a batch's vertices: the gradient, and the upper part of the Hessian, row by row.
typedef struct batch_system {
    pl_fw own[3], g[3], H[6];
} batch_system;

struct pl_spring_relax {
    const pl_element_set* sets;
    int set_count;
    pl_block_matrix Q; // block 1; the pattern is borrowed
    int value_count;
    int chunk_count, colour_count;
    int* chunks;              // by colour
    int* colour_offsets;      // chunk_count + 1 allocated
    pl_relax_batches batches; // of each chunk, by the colours of their vertices
    int* batch_offsets;       // of chunks, chunk_count + 1
    batch_system* contacts;   // per batch: contacts of its vertices, when last evaluated
    double* from;             // 3 per vertex
    float* moved;             // x - from, 4 per vertex
    int* first_contact;       // per vertex, -1: none
    pl_array next_contact;    // of int, per contact: another of its vertex
};

void pl_spring_relax_destroy(pl_spring_relax* r) {
    if (!r) return;
    int n = r->Q.row_count;
    PL_FREE(r->Q.values, double, r->value_count);
    PL_FREE(r->chunks, int, r->chunk_count);
    PL_FREE(r->colour_offsets, int, r->chunk_count + 1);
    PL_FREE(r->batch_offsets, int, r->chunk_count + 1);
    PL_FREE(r->contacts, batch_system, r->batches.batch_count);
    pl_relax_batches_free(&r->batches);
    PL_FREE(r->moved, float, 4 * (size_t)n);
    PL_FREE(r->from, double, 3 * (size_t)n);
    PL_FREE(r->first_contact, int, n);
    pl_array_free(&r->next_contact);
    PL_FREE(r, pl_spring_relax, 1);
}

// end of the rows of a chunk
static int chunk_end(const pl_spring_relax* r, int chunk) {
    int end = (chunk + 1) * CHUNK;
    return end < r->Q.row_count ? end : r->Q.row_count;
}

// The lowest colour that no chunk coupled to this one has. colours: of the chunks before it; taken:
// per colour, the last chunk that could not have it.
static int free_colour(const pl_spring_relax* r, int chunk, const int* colours, int* taken) {
    const pl_block_matrix* Q = &r->Q;
    int first = Q->offsets[chunk * CHUNK], last = Q->offsets[chunk_end(r, chunk)], colour = 0;
    for (int e = first; e < last; e++) {
        int other = Q->columns[e] / CHUNK;
        if (other < chunk) taken[colours[other]] = chunk;
    }
    while (taken[colour] == chunk) colour++;
    return colour;
}

// false if memory runs out
static bool colour_chunks(pl_spring_relax* r) {
    int n = r->chunk_count, *colours = PL_ALLOC(int, n), *taken = PL_ALLOC(int, n + 1);
    bool ok = colours && taken;
    for (int k = 0; ok && k <= n; k++) taken[k] = -1;
    for (int k = 0; ok && k < n; k++) {
        colours[k] = free_colour(r, k, colours, taken);
        if (colours[k] >= r->colour_count) r->colour_count = colours[k] + 1;
    }
    for (int c = 0, filled = 0; ok && c < r->colour_count; c++) {
        for (int k = 0; k < n; k++)
            if (colours[k] == c) r->chunks[filled++] = k;
        r->colour_offsets[c + 1] = filled;
    }
    PL_FREE(colours, int, n);
    PL_FREE(taken, int, n + 1);
    return ok;
}

// The lowest colour that no coupled vertex before this one in its chunk has.
static int free_vertex_colour(const pl_spring_relax* r, int v, int first, const int* colours) {
    const pl_block_matrix* Q = &r->Q;
    bool taken[CHUNK + 1] = {false};
    int colour = 0;
    for (int e = Q->offsets[v]; e < Q->offsets[v + 1]; e++)
        if (Q->columns[e] >= first && Q->columns[e] < v)
            taken[colours[Q->columns[e] - first]] = true;
    while (taken[colour]) colour++;
    return colour;
}

static bool is_coupled(const pl_spring_relax* r, int v, const int32_t* vertices, int count) {
    const pl_block_matrix* Q = &r->Q;
    for (int e = Q->offsets[v]; e < Q->offsets[v + 1]; e++)
        for (int k = 0; k < count; k++)
            if (Q->columns[e] == vertices[k]) return true;
    return false;
}

// batches under construction
typedef struct filling {
    int32_t* vertices; // PL_LANES per batch
    int* counts;
    int first, end; // the range of batches of a chunk that may still have room
} filling;

// Puts a vertex into the first batch that has room and nothing coupled to it. Colours are mixed
// only where one ends, so that few lanes stay empty.
static void add_vertex(const pl_spring_relax* r, filling* to, int v) {
    int k = to->first;
    while (k < to->end && (to->counts[k] == PL_LANES ||
                           is_coupled(r, v, to->vertices + PL_LANES * (size_t)k, to->counts[k])))
        k++;
    if (k == to->end) to->end++;
    to->vertices[PL_LANES * (size_t)k + (size_t)to->counts[k]++] = v;
    while (to->first < to->end && to->counts[to->first] == PL_LANES) to->first++;
}

static int find_batches(const pl_spring_relax* r, int32_t* vertices, int* counts) {
    filling to = {vertices, counts, 0, 0};
    for (int chunk = 0; chunk < r->chunk_count; chunk++) {
        int first = chunk * CHUNK, count = chunk_end(r, chunk) - first, colours[CHUNK], last = 0;
        for (int k = 0; k < count; k++) {
            colours[k] = free_vertex_colour(r, first + k, first, colours);
            last = colours[k] > last ? colours[k] : last;
        }
        to.first = to.end;
        for (int colour = 0; colour <= last; colour++)
            for (int k = 0; k < count; k++)
                if (colours[k] == colour) add_vertex(r, &to, first + k);
        r->batch_offsets[chunk + 1] = to.end;
    }
    return to.end;
}

static pl_status make_batches(pl_spring_relax* r, const pl_spring_gather* gather, pl_error* error) {
    int n = r->Q.row_count, *counts = PL_ALLOC(int, n);
    int32_t* vertices = PL_ALLOC(int32_t, PL_LANES * (size_t)n);
    pl_status status = PL_OK;
    if (n > 0 && (!counts || !vertices)) status = pl_fail_memory(error, "the solver of a step");
    if (status == PL_OK) {
        int count = find_batches(r, vertices, counts);
        status = pl_relax_batches_setup(&r->batches, gather, &r->Q, vertices, counts, count, error);
        r->contacts = PL_ALLOC(batch_system, r->batches.batch_count);
        if (status == PL_OK && !r->contacts && count > 0)
            status = pl_fail_memory(error, "the solver of a step");
    }
    PL_FREE(counts, int, n);
    PL_FREE(vertices, int32_t, PL_LANES * (size_t)n);
    return status;
}

static pl_status allocate(pl_spring_relax* r, const pl_block_matrix* A,
                          const pl_spring_gather* gather, pl_error* error) {
    int n = A->row_count;
    r->Q = *A;
    r->Q.block = 1;
    r->value_count = pl_block_matrix_entry_count(A);
    r->Q.values = PL_ALLOC(double, r->value_count);
    r->moved = PL_ALLOC(float, 4 * (size_t)n);
    r->from = PL_ALLOC(double, 3 * (size_t)n);
    r->first_contact = PL_ALLOC(int, n);
    r->chunk_count = (n + CHUNK - 1) / CHUNK;
    r->chunks = PL_ALLOC(int, r->chunk_count);
    r->colour_offsets = PL_ALLOC(int, r->chunk_count + 1);
    r->batch_offsets = PL_ALLOC(int, r->chunk_count + 1);
    if (!r->Q.values || !r->moved || !r->from || !r->first_contact || !r->chunks ||
        !r->colour_offsets || !r->batch_offsets || !colour_chunks(r))
        return pl_fail_memory(error, "the solver of a step");
    for (int v = 0; v < n; v++) r->first_contact[v] = -1;
    return make_batches(r, gather, error);
}

pl_status pl_spring_relax_create(const pl_block_matrix* A, const pl_element_set* sets,
                                 int set_count, pl_spring_relax** out, pl_error* error) {
    *out = NULL;
    const pl_spring_gather* gather = NULL;
    for (int k = 0; k < set_count; k++)
        if (sets[k].gather) gather = sets[k].gather;
    if (!gather) return PL_OK;
    pl_spring_relax* r = PL_ALLOC(pl_spring_relax, 1);
    if (!r) return pl_fail_memory(error, "the solver of a step");
    *r = (pl_spring_relax){
        .sets = sets, .set_count = set_count, .next_contact = pl_array_of(sizeof(int))};
    pl_status status = allocate(r, A, gather, error);
    if (status == PL_OK) *out = r;
    else pl_spring_relax_destroy(r);
    return status;
}

void pl_spring_relax_begin(pl_spring_relax* r, const pl_step_objective* f) {
    pl_block_matrix* Q = &r->Q;
    double weight = pl_step_mass_weight(f);
    bool damped = f->velocity_time > 0.0 && f->damping_stiffness > 0.0;
    pl_block_matrix_zero(Q);
    // the damping matrix consists of projected Hessians, which the same matrices bound
    for (int k = 0; damped && k < r->set_count; k++)
        pl_element_set_projective(&r->sets[k], f->pool, Q);
    for (int e = 0; damped && e < r->value_count; e++)
        Q->values[e] *= f->damping_stiffness / f->velocity_time;
    for (int k = 0; k < r->set_count; k++)
        if (!r->sets[k].gather) pl_element_set_projective(&r->sets[k], f->pool, Q);
    for (int e = 0; f->mass_matrix && e < r->value_count; e++)
        Q->values[e] += weight * f->mass_matrix->values[e];
    for (int v = 0; !f->mass_matrix && v < Q->row_count; v++)
        Q->values[Q->diagonal[v]] += weight * f->mass[v];
    for (int k = 0; k < f->pin_count; k++)
        if (!f->pins[k].hard) Q->values[Q->diagonal[f->pins[k].vertex]] += f->pins[k].stiffness;
    pl_relax_batches_refresh(&r->batches, Q);
}

pl_status pl_spring_relax_contacts(pl_spring_relax* r, const pl_step_objective* f,
                                   pl_error* error) {
    r->next_contact.count = 0;
    for (int v = 0; v < r->Q.row_count; v++) r->first_contact[v] = -1;
    int* next = pl_array_add(&r->next_contact, (size_t)f->contact_count);
    if (!next && f->contact_count) return pl_fail_memory(error, "contacts");
    for (int k = f->contact_count - 1; k >= 0; k--) {
        int* first = &r->first_contact[f->contacts[k].vertex];
        next[k] = *first;
        *first = k;
    }
    return PL_OK;
}

// the contacts of a vertex at x
static void add_contacts(const pl_spring_relax* r, const pl_step_objective* f, const double* x,
                         int v, int lane, batch_system* s) {
    static const int place[6] = {0, 1, 2, 4, 5, 8};
    const int* next = r->next_contact.data;
    for (int k = r->first_contact[v]; k >= 0; k = next[k]) {
        double block[9], g[3];
        pl_vec3_store(g, pl_step_contact_both(f, k, x, 1.0, block));
        for (int c = 0; c < 3; c++) s->g[c][lane] += (float)g[c];
        for (int i = 0; i < 6; i++) s->H[i][lane] += (float)block[place[i]];
    }
}

typedef struct sweep_job {
    pl_spring_relax* r;
    const pl_step_objective* f;
    const double* gradient;
    double* x;         // current positions of vertices in contact, initial ones of others
    const int* chunks; // of one colour
    const int* piece_of;
    const bool* chosen;            // NULL: all pieces
    const pl_vertex_bound* bounds; // per vertex; NULL: none
    float relaxation;
    bool evaluates_contacts;
} sweep_job;

static bool is_free(const sweep_job* job, int v) {
    return !job->f->fixed[v] && !(job->f->hold_of && job->f->hold_of[v]) &&
           (!job->chosen || job->chosen[job->piece_of[v]]);
}

static bool is_bound(const sweep_job* job, int v) {
    return job->bounds && isfinite(job->bounds[v].room);
}

// the bounds are centred on the positions at the start of the sweeps
static void add_bound(const sweep_job* job, int v, int lane, batch_system* s) {
    const double* B = job->bounds[v].block;
    const float u[3] = {s->own[0][lane], s->own[1][lane], s->own[2][lane]};
    for (int i = 0; i < 6; i++) s->H[i][lane] += (float)B[i];
    s->g[0][lane] += (float)B[0] * u[0] + (float)B[1] * u[1] + (float)B[2] * u[2];
    s->g[1][lane] += (float)B[1] * u[0] + (float)B[3] * u[1] + (float)B[4] * u[2];
    s->g[2][lane] += (float)B[2] * u[0] + (float)B[4] * u[1] + (float)B[5] * u[2];
}

// moves vertices that left their bounds back to the boundary
static void keep_room(const sweep_job* job, const pl_relax_batch* q, pl_fw own[3]) {
    for (int lane = 0; job->bounds && lane < q->count; lane++) {
        const float x = own[0][lane], y = own[1][lane], z = own[2][lane];
        const float room = (float)job->bounds[q->vertices[lane]].room;
        const float square = x * x + y * y + z * z;
        if (!(square > room * room)) continue;
        const float part = room / sqrtf(square);
        for (int c = 0; c < 3; c++) own[c][lane] *= part;
    }
}

static void start_vertices(const sweep_job* job, pl_relax_batch* q) {
    const pl_spring_relax* r = job->r;
    q->free = (pl_iw){0};
    q->has_contacts = false;
    for (int lane = 0; lane < q->count; lane++) {
        const size_t v = (size_t)q->vertices[lane];
        q->free[lane] = is_free(job, (int)v) ? -1 : 0;
        q->has_contacts = q->has_contacts || r->first_contact[v] >= 0 || is_bound(job, (int)v);
        memcpy(r->from + 3 * v, job->x + 3 * v, 3 * sizeof(double));
        memset(r->moved + 4 * v, 0, 4 * sizeof(float));
    }
}

// Computes the springs at the start, and the constant part of the gradient.
static void start_task(int begin, int end, int worker, void* user) {
    const sweep_job* job = user;
    pl_spring_relax* r = job->r;
    (void)worker;
    for (int k = r->batch_offsets[begin]; k < r->batch_offsets[end]; k++) {
        pl_relax_batch* q = &r->batches.batches[k];
        start_vertices(job, q);
        pl_relax_batch_start(&r->batches, q, job->x);
    }
}

static void constant_task(int begin, int end, int worker, void* user) {
    const sweep_job* job = user;
    const pl_spring_relax* r = job->r;
    (void)worker;
    for (int k = r->batch_offsets[begin]; k < r->batch_offsets[end]; k++) {
        pl_relax_batch* q = &r->batches.batches[k];
        batch_system s = {.own = {{0}, {0}, {0}}};
        pl_relax_batch_forces(&r->batches, q, r->moved, s.own, s.g, s.H);
        for (int lane = 0; lane < q->count; lane++) {
            const int v = q->vertices[lane];
            if (r->first_contact[v] >= 0) add_contacts(r, job->f, job->x, v, lane, &s);
            for (int c = 0; c < 3; c++)
                q->constant[c][lane] = (float)job->gradient[3 * (size_t)v + (size_t)c];
        }
        for (int c = 0; c < 3; c++) q->constant[c] -= s.g[c];
    }
}

// H^-1 g for a definite H; zero if it is not
PL_WIDE void solve_symmetric(const pl_fw H[6], const pl_fw g[3], pl_fw out[3]) {
    const pl_fw inverse = 1.0f / H[0], l1 = H[1] * inverse, l2 = H[2] * inverse;
    const pl_fw d1 = H[3] - l1 * H[1], e = H[4] - l1 * H[2], inverse1 = 1.0f / d1;
    const pl_fw l3 = e * inverse1, d2 = H[5] - l2 * H[2] - l3 * e;
    const pl_iw definite = (H[0] > 0.0f) & (d1 > 0.0f) & (d2 > 0.0f);
    pl_fw y = g[1] - l1 * g[0], z = (g[2] - l2 * g[0] - l3 * y) / d2;
    y = y * inverse1 - l3 * z;
    const pl_fw step[3] = {g[0] * inverse - l1 * y - l2 * z, y, z};
    for (int c = 0; c < 3; c++) out[c] = (pl_fw)((pl_iw)step[c] & definite);
}

// In double, at current positions.
static void evaluate_contacts(const sweep_job* job, const pl_relax_batch* q, const pl_fw own[3],
                              batch_system* out) {
    const pl_spring_relax* r = job->r;
    *out = (batch_system){.own = {own[0], own[1], own[2]}};
    for (int lane = 0; lane < q->count; lane++) {
        const int v = q->vertices[lane];
        if (is_bound(job, v)) add_bound(job, v, lane, out);
        if (r->first_contact[v] < 0) continue;
        for (int c = 0; c < 3; c++) {
            size_t i = 3 * (size_t)v + (size_t)c;
            job->x[i] = r->from[i] + (double)own[c][lane];
        }
        add_contacts(r, job->f, job->x, v, lane, out);
    }
}

static void add_contacts_of(const sweep_job* job, const pl_relax_batch* q, batch_system* s) {
    batch_system* contacts = &job->r->contacts[q - job->r->batches.batches];
    if (job->evaluates_contacts) evaluate_contacts(job, q, s->own, contacts);
    const pl_fw* H = contacts->H;
    pl_fw u[3];
    for (int c = 0; c < 3; c++) u[c] = s->own[c] - contacts->own[c];
    s->g[0] += contacts->g[0] + H[0] * u[0] + H[1] * u[1] + H[2] * u[2];
    s->g[1] += contacts->g[1] + H[1] * u[0] + H[3] * u[1] + H[4] * u[2];
    s->g[2] += contacts->g[2] + H[2] * u[0] + H[4] * u[1] + H[5] * u[2];
    for (int i = 0; i < 6; i++) s->H[i] += H[i];
}

static void relax_batch(const sweep_job* job, const pl_relax_batch* q) {
    const pl_spring_relax* r = job->r;
    batch_system s;
    pl_fw step[3];
    pl_relax_batch_load(q, r->moved, s.own);
    pl_relax_batch_forces(&r->batches, q, r->moved, s.own, s.g, s.H);
    for (int c = 0; c < 3; c++) s.g[c] += q->constant[c];
    if (q->has_contacts) add_contacts_of(job, q, &s);
    solve_symmetric(s.H, s.g, step);
    for (int c = 0; c < 3; c++) s.own[c] -= job->relaxation * step[c];
    if (q->has_contacts) keep_room(job, q, s.own);
    pl_relax_batch_store(q, s.own, r->moved);
}

static void sweep_task(int begin, int end, int worker, void* user) {
    const sweep_job* job = user;
    const pl_spring_relax* r = job->r;
    (void)worker;
    for (int k = begin; k < end; k++) {
        const int chunk = job->chunks[k];
        for (int i = r->batch_offsets[chunk]; i < r->batch_offsets[chunk + 1]; i++)
            relax_batch(job, &r->batches.batches[i]);
    }
}

static void move_task(int begin, int end, int worker, void* user) {
    const sweep_job* job = user;
    const pl_spring_relax* r = job->r;
    (void)worker;
    for (size_t v = (size_t)begin; v < (size_t)end; v++)
        for (size_t c = 0; c < 3; c++)
            job->x[3 * v + c] = r->from[3 * v + c] + (double)r->moved[4 * v + c];
}

void pl_spring_relax_sweep(pl_spring_relax* r, const pl_step_objective* f, const double* gradient,
                           const int* piece_of, const bool* chosen, const pl_vertex_bound* bounds,
                           double* x) {
    sweep_job job = {.r = r,
                     .f = f,
                     .gradient = gradient,
                     .x = x,
                     .piece_of = piece_of,
                     .chosen = chosen,
                     .bounds = bounds};
    pl_parallel_for(f->pool, start_task, r->chunk_count, 1, &job);
    pl_parallel_for(f->pool, constant_task, r->chunk_count, 1, &job);
    const int sweeps = pl_tuned.relax_sweeps;
    for (int sweep = 0; sweep < sweeps; sweep++) {
        const bool is_plain = sweep >= sweeps - pl_tuned.plain_sweeps;
        job.relaxation = is_plain ? 1.0f : pl_tuned.over_relaxation;
        job.evaluates_contacts = is_plain || sweep % pl_tuned.contact_sweeps == 0;
        for (int c = 0; c < r->colour_count; c++) {
            job.chunks = r->chunks + r->colour_offsets[c];
            pl_parallel_for(f->pool, sweep_task, r->colour_offsets[c + 1] - r->colour_offsets[c], 1,
                            &job);
        }
    }
    pl_parallel_for(f->pool, move_task, r->Q.row_count, 4096, &job);
}

static void begin(void* data, const pl_step_objective* f) { pl_spring_relax_begin(data, f); }

static pl_status contacts(void* data, const pl_step_objective* f, pl_error* error) {
    return pl_spring_relax_contacts(data, f, error);
}

static void sweep(void* data, const pl_step_objective* f, const double* gradient,
                  const int* piece_of, const bool* chosen, const pl_vertex_bound* bounds,
                  double* x) {
    pl_spring_relax_sweep(data, f, gradient, piece_of, chosen, bounds, x);
}

static void destroy(void* data) { pl_spring_relax_destroy(data); }

static const pl_relax_functions functions = {
    .begin = begin, .contacts = contacts, .sweep = sweep, .destroy = destroy};

pl_status pl_spring_relax_solver(const pl_solver_input* input, pl_step_relax* out,
                                 pl_error* error) {
    pl_spring_relax* relax;
    pl_status status =
        pl_spring_relax_create(input->A, input->sets, input->set_count, &relax, error);
    *out = (pl_step_relax){&functions, relax};
    return status;
}
