// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "step/step_pieces.h"
#include "base/fail.h"
#include "base/memory.h"
#include "geometry/box.h"
#include "mesh/disjoint_sets.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

enum { LONGEST_RUN = 1024, RUNS_PER_TASK = 8 };

void pl_step_pieces_free(pl_step_pieces* p) {
    PL_FREE(p->piece_of, int, p->vertex_count);
    PL_FREE(p->size, double, p->capacity);
    PL_FREE(p->vertices.runs, pl_piece_run, p->vertices.count);
    for (int s = 0; p->elements && s < p->set_count; s++)
        PL_FREE(p->elements[s].runs, pl_piece_run, p->elements[s].count);
    PL_FREE(p->elements, pl_piece_runs, p->set_count);
    PL_FREE(p->partials, double, p->partial_count);
    PL_FREE(p->island_of, int, p->capacity);
    PL_FREE(p->roots, int, p->capacity);
    *p = (pl_step_pieces){0};
}

// piece_of from the graph of neighbours; the lowest vertex of a piece is its root
static void number_pieces(pl_step_pieces* p, const int* neighbour_offsets, const int* neighbours) {
    int n = p->vertex_count, *root = p->piece_of;
    for (int v = 0; v < n; v++) root[v] = v;
    for (int v = 0; v < n; v++)
        for (int e = neighbour_offsets[v]; e < neighbour_offsets[v + 1]; e++)
            pl_set_join(root, v, neighbours[e]);
    for (int v = 0; v < n; v++) root[v] = pl_set_root(root, v);
    // a root precedes the vertices of its piece; each root is replaced by its piece's number when
    // reached
    for (int v = 0; v < n; v++) root[v] = root[v] == v ? p->count++ : root[root[v]];
}

// Item i belongs to the piece of vertex i (corners NULL) or of the first corner of element i.
static int piece_of_item(const pl_step_pieces* p, const int* corners, int corner_count, int i) {
    return p->piece_of[corners ? corners[(size_t)i * (size_t)corner_count] : i];
}

// Counts the runs, and writes them if out is not NULL.
static int visit_runs(const pl_step_pieces* p, const int* corners, int corner_count, int item_count,
                      pl_piece_run* out) {
    int count = 0;
    for (int begin = 0, end; begin < item_count; begin = end) {
        int piece = piece_of_item(p, corners, corner_count, begin);
        end = begin + 1;
        while (end < item_count && end - begin < LONGEST_RUN &&
               piece_of_item(p, corners, corner_count, end) == piece)
            end++;
        if (out) out[count] = (pl_piece_run){piece, begin, end};
        count++;
    }
    return count;
}

static bool make_runs(pl_step_pieces* p, const int* corners, int corner_count, int item_count,
                      pl_piece_runs* out) {
    out->count = visit_runs(p, corners, corner_count, item_count, NULL);
    out->runs = PL_ALLOC(pl_piece_run, out->count);
    if (!out->runs) return out->count == 0;
    visit_runs(p, corners, corner_count, item_count, out->runs);
    if (out->count > p->partial_count) p->partial_count = out->count;
    return true;
}

static bool measure(pl_step_pieces* p, const double* rest) {
    p->capacity = p->count;
    p->size = PL_ALLOC(double, p->count);
    pl_box* boxes = PL_ALLOC(pl_box, p->count);
    bool ok = p->count == 0 || (p->size && boxes);
    for (int k = 0; ok && k < p->count; k++) boxes[k] = pl_box_empty();
    for (int v = 0; ok && v < p->vertex_count; v++)
        boxes[p->piece_of[v]] =
            pl_box_add_point(boxes[p->piece_of[v]], pl_vec3_load(rest + 3 * (size_t)v));
    for (int k = 0; ok && k < p->count; k++) p->size[k] = pl_box_diagonal(boxes[k]);
    PL_FREE(boxes, pl_box, p->count);
    return ok;
}

