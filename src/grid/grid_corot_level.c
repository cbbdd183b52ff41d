// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A level of the general lattice: its structure and the stiffness of its walls; its coefficients
// for the current rotations; and the rotations of coarse cells.
#include "base/memory.h"
#include "grid/grid_corot_kernels.h"
#include "math/polar.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------ structure

static int find(const pl_grid_level* level, int x, int y, int z) {
    int index = pl_grid_index(level, x, y, z);
    return index >= 0 ? index : PL_GRID_NO_PARENT;
}

// Assigns each field its part of the allocation, or only counts the fields.
static int place_fields(pl_corot_level* l) {
    float** const single[] = {&l->k,  &l->s,      &l->g,    &l->slave_k,   &l->inverse_k,
                              &l->mu, &l->spread, &l->soft, &l->inverse_q, &l->rg};
    float** const of_axes[] = {l->u,       l->f,           l->r,           l->extra,
                               l->inverse, l->cell_weight, l->edge_weight, l->scale};
    float** const of_entries[] = {l->R, l->twist};
    const int singles = sizeof single / sizeof single[0], axes = sizeof of_axes / sizeof of_axes[0];
    int count = 0;
    const size_t stride = l->fields ? pl_grid_field_stride(l->layout) : 0;
    for (int a = 0; a < 3 * axes; a++) of_axes[a / 3][a % 3] = l->fields + stride * (size_t)count++;
    for (int e = 0; e < 18; e++) of_entries[e / 9][e % 9] = l->fields + stride * (size_t)count++;
    for (int k = 0; k < singles; k++) *single[k] = l->fields + stride * (size_t)count++;
    return count;
}

void pl_corot_level_free(pl_corot_level* l) {
    if (!l->layout) return;
    int size = l->layout->field_size;
    PL_FREE(l->fields, float, (size_t)place_fields(l) * pl_grid_field_stride(l->layout));
    PL_FREE(l->chunks, pl_corot_chunk, l->chunk_count);
    PL_FREE(l->planes, int, l->layout->size[2] + 1);
    PL_FREE(l->flags, uint16_t, size);
    PL_FREE(l->masks, pl_corot_masks, size / PL_GRID_CHUNK);
    if (l->band_planes) PL_FREE(l->band, pl_corot_face, l->band_planes[l->layout->size[2]]);
    PL_FREE(l->band_planes, int, l->layout->size[2] + 1);
    *l = (pl_corot_level){0};
}

static pl_status allocate(pl_corot_level* l, pl_error* error) {
    int size = l->layout->field_size;
    for (int s = 0; s < l->layout->segment_count; s++)
        l->chunk_count += l->layout->segments[s].count;
    l->fields = PL_ALLOC(float, (size_t)place_fields(l) * pl_grid_field_stride(l->layout));
    place_fields(l);
    l->chunks = PL_ALLOC(pl_corot_chunk, l->chunk_count);
    l->planes = PL_ALLOC(int, l->layout->size[2] + 1);
    l->flags = PL_ALLOC(uint16_t, size);
    l->masks = PL_ALLOC(pl_corot_masks, size / PL_GRID_CHUNK);
    bool ok = l->fields && (l->chunks || !l->chunk_count) && l->planes && l->flags && l->masks;
    return ok ? PL_OK : pl_fail_memory(error, "the general lattice");
}

// indices of the rows around each chunk, on this level and on the adjacent ones
static void link_chunks(pl_corot_level* l, const pl_grid_level* finer) {
    int count = 0, z = 0;
    for (int s = 0; s < l->layout->segment_count; s++) {
        const pl_grid_segment* g = &l->layout->segments[s];
        for (; z <= g->z - l->layout->low[2]; z++) l->planes[z] = count;
        for (int k = 0; k < g->count; k++) {
            pl_corot_chunk* c = &l->chunks[count++];
            int x = g->x + k * PL_GRID_CHUNK;
            c->begin = g->begin + k * PL_GRID_CHUNK, c->y = g->y, c->z = g->z;
            for (int n = 0; n < 9; n++)
                c->rows[n] = find(l->layout, x, g->y + n % 3 - 1, g->z + n / 3 - 1);
            for (int n = 0; finer && n < 8; n++)
                c->children[n / 2][n % 2] = find(finer, 2 * x + n % 2 * PL_GRID_CHUNK,
                                                 2 * g->y + n / 2 % 2, 2 * g->z + n / 4);
        }
    }
    for (; z <= l->layout->size[2]; z++) l->planes[z] = count;
}

