// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The wide kernels of the general lattice against the same equations face by face and cell by cell.
#include "base/memory.h"
#include "base/random.h"
#include "grid/grid_corot.h"
#include "grid/grid_corot_kernels.h"
#include "grid/grid_corot_kernels_double.h"
#include "grid_samples.h"
#include "math/simd.h"
#include "test.h"

#include <string.h>

typedef struct sample {
    pl_grid_cells cells;
    pl_grid_lattice lattice;
    pl_grid_state state;
    pl_grid_corot corot;
    pl_quat* turn;
    float* mu;
    pl_random random;
} sample;

static float noise(sample* s) { return (float)pl_random_uniform(&s->random, -1.0, 1.0); }

static pl_quat random_turn(sample* s, double most) {
    double x = (double)noise(s), y = (double)noise(s), z = (double)noise(s);
    double angle = most * (double)noise(s), n = sqrt(x * x + y * y + z * z) + 1e-9;
    double part = sin(0.5 * angle) / n;
    return (pl_quat){part * x, part * y, part * z, cos(0.5 * angle)};
}

// A ball with a thin limb and held cells, or a box; cells turned by chance, moduli equal or not.
static void start(sample* s, bool box, bool uneven, bool rotates) {
    *s = (sample){.cells = box ? sample_box_cells(20) : sample_ball_cells(9), .random = {3}};
    pl_error error;
    CHECK_OK(pl_grid_lattice_create(&s->cells, &s->lattice, &error), &error);
    const pl_grid_level* l = &s->lattice.levels[0];
    CHECK_OK(pl_grid_state_create(l, &s->state, &error), &error);
    s->state.compressibility = 0.1;
    s->turn = PL_ALLOC(pl_quat, l->field_size);
    s->mu = uneven ? PL_ALLOC(float, l->field_size) : NULL;
    for (int i = 0; i < l->field_size; i++) {
        s->turn[i] = rotates ? random_turn(s, 3.0) : (pl_quat){0.0, 0.0, 0.0, 1.0};
        if (uneven) s->mu[i] = 1.5f + noise(s);
    }
    CHECK_OK(pl_grid_corot_create(&s->lattice, s->mu, rotates, s->turn, NULL, &s->corot, &error),
             &error);
    pl_grid_corot_update(&s->corot, s->state.compressibility, 0.3);
}

static void end(sample* s) {
    int size = s->lattice.levels[0].field_size;
    pl_grid_corot_free(&s->corot);
    PL_FREE(s->turn, pl_quat, size);
    PL_FREE(s->mu, float, size);
    pl_grid_state_free(&s->lattice.levels[0], &s->state);
    pl_grid_lattice_free(&s->lattice);
    pl_grid_cells_free(&s->cells);
}

// variables and right sides by chance
static void fill(sample* s) {
    pl_corot_level* l = &s->corot.levels[0];
    for (int n = 0; n < l->layout->field_size; n++) {
        for (int a = 0; a < 3; a++) {
            bool own = l->flags[n] & (PL_COROT_FACE << a);
            l->u[a][n] = own ? noise(s) : 0.0f;
            l->f[a][n] = own ? noise(s) : 0.0f;
        }
        l->s[n] = l->flags[n] & PL_COROT_INTERIOR ? noise(s) : 0.0f;
        l->g[n] = l->flags[n] & PL_COROT_INTERIOR ? noise(s) : 0.0f;
    }
}

// ------------------------------------------------------------------ face by face

// The cells whose T a face across a is in, and its factor there.
typedef struct terms {
    int cell[10];
    float factor[10];
} terms;

