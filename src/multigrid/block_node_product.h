// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The Galerkin product from nodes to nodes. block_galerkin.c includes this file once for each kind
// of blocks (block_size.h).
#define U (N / 4) // unknowns of a vertex, and of a column of a node's map

// Writes a block S (column-major) to its entry and S' to the transposed entry; a diagonal block is
// S + S'.
static void SIZED(store_block)(const product_job* job, int pair, const float* S) {
    const int* target = job->product->targets + 2 * (size_t)pair;
    if (target[0] < 0) {
        float* D = job->coarse->fixed + N * N * (size_t)job->product->pairs.rows[pair];
        for (int c = 0; c < N; c++)
            for (int r = 0; r < N; r++) D[N * c + r] = S[N * c + r] + S[N * r + c];
        return;
    }
    memcpy(job->coarse->values + N * N * (size_t)target[0], S, N * N * sizeof(float));
    float* T = job->coarse->values + N * N * (size_t)target[1];
    for (int c = 0; c < N; c++)
        for (int r = 0; r < N; r++) T[N * r + c] = S[N * c + r];
}

// columns += B T: moves the columns of B from a child's frame to its parent's
PL_WIDE void SIZED(add_columns)(float* columns, const float* B, const float* T) {
    for (int d = 0; d < U; d++) {
        const float* last = B + N * (3 * U + d);
        COLUMN shifted = COLUMN_(load)(last);
        for (int b = 0; b < 3; b++) {
            float* sum = columns + N * (U * b + d);
            COLUMN ratio = COLUMN_(splat)(T[3]), shift = COLUMN_(splat)(T[b]);
            COLUMN moved =
                COLUMN_(fma)(COLUMN_(load)(B + N * (U * b + d)), ratio, COLUMN_(load)(sum));
            COLUMN_(store)(sum, COLUMN_(fma)(shifted, shift, moved));
        }
        float* sum = columns + N * (3 * U + d);
        COLUMN_(store)(sum, COLUMN_(add)(COLUMN_(load)(sum), shifted));
    }
}

// S += weight T' columns: the same for rows
PL_WIDE void SIZED(add_moved_rows)(float* S, const float* columns, const float* T, float weight) {
    const float ratios[4] = {weight * T[3], weight * T[3], weight * T[3], weight};
    const float shifts[4] = {weight * T[0], weight * T[1], weight * T[2], 0.0f};
    COLUMN ratio = COLUMN_(spread_point)(ratios), shift = COLUMN_(spread_point)(shifts);
    for (int k = 0; k < N; k++) {
        COLUMN sum = COLUMN_(fma)(COLUMN_(load)(columns + N * k), ratio, COLUMN_(load)(S + N * k));
        COLUMN_(store)(S + N * k, COLUMN_(fma)(COLUMN_(spread_last)(columns + N * k), shift, sum));
    }
}

static void SIZED(product_task)(int begin, int end, int worker, void* user) {
    const product_job* job = user;
    const pl_mg_pairs* p = &job->product->pairs;
    const pl_mg_transfer* t = job->transfer;
    const pl_block_level* fine = job->fine;
    (void)worker;
    for (int pair = begin; pair < end; pair++) {
        float S[N * N] = {0};
        for (int g = p->group_offsets[pair]; g < p->group_offsets[pair + 1]; g++) {
            float columns[N * N] = {0};
            for (int k = p->entry_offsets[g]; k < p->entry_offsets[g + 1]; k++) {
                size_t e = (size_t)p->entries[k], j = (size_t)fine->pattern.columns[e];
                SIZED(add_columns)(columns, fine->values + N * N * e, t->point + 4 * j);
            }
            SIZED(add_moved_rows)(S, columns, t->point + 4 * (size_t)p->group_rows[g], 1.0f);
        }
        if (p->rows[pair] == p->columns[pair]) {
            int node = p->rows[pair];
            for (int k = t->child_offsets[node]; k < t->child_offsets[node + 1]; k++) {
                size_t j = (size_t)t->children[k];
                float columns[N * N] = {0};
                SIZED(add_columns)(columns, fine->fixed + N * N * j, t->point + 4 * j);
                SIZED(add_moved_rows)(S, columns, t->point + 4 * j, 0.5f);
            }
        }
        SIZED(store_block)(job, pair, S);
    }
}

#undef U
#undef KIND
#undef N
