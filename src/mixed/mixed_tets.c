// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Differs from the paper: the compliance 1 / kappa of a tet is kept between MIN_COMPLIANCE / mu and
// MAX_COMPLIANCE / mu. The minimum is for incompressible material: the total volume still has a
// finite stiffness, so that pressures can be eliminated. The maximum is for laws whose kappa
// vanishes at a Poisson's ratio of 0.
#include "mixed/mixed_tets.h"
#include "base/memory.h"
#include "math/simd.h"
#include "mixed/mixed_known.h"
#include "mixed/mixed_lanes.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

static const double MIN_COMPLIANCE = 1e-6, MAX_COMPLIANCE = 1e6;
// Materials with mu / kappa below this keep their volume.
static const double INCOMPRESSIBLE = 1.1e-6;

typedef struct mixed_data {
    pl_tet_data* tets; // owned
    const int* corners;
    const double* pressure;
    pl_mixed_known known;
} mixed_data;

static mixed_data* data_of(const pl_element_set* set) { return set->data; }

static pl_mat3 deformation_in(const pl_element_set* set, int e, const double* x) {
    double local[12];
    pl_tet_gather(set, e, x, local);
    return pl_tet_deformation(data_of(set)->tets, e, local);
}

static double mean_of(const int* corners, int e, const double* p) {
    const int* v = corners + 4 * (size_t)e;
    return 0.25 * (p[v[0]] + p[v[1]] + p[v[2]] + p[v[3]]);
}

static pl_mixed_known* known_at(const pl_element_set* set, const double* x) {
    pl_mixed_known* known = &data_of(set)->known;
    pl_mixed_known_at(known, x);
    return known;
}

typedef struct tet_job {
    const pl_element_set* set;
    const double *x, *p;
    double alpha;
    double* out;
    pl_block_matrix* A;
} tet_job;

static void visit_tets(const tet_job* job, pl_pool* pool, pl_chunk_visit visit) {
    tet_job own = *job;
    pl_chunks_run(&job->set->chunks, pool, visit, &own);
}

// ---- the element set

static void mixed_destroy(void* data) {
    mixed_data* m = data;
    pl_tet_elements.destroy(m->tets);
    pl_mixed_known_free(&m->known);
    PL_FREE(m, mixed_data, 1);
}

static double mixed_energy(const void* data, int e, const double* x) {
    const pl_tet_data* d = ((const mixed_data*)data)->tets;
    return d->volumes[e] *
           pl_material_mixed_energy(&d->materials[e], pl_tet_deformation(d, e, x), 0.0);
}

static void mixed_gradient(const void* data, int e, const double* x, double* gradient) {
    const pl_tet_data* d = ((const mixed_data*)data)->tets;
    pl_mat3 P = pl_material_mixed_stress(&d->materials[e], pl_tet_deformation(d, e, x), 0.0);
    const double* g = d->gradients + 12 * (size_t)e;
    for (int i = 0; i < 4; i++)
        pl_vec3_store(gradient + 3 * i,
                      pl_scale(d->volumes[e], pl_mat3_apply(&P, pl_vec3_load(g + 3 * i))));
}

static void mixed_hessian(const void* data, int e, const double* x, bool projected,
                          double* hessian) {
    const mixed_data* m = data;
    const pl_tet_data* d = m->tets;
    pl_principal tangent =
        pl_material_mixed_principal(&d->materials[e], pl_tet_deformation(d, e, x),
                                    mean_of(m->corners, e, m->pressure), projected);
    pl_tet_stiffness(d, e, &tangent, hessian);
}

static int mixed_hessians(const pl_element_set* set, int first, int last, const double* x,
                          bool projected, double scale, pl_block_matrix* A) {
    const mixed_data* m = data_of(set);
    if (first + PL_LANES > last) return 0;
    bool done = pl_mixed_lanes_hessian(set, m->tets, first, x, m->pressure, projected, scale, A);
    return done ? PL_LANES : 0;
}

static void mixed_gradients(const pl_element_set* set, int first, int last, const double* x,
                            double* gradient) {
    pl_tet_sum_gradients(set, data_of(set)->tets, false, first, last, x, gradient);
}

static double mixed_energies(const pl_element_set* set, int first, int last, const double* x) {
    return pl_tet_sum_energies(set, data_of(set)->tets, false, first, last, x);
}

static void gradient_visit(int first, int last, void* user) {
    const tet_job* job = user;
    mixed_gradients(job->set, first, last, job->x, job->out);
}