static void terms_of(const pl_corot_level* l, const int* base, int i, int a, terms* out) {
    const int* S = pl_corot_stride;
    const int n = base[13] + i, m = base[13 - S[a]] + i;
    float at_n = l->cell_weight[a][n] > 0.0f ? -l->R[4 * a][n] : 0.0f;
    float at_m = l->cell_weight[a][m] > 0.0f ? l->R[4 * a][m] : 0.0f;
    for (int e = 0, k = 2; e < 2; e++) {
        const int b = e == 0 ? (a == 0) : (a == 2 ? 1 : 2), c = 3 - a - b, ab = 3 * a + b;
        const int up = base[13 + S[b]] + i, low = base[13 - S[b]] + i;
        const int up_m = base[13 + S[b] - S[a]] + i, low_m = base[13 - S[b] - S[a]] + i;
        const float under = l->edge_weight[c][n] > 0.0f ? 0.25f : 0.0f;
        const float over = l->edge_weight[c][up] > 0.0f ? 0.25f : 0.0f;
        at_n += (under - over) * l->R[ab][n], at_m += (under - over) * l->R[ab][m];
        out->cell[k] = low, out->factor[k++] = under * l->R[ab][low];
        out->cell[k] = low_m, out->factor[k++] = under * l->R[ab][low_m];
        out->cell[k] = up, out->factor[k++] = -over * l->R[ab][up];
        out->cell[k] = up_m, out->factor[k++] = -over * l->R[ab][up_m];
    }
    out->cell[0] = n, out->factor[0] = at_n;
    out->cell[1] = m, out->factor[1] = at_m;
}

// The part of A u at a face that does not pass through T, and without extra and inertia.
static float natural(const pl_corot_level* l, const int* base, int i, int a) {
    const int* S = pl_corot_stride;
    const float* u = l->u[a];
    const int n = base[13] + i, m = base[13 - S[a]] + i;
    float own = u[n];
    float sum =
        l->cell_weight[a][n] * (own - u[base[13 + S[a]] + i]) + l->cell_weight[a][m] * (own - u[m]);
    for (int e = 0; e < 2; e++) {
        const int b = e == 0 ? (a == 0) : (a == 2 ? 1 : 2), c = 3 - a - b;
        const int up = base[13 + S[b]] + i, low = base[13 - S[b]] + i;
        const float under = l->edge_weight[c][n], over = l->edge_weight[c][up];
        float from_u = under * (own - u[low]) + over * (own - u[up]);
        if (l->shear > 0.0f) { // linear elasticity: mu (F_ab + F_ba)
            const float* v = l->u[b];
            const int corner = base[13 + S[b] - S[a]] + i;
            from_u += under * (v[n] - v[m]) - over * (v[up] - v[corner]);
            from_u *= 0.5f;
        }
        sum += from_u;
    }
    return sum;
}

static float row(const pl_corot_level* l, const int* base, int i, int a, const terms* t) {
    const int n = base[13] + i;
    float sum = natural(l, base, i, a) + (l->inertia + l->extra[a][n]) * l->u[a][n];
    for (int k = 0; k < 10; k++) sum += t->factor[k] * l->s[t->cell[k]];
    return sum;
}

static bool is_slaved(const pl_corot_level* l, int n) {
    return (l->flags[n] & (PL_COROT_INTERIOR | PL_COROT_CORE)) == PL_COROT_INTERIOR;
}

static float diagonal(const pl_corot_level* l, const int* base, int i, int a, const terms* t) {
    const int *S = pl_corot_stride, n = base[13] + i;
    float sum =
        l->inertia + l->extra[a][n] + l->cell_weight[a][n] + l->cell_weight[a][base[13 - S[a]] + i];
    for (int b = 0; b < 3; b++) {
        if (b == a) continue;
        const float* edge = l->edge_weight[3 - a - b];
        sum += (1.0f - l->shear) * (edge[n] + edge[base[13 + S[b]] + i]);
    }
    // faces between core cells leave the pressures around them alone
    for (int k = 0; k < 10 && !(l->flags[n] & (PL_COROT_INNER << a)); k++)
        if (is_slaved(l, t->cell[k])) sum += l->k[t->cell[k]] * t->factor[k] * t->factor[k];
    return sum;
}