static bool build(pl_step_pieces* p, const double* rest, const pl_element_set* sets) {
    if (!measure(p, rest)) return false;
    if (p->count < 2) return true;
    if (!make_runs(p, NULL, 0, p->vertex_count, &p->vertices)) return false;
    for (int s = 0; s < p->set_count; s++)
        if (!make_runs(p, sets[s].corners, sets[s].kind->corner_count, sets[s].count,
                       &p->elements[s]))
            return false;
    p->partials = PL_ALLOC(double, p->partial_count);
    return p->partials != NULL;
}

pl_status pl_step_pieces_setup(pl_step_pieces* p, const double* rest, int vertex_count,
                               const int* neighbour_offsets, const int* neighbours,
                               const pl_element_set* sets, int set_count, pl_error* error) {
    *p = (pl_step_pieces){.vertex_count = vertex_count, .set_count = set_count};
    p->piece_of = PL_ALLOC(int, vertex_count);
    p->elements = PL_ALLOC(pl_piece_runs, set_count);
    bool ok = (p->piece_of || vertex_count == 0) && (p->elements || set_count == 0);
    if (ok) number_pieces(p, neighbour_offsets, neighbours);
    if (ok && build(p, rest, sets)) return PL_OK;
    pl_step_pieces_free(p);
    return pl_fail_memory(error, "the pieces of a system");
}

pl_status pl_step_pieces_join(pl_step_pieces* p, const double* rest, int vertex_count,
                              pl_error* error) {
    *p = (pl_step_pieces){.vertex_count = vertex_count, .count = 1};
    p->piece_of = PL_ALLOC(int, vertex_count);
    if (p->piece_of && measure(p, rest)) return PL_OK;
    pl_step_pieces_free(p);
    return pl_fail_memory(error, "the pieces of a system");
}

static bool copy_runs(pl_piece_runs* to, const pl_piece_runs* from) {
    to->count = from->count;
    to->runs = PL_ALLOC(pl_piece_run, from->count);
    if (!to->runs) return from->count == 0;
    memcpy(to->runs, from->runs, (size_t)from->count * sizeof(pl_piece_run));
    return true;
}

static bool allocate_islands(pl_step_pieces* p, const pl_step_pieces* pieces) {
    bool ok = (p->piece_of = PL_ALLOC(int, p->vertex_count)) &&
              (p->size = PL_ALLOC(double, p->capacity)) &&
              (p->island_of = PL_ALLOC(int, p->capacity)) &&
              (p->roots = PL_ALLOC(int, p->capacity)) &&
              (p->elements = PL_ALLOC(pl_piece_runs, p->set_count)) &&
              (p->partials = PL_ALLOC(double, p->partial_count)) &&
              copy_runs(&p->vertices, &pieces->vertices);
    for (int s = 0; ok && s < p->set_count; s++)
        ok = copy_runs(&p->elements[s], &pieces->elements[s]);
    return ok;
}

pl_status pl_step_islands_setup(pl_step_pieces* p, const pl_step_pieces* pieces, pl_error* error) {
    PL_ASSERT(pieces->count > 1);
    *p = (pl_step_pieces){.capacity = pieces->count,
                          .vertex_count = pieces->vertex_count,
                          .set_count = pieces->set_count,
                          .partial_count = pieces->partial_count};
    if (!allocate_islands(p, pieces)) {
        pl_step_pieces_free(p);
        return pl_fail_memory(error, "the pieces of a system");
    }
    for (int k = 0; k < pieces->count; k++) p->roots[k] = k;
    pl_step_islands_update(p, pieces, p->roots);
    return PL_OK;
}

static void number_runs(const pl_step_pieces* p, const pl_piece_runs* of_pieces,
                        pl_piece_runs* runs) {
    for (int r = 0; r < runs->count; r++)
        runs->runs[r].piece = p->island_of[of_pieces->runs[r].piece];
}