static void set_cell_flags(pl_corot_level* l, const int* base, int i) {
    const pl_grid_masks* masks = l->layout->masks;
    const int *S = pl_corot_stride, n = base[13] + i;
    const pl_grid_masks* m = &masks[n / PL_GRID_CHUNK];
    uint16_t flags = 0;
    bool dirichlet = pl_grid_bit(m->dirichlet, n), interior = pl_grid_bit(m->interior, n);
    if (interior) flags |= PL_COROT_INTERIOR;
    bool core = interior, beside = false;
    for (int k = 0; k < 27; k++) {
        int far = abs(k % 3 - 1) + abs(k / 3 % 3 - 1) + abs(k / 9 - 1);
        if (far > 2) continue;
        int at = base[k] + i;
        const pl_grid_masks* near = &masks[at / PL_GRID_CHUNK];
        bool inside = pl_grid_bit(near->interior, at);
        core = core && (inside || pl_grid_bit(near->dirichlet, at));
        beside = beside || inside;
    }
    if (core) flags |= PL_COROT_CORE;
    if (dirichlet) flags |= PL_COROT_DIRICHLET;
    if (dirichlet && beside) flags |= PL_COROT_BESIDE;
    for (int a = 0; a < 3; a++) {
        int below = base[13 - S[a]] + i;
        bool low = pl_grid_bit(masks[below / PL_GRID_CHUNK].dirichlet, below);
        if (pl_grid_bit(m->face[a], n)) flags |= (uint16_t)(PL_COROT_FACE << a);
        if (dirichlet || low) flags |= (uint16_t)(PL_COROT_HELD << a);
    }
    l->flags[n] = flags;
}

static void set_inner_flags(pl_corot_level* l, const int* base, int i) {
    const int *S = pl_corot_stride, n = base[13] + i;
    if (!(l->flags[n] & PL_COROT_CORE)) return;
    for (int a = 0; a < 3; a++)
        if (l->flags[base[13 - S[a]] + i] & PL_COROT_CORE)
            l->flags[n] |= (uint16_t)(PL_COROT_INNER << a);
    pl_corot_form form;
    for (int k = 0; k < 9; k++) l->R[k][n] = 1.0f; // so that every face gets a nonzero factor
    pl_corot_form_of(l, base, i, &form);
    if (form.count < 30) l->flags[n] |= PL_COROT_WALL;
}

// the mean modulus of the four cells of an edge
static void set_weights(pl_corot_level* l, const int* base, int i) {
    const pl_grid_masks* masks = l->layout->masks;
    const int *S = pl_corot_stride, n = base[13] + i;
    const pl_grid_masks* m = &masks[n / PL_GRID_CHUNK];
    for (int a = 0; a < 3; a++) {
        if (pl_grid_bit(m->stress[a], n)) l->cell_weight[a][n] = 2.0f * l->mu[n];
        if (!pl_grid_bit(m->edge[a], n)) continue;
        int b = (a + 1) % 3, c = (a + 2) % 3;
        l->edge_weight[a][n] =
            0.5f * (l->mu[n] + l->mu[base[13 - S[b]] + i] + l->mu[base[13 - S[c]] + i] +
                    l->mu[base[13 - S[b] - S[c]] + i]);
    }
}

typedef void (*visit)(pl_corot_level* level, const int* base, int i);

static void visit_cells(pl_corot_level* l, visit call) {
    int base[27];
    for (int k = 0; k < l->chunk_count; k++) {
        pl_corot_reach(&l->chunks[k], base);
        for (int i = 0; i < PL_GRID_CHUNK; i++) call(l, base, i);
    }
}