// One sweep, in the order of the wide one: PL_LANES values at a time where these are relaxed
// together. Forwards, one slab of planes after the other.
static void relax_faces(pl_corot_level* l, const pl_corot_chunk* chunk, int first, int a) {
    int base[27];
    float change[PL_LANES] = {0};
    pl_corot_reach(chunk, base);
    for (int lane = 0; lane < PL_LANES; lane++) {
        const int i = first + lane;
        if (!(l->flags[base[13] + i] & (PL_COROT_INNER << a))) continue;
        terms t;
        terms_of(l, base, i, a, &t);
        float r = l->f[a][base[13] + i] - row(l, base, i, a, &t);
        change[lane] = r / diagonal(l, base, i, a, &t);
    }
    for (int lane = 0; lane < PL_LANES; lane++) l->u[a][base[13] + first + lane] += change[lane];
}

static void distribute(pl_corot_level* l, const int* base, int i, float q) {
    const int *S = pl_corot_stride, n = base[13] + i;
    pl_corot_form form;
    pl_corot_form_of(l, base, i, &form);
    for (int k = 0; k < form.count; k++) l->u[form.axis[k]][form.face[k]] += form.factor[k] * q;
    for (int k = 0; k < 6; k++) {
        int near = base[k % 2 ? 13 + S[k / 2] : 13 - S[k / 2]] + i;
        if (l->flags[near] & PL_COROT_DIRICHLET) continue;
        if (l->flags[near] & PL_COROT_CORE) l->s[near] += (l->mu[n] + l->mu[near]) * q;
        l->s[n] -= (l->mu[n] + l->mu[near]) * q;
    }
    l->s[n] -= l->inertia * q;
}

// of the pressure equation of a core cell in terms of q
static float distributed_diagonal(const pl_corot_level* l, const int* base, int i) {
    const int *S = pl_corot_stride, n = base[13] + i;
    float sum = l->inertia / l->k[n];
    for (int k = 0; k < 6; k++) {
        int near = base[k % 2 ? 13 + S[k / 2] : 13 - S[k / 2]] + i;
        if (!(l->flags[near] & PL_COROT_DIRICHLET)) sum += (l->mu[n] + l->mu[near]) / l->k[n];
    }
    pl_corot_form form;
    pl_corot_form_of(l, base, i, &form);
    for (int k = 0; k < form.count; k++) sum += form.factor[k] * form.factor[k];
    return sum;
}

static void relax_cells(pl_corot_level* l, const pl_corot_chunk* chunk, int first) {
    int base[27];
    float q[PL_LANES] = {0};
    pl_corot_reach(chunk, base);
    for (int lane = 0; lane < PL_LANES; lane++) {
        const int i = first + lane, n = base[13] + i;
        if (!(l->flags[n] & PL_COROT_CORE)) continue;
        q[lane] = (l->g[n] - sample_trace(l, l->u, base, i) + l->s[n] / l->k[n]) * l->inverse_q[n];
    }
    for (int lane = 0; lane < PL_LANES; lane++)
        if (q[lane] != 0.0f) distribute(l, base, first + lane, q[lane]);
}

static void relax_band_face(pl_corot_level* l, const pl_corot_face* face) {
    const int n = face->at[0], a = face->axis;
    int base[27], k = 0;
    while (n < l->chunks[k].begin || n >= l->chunks[k].begin + PL_GRID_CHUNK) k++;
    pl_corot_reach(&l->chunks[k], base);
    const int i = n - base[13];
    terms t;
    terms_of(l, base, i, a, &t);
    float change = (l->f[a][n] - row(l, base, i, a, &t)) / diagonal(l, base, i, a, &t);
    l->u[a][n] += change;
    for (int e = 0; e < 10; e++)
        if (is_slaved(l, t.cell[e])) l->s[t.cell[e]] += l->k[t.cell[e]] * t.factor[e] * change;
}

static void plain_plane(pl_corot_level* l, pl_corot_part part, int z) {
    if (part == PL_COROT_BAND_FACES) {
        for (int k = l->band_planes[z]; k < l->band_planes[z + 1]; k++)
            relax_band_face(l, &l->band[k]);
        return;
    }
    for (int k = l->planes[z]; k < l->planes[z + 1]; k++)
        for (int i = 0; i < PL_GRID_CHUNK; i += PL_LANES) {
            if (part == PL_COROT_CORE_CELLS) relax_cells(l, &l->chunks[k], i);
            for (int a = 0; a < 3 && part == PL_COROT_INNER_FACES; a++)
                relax_faces(l, &l->chunks[k], i, a);
        }
}