static void all_gradients(const pl_element_set* set, pl_pool* pool, const double* x,
                          double* gradient) {
    pl_mixed_known* k = known_at(set, x);
    const int count = 3 * k->vertex_count;
    if (!k->has_gradient) {
        memset(k->gradient, 0, (size_t)count * sizeof(double));
        visit_tets(&(tet_job){.set = set, .x = x, .out = k->gradient}, pool, gradient_visit);
        k->has_gradient = true;
    }
    pl_vector_axpy(pool, count, 1.0, k->gradient, gradient);
}

static double energy_part(int begin, int end, void* user) {
    const tet_job* job = user;
    return mixed_energies(job->set, begin, end, job->x);
}

static double all_energies(const pl_element_set* set, pl_pool* pool, const double* x) {
    enum { TETS_PER_TASK = 128 };
    pl_mixed_known* k = known_at(set, x);
    tet_job job = {.set = set, .x = x};
    if (!k->has_energy)
        k->energy = pl_parallel_sum(pool, energy_part, set->count, TETS_PER_TASK, &job);
    k->has_energy = true;
    return k->energy;
}

const pl_element_functions pl_mixed_elements = {.name = "mixed tet",
                                                .corner_count = 4,
                                                .energy = mixed_energy,
                                                .gradient = mixed_gradient,
                                                .hessian = mixed_hessian,
                                                .gradients = mixed_gradients,
                                                .energies = mixed_energies,
                                                .hessians = mixed_hessians,
                                                .all_gradients = all_gradients,
                                                .all_energies = all_energies,
                                                .destroy = mixed_destroy};

pl_status pl_mixed_tets_take(pl_element_set* set, int vertex_count, const double* pressure,
                             pl_error* error) {
    PL_ASSERT(set->kind == &pl_tet_elements);
    mixed_data* m = PL_ALLOC(mixed_data, 1);
    if (!m) return pl_fail_memory(error, "mixed tets");
    *m = (mixed_data){.tets = set->data, .corners = set->corners, .pressure = pressure};
    pl_status status = pl_mixed_known_setup(&m->known, vertex_count, error);
    if (status != PL_OK) {
        pl_mixed_known_free(&m->known);
        PL_FREE(m, mixed_data, 1);
        return status;
    }
    set->data = m;
    set->kind = &pl_mixed_elements;
    return PL_OK;
}

pl_material* pl_mixed_materials(const pl_element_set* set) {
    pl_mixed_known_forget(&data_of(set)->known);
    return data_of(set)->tets->materials;
}

const pl_tet_data* pl_mixed_tet_data(const pl_element_set* set) { return data_of(set)->tets; }

// ---- sums over tets

// Computes V Phi of some tets from `first` on; returns how many.
static int find_constraints(const tet_job* job, int first, int last, double phi[PL_TET_LANES]) {
    const pl_tet_data* d = data_of(job->set)->tets;
    if (last - first >= PL_TET_LANES &&
        pl_tet_lanes_constraint(d, job->set->corners, first, job->x, phi))
        return PL_TET_LANES;
    pl_mat3 gradient;
    phi[0] = d->volumes[first] * pl_material_constraint(&d->materials[first],
                                                        deformation_in(job->set, first, job->x),
                                                        &gradient);
    return 1;
}

static void constraint_visit(int first, int last, void* user) {
    const tet_job* job = user;
    while (first < last) {
        double phi[PL_TET_LANES];
        int count = find_constraints(job, first, last, phi);
        for (int i = 0; i < 4 * count; i++)
            job->out[job->set->corners[4 * (size_t)first + (size_t)i]] += 0.25 * phi[i / 4];
        first += count;
    }
}

void pl_mixed_constraint(const pl_element_set* set, pl_pool* pool, const double* x, double* phi) {
    pl_mixed_known* k = known_at(set, x);
    const size_t size = (size_t)k->vertex_count * sizeof(double);
    if (!k->has_phi) {
        memset(k->phi, 0, size);
        visit_tets(&(tet_job){.set = set, .x = x, .out = k->phi}, pool, constraint_visit);
        k->has_phi = true;
    }
    memcpy(phi, k->phi, size);
}

// V_e dPhi/dx of the corners
static void corner_gradients(const pl_element_set* set, int e, const double* x, pl_vec3 out[4]) {
    const pl_tet_data* d = data_of(set)->tets;
    pl_mat3 P;
    pl_material_constraint(&d->materials[e], deformation_in(set, e, x), &P);
    for (int i = 0; i < 4; i++)
        out[i] = pl_scale(d->volumes[e],
                          pl_mat3_apply(&P, pl_vec3_load(d->gradients + 12 * (size_t)e + 3 * i)));
}