// Whether an inner face or a core cell couples only to weights of 2.
static bool is_plain(const pl_corot_level* l, const int* base, int i) {
    const int *S = pl_corot_stride, n = base[13] + i;
    if (l->flags[n] & PL_COROT_WALL) return false;
    for (int a = 0; a < 3; a++) {
        if (l->cell_weight[a][n] != 2.0f || l->cell_weight[a][base[13 - S[a]] + i] != 2.0f)
            return false;
        for (int k = 0; k < 2; k++) {
            const int near = base[k ? 13 + S[a] : 13 - S[a]] + i;
            if (l->flags[near] & PL_COROT_DIRICHLET || l->mu[near] != 1.0f) return false;
        }
        for (int e = 0; e < 2; e++) {
            const int b = pl_grid_other_axis(a, e), c = 3 - a - b;
            if (l->edge_weight[c][n] != 2.0f || l->edge_weight[c][base[13 + S[b]] + i] != 2.0f)
                return false;
        }
    }
    return true;
}

static void set_masks(pl_corot_level* l) {
    int base[27];
    for (int k = 0; k < l->chunk_count; k++) {
        pl_corot_reach(&l->chunks[k], base);
        pl_corot_masks* m = &l->masks[base[13] / PL_GRID_CHUNK];
        *m = (pl_corot_masks){.plain = true};
        for (int i = 0; i < PL_GRID_CHUNK; i++) {
            const uint16_t flags = l->flags[base[13] + i], bit = (uint16_t)(1 << i);
            if (flags & PL_COROT_CORE) m->core |= bit;
            else if (flags & PL_COROT_INTERIOR) m->slaved |= bit;
            for (int a = 0; a < 3; a++) {
                if (flags & (PL_COROT_INNER << a)) m->inner[a] |= bit;
                else if (flags & (PL_COROT_FACE << a)) m->band[a] |= bit;
            }
            if (flags & PL_COROT_CORE) m->plain = m->plain && is_plain(l, base, i);
        }
    }
}

// Sets the neighbours and weights of a face.
static void place_face(const pl_corot_level* l, const int* base, int i, int a, pl_corot_face* f) {
    const int *S = pl_corot_stride, n = base[13] + i, m = base[13 - S[a]] + i;
    f->axis = a, f->at[0] = n, f->at[1] = m, f->next = base[13 + S[a]] + i;
    f->weights[0] = l->cell_weight[a][n], f->weights[1] = l->cell_weight[a][m];
    for (int e = 0; e < 2; e++) {
        const int b = pl_grid_other_axis(a, e), c = 3 - a - b;
        for (int side = 0; side < 2; side++) {
            const int way = side ? 13 + S[b] : 13 - S[b], k = 2 + 4 * e + 2 * side;
            f->at[k] = base[way] + i, f->at[k + 1] = base[way - S[a]] + i;
            f->weights[2 + 2 * e + side] = l->edge_weight[c][side ? f->at[k] : n];
        }
    }
}

// Lists the band faces of a plane, across x, y, z in turn; only counts them if `to` is NULL.
static int list_plane(const pl_corot_level* l, int z, pl_corot_face* to) {
    int count = 0, base[27];
    for (int a = 0; a < 3; a++)
        for (int k = l->planes[z]; k < l->planes[z + 1]; k++) {
            pl_corot_reach(&l->chunks[k], base);
            for (int i = 0; i < PL_GRID_CHUNK; i++) {
                if (!(l->masks[base[13] / PL_GRID_CHUNK].band[a] >> i & 1)) continue;
                if (to) place_face(l, base, i, a, &to[count]);
                count++;
            }
        }
    return count;
}

static pl_status list_band(pl_corot_level* l, pl_error* error) {
    const int planes = l->layout->size[2];
    l->band_planes = PL_ALLOC(int, planes + 1);
    if (!l->band_planes) return pl_fail_memory(error, "the general lattice");
    for (int z = 0; z < planes; z++)
        l->band_planes[z + 1] = l->band_planes[z] + list_plane(l, z, NULL);
    l->band = PL_ALLOC(pl_corot_face, l->band_planes[planes]);
    if (!l->band && l->band_planes[planes]) return pl_fail_memory(error, "the general lattice");
    for (int z = 0; z < planes; z++) list_plane(l, z, l->band + l->band_planes[z]);
    return PL_OK;
}