static void plain_sweep(pl_corot_level* l, pl_corot_part part) {
    const int planes = 4; // of a slab; those of even slabs come first
    for (int parity = 0; parity < 2; parity++)
        for (int z = 0; z < l->layout->size[2]; z++)
            if (z / planes % 2 == parity) plain_plane(l, part, z);
}

// ------------------------------------------------------------------ comparisons

typedef struct copy {
    float* v[4];
    int size;
} copy;

static copy take(float* const u[3], const float* s, int size) {
    copy c = {.size = size};
    for (int k = 0; k < 4; k++) {
        c.v[k] = PL_ALLOC(float, size);
        memcpy(c.v[k], k < 3 ? u[k] : s, (size_t)size * sizeof(float));
    }
    return c;
}
static void put(const copy* c, pl_corot_level* l) {
    for (int k = 0; k < 4; k++)
        memcpy(k < 3 ? l->u[k] : l->s, c->v[k], (size_t)c->size * sizeof(float));
}
static void drop(copy* c) {
    for (int k = 0; k < 4; k++) PL_FREE(c->v[k], float, c->size);
}
// largest difference of variables, where they are some
static float difference(const pl_corot_level* l, const copy* x, const copy* y, bool with_slaves) {
    float most = 0.0f;
    for (int n = 0; n < x->size; n++)
        for (int k = 0; k < 4; k++) {
            if (k == 3 && !with_slaves && is_slaved(l, n)) continue;
            most = fmaxf(most, fabsf(x->v[k][n] - y->v[k][n]));
        }
    return most;
}

// bodies: a ball with equal moduli, with unequal ones, not turned; a box with whole chunks inside
static void start_case(sample* s, int k) { start(s, k == 3, k == 1, k != 2); }

TEST(grid_corot_wide_sweeps_are_those_of_single_variables)
{
    for (int k = 0; k < 4; k++) {
        sample s;
        start_case(&s, k);
        pl_corot_level* l = &s.corot.levels[0];
        for (int part = 0; part < 3; part++) {
            fill(&s);
            copy before = take(l->u, l->s, l->layout->field_size);
            pl_corot_sweep(l, (pl_corot_part)part, false, NULL);
            copy wide = take(l->u, l->s, l->layout->field_size);
            put(&before, l);
            plain_sweep(l, (pl_corot_part)part);
            copy plain = take(l->u, l->s, l->layout->field_size);
            // sweeps over core cells leave what slaves have to be set anew
            CHECK(difference(l, &wide, &plain, part != PL_COROT_CORE_CELLS) < 5e-5f);
            CHECK(difference(l, &wide, &before, false) > 0.1f);
            drop(&before), drop(&wide), drop(&plain);
        }
        end(&s);
    }
}

TEST(grid_corot_wide_residuals_are_those_of_single_variables)
{
    for (int k = 0; k < 4; k++) {
        sample s;
        start_case(&s, k);
        pl_corot_level* l = &s.corot.levels[0];
        fill(&s);
        pl_corot_residual(l, NULL);
        for (int c = 0; c < l->chunk_count; c++) {
            int base[27];
            pl_corot_reach(&l->chunks[c], base);
            for (int i = 0; i < PL_GRID_CHUNK; i++) {
                const int n = base[13] + i;
                float rg = 0.0f;
                if (l->flags[n] & PL_COROT_CORE)
                    CHECK_NEAR((double)(l->inverse_q[n] * distributed_diagonal(l, base, i)), 1.0,
                               1e-6);
                if (l->flags[n] & PL_COROT_CORE)
                    rg = l->g[n] - sample_trace(l, l->u, base, i) + l->s[n] / l->k[n];
                CHECK_NEAR((double)l->rg[n], (double)rg, 1e-5);
                for (int a = 0; a < 3; a++) {
                    terms t;
                    float r = 0.0f;
                    if (l->flags[n] & (PL_COROT_FACE << a)) {
                        terms_of(l, base, i, a, &t);
                        r = l->f[a][n] - row(l, base, i, a, &t);
                    }
                    CHECK_NEAR((double)l->r[a][n], (double)r, 1e-4);
                }
            }
        }
        end(&s);
    }
}