// Adds the pressure forces of some tets from `first` on; returns how many.
static int add_pressures(const tet_job* job, int first, int last) {
    const pl_element_set* set = job->set;
    if (last - first >= PL_TET_LANES) {
        double p[PL_TET_LANES];
        for (int k = 0; k < PL_TET_LANES; k++) p[k] = mean_of(set->corners, first + k, job->p);
        if (pl_tet_lanes_pressure(data_of(set)->tets, set->corners, first, job->x, p, job->out))
            return PL_TET_LANES;
    }
    pl_vec3 g[4];
    corner_gradients(set, first, job->x, g);
    double p = mean_of(set->corners, first, job->p);
    for (int i = 0; i < 4; i++) {
        double* to = job->out + 3 * (size_t)set->corners[4 * (size_t)first + (size_t)i];
        pl_vec3_store(to, pl_madd(pl_vec3_load(to), p, g[i]));
    }
    return 1;
}

static void pressure_visit(int first, int last, void* user) {
    while (first < last) first += add_pressures(user, first, last);
}

void pl_mixed_add_pressure(const pl_element_set* set, pl_pool* pool, const double* x,
                           const double* p, double* gradient) {
    pl_mixed_known* k = known_at(set, x);
    const int count = 3 * k->vertex_count;
    pl_mixed_known_of(k, p);
    if (!k->has_forces) {
        memset(k->forces, 0, (size_t)count * sizeof(double));
        visit_tets(&(tet_job){.set = set, .x = x, .p = p, .out = k->forces}, pool, pressure_visit);
        k->has_forces = true;
    }
    pl_vector_axpy(pool, count, 1.0, k->forces, gradient);
}

// Every pair (i, j) of corners has dphi_i/dx_j = V_e/4 dPhi/dx_j in the last row of its block, and
// dphi_j/dx_i in the last column. g: V_e dPhi/dx
static void add_coupling(const tet_job* job, int e, const pl_vec3 g[4]) {
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            int entry = job->set->entries[16 * (size_t)e + (size_t)(4 * i + j)];
            double* block = job->A->values + 16 * (size_t)entry;
            const double row[3] = {g[j].x, g[j].y, g[j].z}, column[3] = {g[i].x, g[i].y, g[i].z};
            for (int c = 0; c < 3; c++) {
                block[12 + c] += 0.25 * row[c];
                block[4 * c + 3] += 0.25 * column[c];
            }
        }
}

static void coupling_visit(int first, int last, void* user) {
    const tet_job* job = user;
    const pl_tet_data* d = data_of(job->set)->tets;
    for (int e = first; e < last;) {
        pl_vec3 g[PL_LANES][4];
        int count = PL_LANES;
        if (e + count > last || !pl_mixed_lanes_gradients(job->set, d, e, job->x, g)) {
            corner_gradients(job->set, e, job->x, g[0]);
            count = 1;
        }
        for (int k = 0; k < count; k++) add_coupling(job, e + k, g[k]);
        e += count;
    }
}

void pl_mixed_add_couplings(const pl_element_set* set, pl_pool* pool, const double* x,
                            pl_block_matrix* A) {
    visit_tets(&(tet_job){.set = set, .x = x, .A = A}, pool, coupling_visit);
}

static double compliance_of(const pl_material* m) {
    double compliance = pl_material_compliance(m) * m->mu;
    if (!(compliance >= 0.0)) compliance = MAX_COMPLIANCE; // negative kappa
    return fmin(fmax(compliance, MIN_COMPLIANCE), MAX_COMPLIANCE) / m->mu;
}

// alpha V / (80 mu), of Eq. 11
static double stabilisation_of(const pl_tet_data* d, int e, double alpha) {
    return alpha * d->volumes[e] / (80.0 * d->materials[e].mu);
}

void pl_mixed_flexibility(const pl_element_set* set, double alpha, pl_block_matrix* B) {
    const pl_tet_data* d = data_of(set)->tets;
    pl_block_matrix_zero(B);
    for (int e = 0; e < set->count; e++) {
        const int* entries = set->entries + 16 * (size_t)e;
        double s = stabilisation_of(d, e, alpha);
        double own = 0.25 * d->volumes[e] * compliance_of(&d->materials[e]) + 3.0 * s;
        for (int k = 0; k < 16; k++) B->values[entries[k]] += k % 5 == 0 ? own : -s;
    }
    for (int v = 0; v < B->row_count; v++)
        if (B->values[B->diagonal[v]] == 0.0) B->values[B->diagonal[v]] = 1.0;
}