// sums of mu + mu of the neighbour, over neighbours that are not Dirichlet
static void set_spread(pl_corot_level* l, const int* base, int i) {
    const int *S = pl_corot_stride, n = base[13] + i;
    if (!(l->flags[n] & PL_COROT_CORE)) return;
    for (int k = 0; k < 6; k++) {
        const int near = base[k % 2 ? 13 + S[k / 2] : 13 - S[k / 2]] + i;
        if (!(l->flags[near] & PL_COROT_DIRICHLET)) l->spread[n] += l->mu[n] + l->mu[near];
    }
}

// Moduli of the coarse cells: the mean of their interior and Dirichlet children.
static void average_mu(const pl_corot_level* fine, pl_corot_level* l) {
    for (int k = 0; k < l->chunk_count; k++)
        for (int i = 0; i < PL_GRID_CHUNK; i++) {
            float sum = 0.0f, count = 0.0f;
            for (int child = 0; child < 8; child++) {
                int at = pl_corot_child(&l->chunks[k], i, child);
                if (!(fine->flags[at] & (PL_COROT_INTERIOR | PL_COROT_DIRICHLET))) continue;
                sum += fine->mu[at], count += 1.0f;
            }
            l->mu[l->chunks[k].begin + i] = count > 0.0f ? sum / count : 1.0f;
        }
}

pl_status pl_corot_level_create(const pl_grid_lattice* lattice, int l, const float* mu,
                                const pl_corot_level* fine, pl_corot_level* out, pl_error* error) {
    *out = (pl_corot_level){.layout = &lattice->levels[l]};
    pl_status status = allocate(out, error);
    if (status != PL_OK) return status;
    link_chunks(out, l ? &lattice->levels[l - 1] : NULL);
    for (int i = 0; i < out->layout->field_size; i++) {
        out->mu[i] = l == 0 && mu ? mu[i] : 1.0f;
        for (int a = 0; a < 3; a++) out->R[4 * a][i] = 1.0f;
    }
    visit_cells(out, set_cell_flags);
    if (l > 0) average_mu(fine, out);
    visit_cells(out, set_weights);
    visit_cells(out, set_inner_flags);
    visit_cells(out, set_spread);
    set_masks(out);
    for (int i = 0; i < out->layout->field_size; i++)
        for (int k = 0; k < 9; k++) out->R[k][i] = k % 4 == 0 ? 1.0f : 0.0f;
    return list_band(out, error);
}

// Whether no interior cell of a chunk and its neighbours touches an exterior cell.
static bool is_inside(const pl_grid_masks* m) {
    for (int a = 0; a < 3; a++)
        if (m->face[a] & ~m->inner[a]) return false;
    return !(m->interior & ~m->core) && !m->rim;
}

// Whether a core cell of a chunk is next to a Dirichlet cell.
static bool touches_wall(const pl_corot_level* l, const int* base) {
    const uint16_t core = l->layout->masks[base[13] / PL_GRID_CHUNK].core;
    for (int i = 0; core && i < PL_GRID_CHUNK; i++)
        for (int k = 0; core >> i & 1 && k < 6; k++) {
            const int way = pl_corot_stride[k / 2];
            if (l->flags[base[k % 2 ? 13 + way : 13 - way] + i] & PL_COROT_DIRICHLET) return true;
        }
    return false;
}

// Near the surface walls only make chunks stiffer: a coarse level that is too soft for some motion
// of a thin part would be worse than one that is too stiff.
void pl_corot_level_walls(pl_corot_level* l) {
    const pl_grid_level* layout = l->layout;
    const float weight = l->shear > 0.0f ? 1.0f : 2.0f;
    int base[27];
    for (int a = 0; a < 3; a++) memset(l->extra[a], 0, (size_t)layout->field_size * sizeof(float));
    for (int k = 0; layout->wall[0] && k < l->chunk_count; k++) {
        pl_corot_reach(&l->chunks[k], base);
        const bool inside = is_inside(&layout->masks[base[13] / PL_GRID_CHUNK]);
        if (inside && !touches_wall(l, base)) continue;
        for (int n = base[13]; n < base[13] + PL_GRID_CHUNK; n++)
            for (int a = 0; a < 3; a++) {
                const float wall = inside ? layout->wall[a][n] : fmaxf(layout->wall[a][n], 0.0f);
                if (l->flags[n] & (PL_COROT_FACE << a)) l->extra[a][n] = weight * l->mu[n] * wall;
            }
    }
}