TEST(grid_corot_slaves_follow_positions)
{
    for (int k = 0; k < 4; k++) {
        sample s;
        start_case(&s, k);
        pl_corot_level* l = &s.corot.levels[0];
        fill(&s);
        copy before = take(l->u, l->s, l->layout->field_size);
        pl_corot_slave(l, NULL);
        for (int c = 0; c < l->chunk_count; c++) {
            int base[27];
            pl_corot_reach(&l->chunks[c], base);
            for (int i = 0; i < PL_GRID_CHUNK; i++) {
                const int n = base[13] + i;
                float expected = before.v[3][n];
                if (is_slaved(l, n))
                    expected = l->k[n] * (sample_trace(l, l->u, base, i) - l->g[n]);
                CHECK_NEAR((double)l->s[n], (double)expected, 1e-4);
            }
        }
        drop(&before);
        end(&s);
    }
}

// Cells four at a time and one by one: gently deformed, and so that many of them are inverted.
LONG_TEST(grid_corot_cells_turn_alike_together_and_alone)
{
    enum { CALLS = 20 };
    for (int k = 0; k < 8; k++) {
        sample s;
        start_case(&s, k % 4);
        pl_grid_corot* c = &s.corot;
        const pl_corot_level* l = &c->levels[0];
        int size = l->layout->field_size;
        c->phase = k % 3 == 1 ? PL_COROT_RECOMBINED : PL_COROT_DOWNHILL;
        const pl_corot_turn which = k % 2 == 1 ? PL_COROT_TURN_STEADY : PL_COROT_TURN_ALL;
        for (int n = 0; n < size; n++) {
            s.turn[n] = (pl_quat){0.0, 0.0, 0.0, 1.0};
            for (int a = 0; a < 3; a++) s.state.u[a][n] = (k < 4 ? 0.1 : 1.0) * (double)noise(&s);
            s.state.p[n] = (double)noise(&s);
        }
        // boundary gradients settle slowly
        for (int n = 0; n < CALLS; n++) pl_corot_update_rotations(c, &s.state, 1.0, which);
        pl_quat* turn = PL_ALLOC(pl_quat, size);
        copy g = take(l->f, l->g, size);
        double* stress[9];
        memcpy(turn, s.turn, (size_t)size * sizeof(pl_quat));
        for (int e = 0; e < 9; e++) {
            stress[e] = PL_ALLOC(double, size);
            memcpy(stress[e], c->stress[e], (size_t)size * sizeof(double));
        }
        double worst = 0.0;
        for (int m = 0; m < l->chunk_count * PL_GRID_CHUNK; m++) {
            const pl_corot_chunk* chunk = &l->chunks[m / PL_GRID_CHUNK];
            const int i = m % PL_GRID_CHUNK, n = chunk->begin + i;
            if (!(l->flags[n] & (PL_COROT_INTERIOR | PL_COROT_BESIDE))) continue;
            // of cells that are torn about they may settle in more than one place: there they stay
            s.turn[n] = k < 4 ? (pl_quat){0.0, 0.0, 0.0, 1.0} : turn[n];
            for (int e = 0; e < CALLS; e++)
                pl_corot_update_rotation(c, &s.state, 1.0, which, chunk, i);
            double change = fabs((double)(l->g[n] - g.v[3][n]));
            for (int e = 0; e < 9; e++) change = fmax(change, fabs(c->stress[e][n] - stress[e][n]));
            worst = fmax(worst, change);
        }
        CHECK(worst < 1e-6);
        PL_FREE(turn, pl_quat, size);
        for (int e = 0; e < 9; e++) PL_FREE(stress[e], double, size);
        drop(&g);
        end(&s);
    }
}
