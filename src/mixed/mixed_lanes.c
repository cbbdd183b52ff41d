// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "mixed/mixed_lanes.h"
#include "material/material_wide.h"

static bool is_one_law(const pl_tet_data* d, int first) {
    for (int lane = 1; lane < PL_LANES; lane++)
        if (d->materials[first + lane].kind != d->materials[first].kind) return false;
    return true;
}

static pl_mat3w load_deformations(const pl_element_set* set, const pl_tet_data* d, int first,
                                  const double* x) {
    pl_mat3w F;
    for (int lane = 0; lane < PL_LANES; lane++) {
        const int* v = set->corners + 4 * (size_t)(first + lane);
        double local[12];
        for (int i = 0; i < 12; i++) local[i] = x[3 * (size_t)v[i / 3] + (size_t)(i % 3)];
        pl_mat3 one = pl_tet_deformation(d, first + lane, local);
        for (int i = 0; i < 9; i++) F.m[i][lane] = (float)one.m[i];
    }
    return F;
}

static pl_material_w load_materials(const pl_tet_data* d, int first) {
    pl_material_w m;
    for (int lane = 0; lane < PL_LANES; lane++) {
        const pl_material* one = &d->materials[first + lane];
        m.mu[lane] = (float)one->mu;
        m.lambda[lane] = (float)one->lambda;
        m.rivlin[lane] = (float)one->rivlin;
    }
    return m;
}

static pl_fw load_pressures(const pl_element_set* set, int first, const double* pressure) {
    pl_fw p;
    for (int lane = 0; lane < PL_LANES; lane++) {
        const int* v = set->corners + 4 * (size_t)(first + lane);
        double sum = pressure[v[0]] + pressure[v[1]] + pressure[v[2]] + pressure[v[3]];
        p[lane] = (float)(0.25 * sum);
    }
    return p;
}

// gradients of a corner's shape function, in the frame of V
static pl_vec3w load_shape(const pl_tet_data* d, int first, int corner,
                           const pl_principal_w* tangent) {
    pl_vec3w g;
    for (int lane = 0; lane < PL_LANES; lane++) {
        const double* from = d->gradients + 12 * (size_t)(first + lane) + 3 * corner;
        g.x[lane] = (float)from[0];
        g.y[lane] = (float)from[1];
        g.z[lane] = (float)from[2];
    }
    return pl_principal_turn_w(tangent, g);
}

// Computes blocks (i, j), i <= j, of each pair of corners at 4 i + j. Those of corner 0 follow
// because each row sums to zero.
static void find_blocks(const pl_tet_data* d, int first, const pl_principal_w* tangent,
                        pl_mat3w blocks[16]) {
    const pl_fw minus = pl_splat_w(-1.0f);
    pl_vec3w g[4];
    pl_mat3w sums[4] = {0};
    for (int i = 1; i < 4; i++) g[i] = load_shape(d, first, i, tangent);
    for (int i = 1; i < 4; i++)
        for (int j = i; j < 4; j++) {
            pl_mat3w K = pl_principal_frame_block_w(tangent, g[i], g[j]);
            K = blocks[4 * i + j] = pl_principal_unturn_w(tangent, K);
            // column sums, which give the blocks (0, j)
            sums[j] = pl_mat3_add_w(sums[j], K);
            if (i != j) sums[i] = pl_mat3_add_w(sums[i], pl_mat3_transpose_w(K));
        }
    for (int j = 1; j < 4; j++) {
        blocks[j] = pl_mat3_scale_w(minus, sums[j]);
        sums[0] = pl_mat3_add_w(sums[0], sums[j]);
    }
    blocks[0] = sums[0];
}

// Adds lane by lane, because tets may share vertices. Diagonal blocks are exactly symmetric,
// because a solver may read only one half of them.
static void add_blocks(const int* entries, int lane, double factor, const pl_mat3w blocks[16],
                       pl_block_matrix* A) {
    for (int i = 0; i < 4; i++)
        for (int j = i; j < 4; j++) {
            double *block = A->values + 9 * (size_t)entries[4 * i + j],
                   *mirror = A->values + 9 * (size_t)entries[4 * j + i];
            const pl_mat3w* from = &blocks[4 * i + j];
            for (int k = 0; k < 9; k++) {
                const int turned = 3 * (k % 3) + k / 3;
                double value = factor * (double)from->m[k][lane];
                if (i == j) block[k] += 0.5 * (value + factor * (double)from->m[turned][lane]);
                else block[k] += value, mirror[turned] += value;
            }
        }
}

bool pl_mixed_lanes_hessian(const pl_element_set* set, const pl_tet_data* d, int first,
                            const double* x, const double* pressure, bool projected, double scale,
                            pl_block_matrix* A) {
    if (!is_one_law(d, first)) return false;
    pl_mat3w F = load_deformations(set, d, first, x), blocks[16];
    pl_material_w material = load_materials(d, first);
    pl_principal_w tangent;
    pl_material_law_of(d->materials[first].kind)
        ->mixed_principal(&material, &F, load_pressures(set, first, pressure),
                          projected ? 1.0f : 0.0f, &tangent, NULL);
    find_blocks(d, first, &tangent, blocks);
    for (int lane = 0; lane < PL_LANES; lane++)
        add_blocks(set->entries + 16 * (size_t)(first + lane), lane,
                   scale * d->volumes[first + lane], blocks, A);
    return true;
}

bool pl_mixed_lanes_gradients(const pl_element_set* set, const pl_tet_data* d, int first,
                              const double* x, pl_vec3 (*gradients)[4]) {
    const pl_material_kind kind = d->materials[first].kind;
    if (kind == PL_MATERIAL_COROTATED || !is_one_law(d, first)) return false;
    pl_mat3w F = load_deformations(set, d, first, x), P;
    pl_fw phi;
    pl_material_law_of(kind)->constraint(&F, NULL, &phi, &P);
    for (int lane = 0; lane < PL_LANES; lane++) {
        const double* g = d->gradients + 12 * (size_t)(first + lane);
        pl_mat3 one;
        for (int k = 0; k < 9; k++) one.m[k] = (double)P.m[k][lane];
        for (int i = 0; i < 4; i++)
            gradients[lane][i] =
                pl_scale(d->volumes[first + lane], pl_mat3_apply(&one, pl_vec3_load(g + 3 * i)));
    }
    return true;
}