// ------------------------------------------------------------------ coefficients

enum { CHUNKS = 32, FACES = 256 };

// k of cells: mu / (1 / lambda + w / 2), in units of mu
static void set_pressures(pl_corot_level* l, const pl_corot_chunk* chunk) {
    const pl_corot_masks* m = &l->masks[chunk->begin / PL_GRID_CHUNK];
    for (int i = 0; i < PL_GRID_CHUNK; i += PL_LANES) {
        const int n = chunk->begin + i;
        const pl_fw mu = pl_loadu_w(l->mu + n), core = mu / l->compressibility;
        pl_fw known[9], w = {0}, slaved = {0};
        if (m->slaved >> i & ((1 << PL_LANES) - 1)) {
            pl_corot_known_w(l, chunk->rows, i, known);
            for (int e = 0; e < 9; e++) {
                const pl_fw R = pl_loadu_w(l->R[e] + n);
                w = pl_fma_w((1.0f - known[e]) * R, R, w);
            }
            slaved = pl_keep_w(m->slaved, i,
                               mu / pl_fma_w(pl_splat_w(0.5f), w, pl_splat_w(l->compressibility)));
        }
        pl_storeu_w(l->k + n, slaved + pl_keep_w(m->core, i, core));
        pl_storeu_w(l->slave_k + n, slaved);
        pl_storeu_w(l->inverse_k + n, pl_keep_w(m->core, i, l->compressibility / mu));
        pl_storeu_w(l->s + n, (pl_fw){0});
    }
}

// 1 where the faces across a next to core cells are variables, else 0.
PL_WIDE pl_fw open_w(const pl_corot_level* l, const int* rows, int i, int way, int a) {
    const pl_iw flags = pl_flags_w(l->flags + pl_corot_at(rows, i, way));
    return pl_where_w((flags & (PL_COROT_FACE << a)) != 0, pl_splat_w(1.0f));
}

// (T T')_cc of core cells: the sum of their squared factors over variable faces.
PL_WIDE pl_fw squares_w(const pl_corot_level* l, const int* rows, int i, bool plain) {
    pl_fw sum = {0};
#pragma GCC unroll 3
    for (int a = 0; a < 3; a++) {
        const int A = pl_corot_way(a);
        const pl_fw along = pl_beside_w(l->R[4 * a], rows, i, 13);
        pl_fw count = pl_splat_w(2.0f);
        if (!plain) count = open_w(l, rows, i, 13, a) + open_w(l, rows, i, 13 + A, a);
        sum = pl_fma_w(count * along, along, sum);
#pragma GCC unroll 2
        for (int e = 0; e < 2; e++) {
            const int b = pl_grid_other_axis(a, e), B = pl_corot_way(b);
            const pl_fw part = 0.25f * pl_beside_w(l->R[3 * a + b], rows, i, 13);
            count = pl_splat_w(4.0f);
            if (!plain)
                count = (open_w(l, rows, i, 13 - B, a) + open_w(l, rows, i, 13 + B, a)) +
                        (open_w(l, rows, i, 13 + A - B, a) + open_w(l, rows, i, 13 + A + B, a));
            sum = pl_fma_w(count * part, part, sum);
        }
    }
    return sum;
}

// inverse diagonals of core cells: (T T')_cc plus the distributed pressure's part
static void set_distribution(pl_corot_level* l, const pl_corot_chunk* chunk) {
    const pl_corot_masks* m = &l->masks[chunk->begin / PL_GRID_CHUNK];
    for (int i = 0; i < PL_GRID_CHUNK; i += PL_LANES) {
        const int n = chunk->begin + i;
        const pl_fw squares =
            m->plain ? squares_w(l, chunk->rows, i, true) : squares_w(l, chunk->rows, i, false);
        pl_fw q = (l->inertia + pl_loadu_w(l->spread + n)) * pl_loadu_w(l->inverse_k + n);
        q = 1.0f / (q + squares);
        pl_storeu_w(l->inverse_q + n, pl_where_w(pl_is_finite_w(q), pl_keep_w(m->core, i, q)));
    }
}

