// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Inverses of the diagonal blocks of nodes, one node per lane. block_invert.c includes this file
// once for each kind of blocks (block_size.h).
//
// A = L S L', with S the signs of the pivots. Displacements are definite, so all their signs are 1,
// and for N = 4 and 12 this is Cholesky's factor. For N = 16 pressures are eliminated after all
// displacements; their signs are those of their pivots.

// sign_k a
PL_WIDE pl_fw SIZED(turned)(const pl_fw* sign, int k, pl_fw a) {
    return k < DISPLACEMENTS ? a : sign[k - DISPLACEMENTS] * a;
}

// Absolute value of a pressure's pivot; `whole` is the diagonal before elimination.
PL_WIDE pl_fw SIZED(pressure_pivot)(pl_fw pivot, pl_fw whole, pl_fw* sign, pl_iw* good) {
    pl_fw size = pl_abs_w(pivot), taken = pl_abs_w(whole - pivot);
    *sign = pl_select_w(pivot < 0.0f, pl_splat_w(-1.0f), pl_splat_w(1.0f));
    *good = size > TINY_PIVOT * pl_max_w(pl_abs_w(whole), taken);
    return size;
}

// Replaces A by L with 1 / L_jj on its diagonal, or 0 there for a pivot that vanished.
PL_WIDE void SIZED(factor_lanes)(pl_fw a[N][N], pl_fw* sign) {
    for (int j = 0; j < N; j++) {
        pl_fw pivot = a[j][j];
        for (int k = 0; k < j; k++)
            pivot = pl_fnma_w(SIZED(turned)(sign, k, a[j][k]), a[j][k], pivot);
        pl_iw good = pivot > TINY_PIVOT * a[j][j];
        if (j >= DISPLACEMENTS)
            pivot = SIZED(pressure_pivot)(pivot, a[j][j], &sign[j - DISPLACEMENTS], &good);
        pl_fw root = 1.0f / pl_sqrt_w(pl_select_w(good, pivot, pl_splat_w(1.0f)));
        a[j][j] = pl_select_w(good, root, (pl_fw){0});
        for (int i = j + 1; i < N; i++) {
            pl_fw sum = a[i][j];
            for (int k = 0; k < j; k++)
                sum = pl_fnma_w(SIZED(turned)(sign, k, a[i][k]), a[j][k], sum);
            a[i][j] = SIZED(turned)(sign, j, sum) * a[j][j];
        }
    }
}

// replaces L by L^-1
PL_WIDE void SIZED(invert_factor_lanes)(pl_fw a[N][N]) {
    for (int j = 0; j < N; j++)
        for (int i = j + 1; i < N; i++) {
            pl_fw sum = a[i][j] * a[j][j];
            for (int k = j + 1; k < i; k++) sum = pl_fma_w(a[i][k], a[k][j], sum);
            a[i][j] = -sum * a[i][i];
        }
}

// the unknown eliminated at step k
PL_WIDE int SIZED(unknown_at)(int k) {
    return N != 16 ? k : k < DISPLACEMENTS ? 4 * (k / 3) + k % 3 : 4 * (k - DISPLACEMENTS) + 3;
}

static void SIZED(load_lanes)(const invert_job* job, int first, int count, pl_fw a[N][N]) {
    float block[N * N];
    for (int lane = 0; lane < PL_LANES; lane++) {
        int node = node_at(job, first + (lane < count ? lane : 0));
        pl_block_fill_unseen(job->level, job->unseen, node, block);
        for (int i = 0; i < N; i++)
            for (int j = 0; j <= i; j++)
                a[i][j][lane] = block[N * SIZED(unknown_at)(j) + SIZED(unknown_at)(i)];
    }
}

static void SIZED(store_lanes)(const invert_job* job, int first, int count, pl_fw a[N][N],
                               const pl_fw* sign) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++) {
            pl_fw sum = {0}; // column i of L^-1 times column j
            for (int k = i; k < N; k++)
                sum = pl_fma_w(SIZED(turned)(sign, k, a[k][i]), a[k][j], sum);
            int r = SIZED(unknown_at)(i), c = SIZED(unknown_at)(j);
            for (int lane = 0; lane < count; lane++) {
                float* out = job->level->inverse + N * N * (size_t)node_at(job, first + lane);
                out[N * c + r] = out[N * r + c] = sum[lane];
            }
        }
}

static void SIZED(invert_task)(int begin, int end, int worker, void* user) {
    const invert_job* job = user;
    pl_fw a[N][N], sign[4];
    (void)worker;
    for (int first = begin; first < end; first += PL_LANES) {
        int count = end - first < PL_LANES ? end - first : PL_LANES;
        SIZED(load_lanes)(job, first, count, a);
        SIZED(factor_lanes)(a, sign);
        SIZED(invert_factor_lanes)(a);
        SIZED(store_lanes)(job, first, count, a, sign);
    }
}

#undef KIND
#undef N