void pl_step_islands_update(pl_step_pieces* p, const pl_step_pieces* pieces, int* roots) {
    p->count = 0;
    for (int k = 0; k < pieces->count; k++) {
        const int root = pl_set_root(roots, k); // the lowest of its set
        if (root == k) p->size[p->count] = 0.0;
        p->island_of[k] = root == k ? p->count++ : p->island_of[root];
        p->size[p->island_of[k]] = fmax(p->size[p->island_of[k]], pieces->size[k]);
    }
    for (int v = 0; v < p->vertex_count; v++) p->piece_of[v] = p->island_of[pieces->piece_of[v]];
    number_runs(p, &pieces->vertices, &p->vertices);
    for (int s = 0; s < p->set_count; s++) number_runs(p, &pieces->elements[s], &p->elements[s]);
}

typedef struct run_job {
    const pl_piece_run* runs;
    const bool* chosen;
    pl_partial part;
    void* user;
    double* partials;
} run_job;

static void run_task(int begin, int end, int worker, void* user) {
    const run_job* job = user;
    (void)worker;
    for (int r = begin; r < end; r++)
        if (!job->chosen || job->chosen[job->runs[r].piece])
            job->partials[r] = job->part(job->runs[r].begin, job->runs[r].end, job->user);
}

static void add_runs(const pl_step_pieces* p, const bool* chosen, pl_pool* pool,
                     const pl_piece_runs* list, pl_partial part, void* user, double* sums) {
    run_job job = {list->runs, chosen, part, user, p->partials};
    pl_parallel_for(pool, run_task, list->count, RUNS_PER_TASK, &job);
    for (int r = 0; r < list->count; r++)
        if (!chosen || chosen[list->runs[r].piece]) sums[list->runs[r].piece] += p->partials[r];
}

void pl_pieces_sum(const pl_step_pieces* p, const bool* chosen, pl_pool* pool, pl_partial part,
                   int block, void* user, double* sums) {
    for (int k = 0; k < p->count; k++)
        if (!chosen || chosen[k]) sums[k] = 0.0;
    if (p->count == 1) sums[0] = pl_parallel_sum(pool, part, p->vertex_count, block, user);
    else add_runs(p, chosen, pool, &p->vertices, part, user, sums);
}

void pl_pieces_add(const pl_step_pieces* p, const bool* chosen, pl_pool* pool, pl_partial part,
                   void* user, double* sums) {
    add_runs(p, chosen, pool, &p->vertices, part, user, sums);
}

typedef struct energy_job {
    const pl_element_set* set;
    const double* x;
} energy_job;

static double energy_part(int begin, int end, void* user) {
    const energy_job* job = user;
    return pl_element_set_energy_of(job->set, begin, end, job->x);
}

void pl_pieces_add_energy(const pl_step_pieces* p, const bool* chosen, pl_pool* pool,
                          const pl_element_set* sets, int set, const double* x, double* sums) {
    energy_job job = {&sets[set], x};
    if (p->count == 1) sums[0] += pl_element_set_energy(&sets[set], pool, x);
    else add_runs(p, chosen, pool, &p->elements[set], energy_part, &job, sums);
}

typedef struct dot_job {
    const double *a, *b;
} dot_job;

static double dot_part(int begin, int end, void* user) {
    const dot_job* job = user;
    double sum = 0.0;
    for (int i = 3 * begin; i < 3 * end; i++) sum += job->a[i] * job->b[i];
    return sum;
}

void pl_pieces_dot(const pl_step_pieces* p, const bool* chosen, pl_pool* pool, const double* a,
                   const double* b, double* sums) {
    dot_job job = {a, b};
    if (p->count == 1) sums[0] = pl_vector_dot(pool, 3 * p->vertex_count, a, b);
    else pl_pieces_sum(p, chosen, pool, dot_part, 0, &job, sums);
}

void pl_pieces_norm(const pl_step_pieces* p, pl_pool* pool, const double* a, double* norms) {
    if (p->count == 1) {
        norms[0] = pl_vector_norm(pool, 3 * p->vertex_count, a);
        return;
    }
    pl_pieces_dot(p, NULL, pool, a, a, norms);
    for (int k = 0; k < p->count; k++) norms[k] = sqrt(norms[k]);
}