// inverse diagonals of faces between core cells
PL_WIDE void set_diagonals(pl_corot_level* l, const pl_corot_chunk* chunk, int i, int a) {
    const int n = chunk->begin + i, *rows = chunk->rows;
    const pl_corot_masks* m = &l->masks[n / PL_GRID_CHUNK];
    pl_fw sum = l->inertia + pl_loadu_w(l->extra[a] + n);
    sum += pl_beside_w(l->cell_weight[a], rows, i, 13) +
           pl_beside_w(l->cell_weight[a], rows, i, 13 - pl_corot_way(a));
#pragma GCC unroll 2
    for (int e = 0; e < 2; e++) {
        const int b = pl_grid_other_axis(a, e);
        const float* edge = l->edge_weight[3 - a - b];
        sum = pl_fma_w(
            pl_splat_w(1.0f - l->shear),
            pl_beside_w(edge, rows, i, 13) + pl_beside_w(edge, rows, i, 13 + pl_corot_way(b)), sum);
    }
    const pl_fw inverse = pl_keep_w(m->inner[a], i, 1.0f / sum);
    pl_storeu_w(l->inverse[a] + n, pl_where_w(pl_is_finite_w(inverse), inverse));
}

static void chunk_task(int begin, int end, int worker, void* user) {
    (void)worker;
    pl_corot_level* l = user;
    for (int k = begin; k < end; k++) {
        const pl_corot_chunk* chunk = &l->chunks[k];
        const pl_corot_masks* m = &l->masks[chunk->begin / PL_GRID_CHUNK];
        if (m->core | m->slaved) set_pressures(l, chunk);
        if (!m->core) continue;
        set_distribution(l, chunk);
        for (int i = 0; i < PL_GRID_CHUNK; i += PL_LANES) {
#pragma GCC unroll 3
            for (int a = 0; a < 3; a++) set_diagonals(l, chunk, i, a);
        }
    }
}

// Factors and diagonal of a face outside the core. Substituted pressures add to its stiffness.
static void set_face(const pl_corot_level* l, pl_corot_face* f) {
    const int a = f->axis, n = f->at[0], m = f->at[1];
    const float* w = f->weights;
    float* t = f->factors;
    t[0] = w[0] > 0.0f ? -l->R[4 * a][n] : 0.0f, t[1] = w[1] > 0.0f ? l->R[4 * a][m] : 0.0f;
    f->stiffness = l->inertia + l->extra[a][n];
    float sum = f->stiffness + w[0] + w[1];
    for (int e = 0; e < 2; e++) {
        const float* R = l->R[3 * a + pl_grid_other_axis(a, e)];
        const float under = w[2 + 2 * e] > 0.0f ? 0.25f : 0.0f;
        const float over = w[3 + 2 * e] > 0.0f ? 0.25f : 0.0f;
        t[0] += (under - over) * R[n], t[1] += (under - over) * R[m];
        for (int k = 0; k < 4; k++)
            t[2 + 4 * e + k] = (k < 2 ? under : -over) * R[f->at[2 + 4 * e + k]];
        sum += (1.0f - l->shear) * (w[2 + 2 * e] + w[3 + 2 * e]);
    }
    for (int k = 0; k < 10; k++) sum += l->slave_k[f->at[k]] * t[k] * t[k];
    f->inverse = sum > 0.0f ? 1.0f / sum : 0.0f;
}

static void face_task(int begin, int end, int worker, void* user) {
    (void)worker;
    pl_corot_level* l = user;
    for (int k = begin; k < end; k++) set_face(l, &l->band[k]);
}

void pl_corot_set_coefficients(pl_corot_level* l, double compressibility, double inertia,
                               pl_pool* pool) {
    l->compressibility = (float)compressibility;
    l->inertia = (float)inertia;
    pl_parallel_for(pool, chunk_task, l->chunk_count, CHUNKS, l);
    pl_parallel_for(pool, face_task, l->band_planes[l->layout->size[2]], FACES, l);
}

typedef struct rotation_job {
    const pl_corot_level* fine;
    pl_corot_level* coarse;
} rotation_job;