// Bounds that hold in each tet hold for the sum. In a tet, the constant is one eigenvector; the
// vectors of mean 0 are the others.
void pl_mixed_flexibility_bounds(const pl_element_set* set, double alpha, double slack,
                                 double* least, double* most) {
    const pl_tet_data* d = data_of(set)->tets;
    *least = *most = 1.0;
    for (int e = 0; e < set->count; e++) {
        const pl_material* m = &d->materials[e];
        const double c = 0.25 * d->volumes[e] * fmax(compliance_of(m), slack / m->mu);
        const double s = stabilisation_of(d, e, alpha), own = c + 3.0 * s;
        *least = fmin(*least, c / own);
        *most = fmax(*most, (c + 4.0 * s) / own);
    }
}

bool pl_mixed_slack(const pl_element_set* set, double slack, int vertex_count, double* D) {
    const pl_tet_data* d = data_of(set)->tets;
    bool has_slack = false;
    memset(D, 0, (size_t)vertex_count * sizeof(double));
    for (int e = 0; e < set->count; e++) {
        double lack = slack / d->materials[e].mu - compliance_of(&d->materials[e]);
        if (!(lack > 0.0)) continue;
        has_slack = true;
        for (int i = 0; i < 4; i++)
            D[set->corners[4 * (size_t)e + (size_t)i]] += 0.25 * d->volumes[e] * lack;
    }
    return has_slack;
}

void pl_mixed_softness(const pl_element_set* set, int vertex_count, double* W, double* volumes) {
    const pl_tet_data* d = data_of(set)->tets;
    memset(W, 0, (size_t)vertex_count * sizeof(double));
    memset(volumes, 0, (size_t)vertex_count * sizeof(double));
    for (size_t k = 0; k < 4 * (size_t)set->count; k++) {
        double part = 0.25 * d->volumes[k / 4];
        W[set->corners[k]] += part / d->materials[k / 4].mu;
        volumes[set->corners[k]] += part;
    }
}

void pl_mixed_add_laplacian(const pl_element_set* set, const double* factors, pl_block_matrix* L) {
    const pl_tet_data* d = data_of(set)->tets;
    for (int e = 0; e < set->count; e++) {
        const int* entries = set->entries + 16 * (size_t)e;
        const double* g = d->gradients + 12 * (size_t)e;
        double factor = d->volumes[e] * mean_of(set->corners, e, factors);
        for (int k = 0; k < 16; k++)
            L->values[entries[k]] +=
                factor * pl_dot(pl_vec3_load(g + 3 * (k / 4)), pl_vec3_load(g + 3 * (k % 4)));
    }
}

void pl_mixed_piece_volumes(const pl_element_set* set, const pl_step_pieces* pieces,
                            double* volumes, bool* is_incompressible) {
    const pl_tet_data* d = data_of(set)->tets;
    for (int k = 0; k < pieces->count; k++) volumes[k] = 0.0, is_incompressible[k] = true;
    for (int e = 0; e < set->count; e++) {
        int piece = pieces->piece_of[set->corners[4 * (size_t)e]];
        double compliance = compliance_of(&d->materials[e]) * d->materials[e].mu;
        volumes[piece] += d->volumes[e];
        if (compliance > INCOMPRESSIBLE) is_incompressible[piece] = false;
    }
}

static void stabilise_visit(int first, int last, void* user) {
    const tet_job* job = user;
    for (int e = first; e < last; e++) {
        const int* v = job->set->corners + 4 * (size_t)e;
        double s = 4.0 * stabilisation_of(data_of(job->set)->tets, e, job->alpha);
        double mean = mean_of(job->set->corners, e, job->p);
        for (int i = 0; i < 4; i++) job->out[v[i]] += s * (job->p[v[i]] - mean);
    }
}

void pl_mixed_stabilise(const pl_element_set* set, pl_pool* pool, double alpha, int vertex_count,
                        const double* p, double* out) {
    memset(out, 0, (size_t)vertex_count * sizeof(double));
    visit_tets(&(tet_job){.set = set, .p = p, .alpha = alpha, .out = out}, pool, stabilise_visit);
}