// Sum of the rotations of a cell's interior children, and the mean of their rotation terms.
static void add_children(const rotation_job* job, const pl_corot_chunk* c, int i, float sum[9],
                         float* soft) {
    float count = 0.0f, total = 0.0f;
    for (int e = 0; e < 9; e++) sum[e] = 0.0f;
    for (int child = 0; child < 8; child++) {
        const int at = pl_corot_child(c, i, child);
        if (!(job->fine->flags[at] & PL_COROT_INTERIOR)) continue;
        for (int e = 0; e < 9; e++) sum[e] += job->fine->R[e][at];
        total += job->fine->soft[at], count += 1.0f;
    }
    *soft = count > 0.0f ? total / count : 0.0f;
}

// Coarse rotation: the rotation of the mean over the eight children, which is that of the
// restricted positions up to stretch. The identity if no child has one.
static void rotate_lanes(const rotation_job* job, const pl_corot_chunk* c, int i, uint16_t cells) {
    pl_corot_level* l = job->coarse;
    float sums[9][PL_LANES], sum[9], soft[PL_LANES];
    for (int lane = 0; lane < PL_LANES; lane++) {
        add_children(job, c, i + lane, sum, &soft[lane]);
        for (int e = 0; e < 9; e++) sums[e][lane] = sum[e];
    }
    const int n = c->begin + i;
    pl_mat3w F, R, last;
    pl_fw norm = {0};
    for (int e = 0; e < 9; e++) {
        F.m[e] = pl_loadu_w(sums[e]), last.m[e] = pl_loadu_w(l->R[e] + n);
        norm = pl_fma_w(F.m[e], F.m[e], norm);
    }
    // The iteration starts from the mean, which is nearly a rotation. Starting from the last
    // rotation would make results depend on data that a checkpoint does not hold.
    const pl_iw some = norm > 1e-6f;
    F = pl_mat3_select_w(some, F, pl_mat3_identity_w());
    const pl_fw scale = pl_sqrt_w(3.0f / pl_select_w(some, norm, pl_splat_w(3.0f)));
    const pl_mat3w mean = pl_mat3_scale_w(scale, F);
    pl_quatw q = pl_quat_from_mat3_w(&mean);
    pl_polar_w(&F, &q, &R);
    const pl_iw lanes = pl_lanes_w(cells, i);
    for (int e = 0; e < 9; e++) pl_storeu_w(l->R[e] + n, pl_select_w(lanes, R.m[e], last.m[e]));
    pl_storeu_w(l->soft + n, pl_keep_w(cells, i, pl_loadu_w(soft)));
}

static void rotation_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const rotation_job* job = user;
    for (int k = begin; k < end; k++) {
        const pl_corot_chunk* c = &job->coarse->chunks[k];
        const pl_corot_masks* m = &job->coarse->masks[c->begin / PL_GRID_CHUNK];
        const uint16_t cells = m->core | m->slaved;
        for (int i = 0; i < PL_GRID_CHUNK; i += PL_LANES)
            if (cells >> i & ((1 << PL_LANES) - 1)) rotate_lanes(job, c, i, cells);
    }
}

void pl_corot_coarsen_rotations(const pl_corot_level* fine, pl_corot_level* coarse, pl_pool* pool) {
    pl_parallel_for(pool, rotation_task, coarse->chunk_count, CHUNKS,
                    &(rotation_job){fine, coarse});
}

typedef struct take_job {
    pl_corot_level* level;
    const pl_quat* turn;
    const float* ease;
    float softest;
} take_job;

static void take_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const take_job* job = user;
    pl_corot_level* l = job->level;
    for (int k = begin; k < end; k++) {
        const int first = l->chunks[k].begin;
        const pl_corot_masks* m = &l->masks[first / PL_GRID_CHUNK];
        for (int i = 0; i < PL_GRID_CHUNK; i++) {
            if (!((m->core | m->slaved) >> i & 1)) continue;
            const pl_mat3 R = pl_quat_to_mat3(job->turn[first + i]);
            for (int e = 0; e < 9; e++) l->R[e][first + i] = (float)R.m[e];
            l->soft[first + i] = job->softest * l->mu[first + i] * job->ease[first + i];
        }
    }
}

void pl_corot_take_rotations(pl_corot_level* l, const pl_quat* turn, const float* ease,
                             float softest, pl_pool* pool) {
    pl_parallel_for(pool, take_task, l->chunk_count, CHUNKS, &(take_job){l, turn, ease, softest});
}
