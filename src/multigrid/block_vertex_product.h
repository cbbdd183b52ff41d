// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The Galerkin product from vertices to nodes. block_galerkin.c includes this file once for each
// kind of blocks (block_size.h), and defines the sums that it uses.

// The rows of a node are scattered over the matrix: prefetch them.
PL_WIDE void SIZED(prefetch_group)(const product_job* job, int g) {
    const pl_mg_pairs* p = &job->product->pairs;
    if (g >= p->group_count) return;
    int first = p->entry_offsets[g], last = p->entry_offsets[g + 1] - 1;
    const char* begin = (const char*)(job->fine->values + N * N * (size_t)p->entries[first]);
    const char* end =
        (const char*)(job->fine->values + N * N * (size_t)p->entries[last] + N * N - 1);
    for (const char* at = begin; at <= end && at < begin + FARTHEST; at += 64)
        __builtin_prefetch(at);
    __builtin_prefetch(end);
    __builtin_prefetch(job->transfer->point + 4 * (size_t)p->group_rows[g]);
}

PL_WIDE void SIZED(add_group)(const product_job* job, int g, SIZED(row_sums) * sums) {
    const pl_mg_pairs* p = &job->product->pairs;
    const pl_block_level* fine = job->fine;
    SIZED(row_sums) row = *sums; // a local copy, so that it stays in registers
    SIZED(prefetch_group)(job, g + GROUPS_AHEAD);
    for (int k = p->entry_offsets[g]; k < p->entry_offsets[g + 1]; k++) {
        const float* A = fine->values + N * N * (size_t)p->entries[k];
        SIZED(add_entry)(&row, A, job->transfer->point + 4 * (size_t)job->product->columns[k]);
    }
    *sums = row;
}

// S of a diagonal block: the entries of its vertices with row < column, and half of their diagonals
static void SIZED(sum_inner)(const product_job* job, int pair, SIZED(pair_sums) * S) {
    const pl_mg_pairs* p = &job->product->pairs;
    const pl_mg_transfer* t = job->transfer;
    int node = p->rows[pair], g = p->group_offsets[pair], end = p->group_offsets[pair + 1];
    for (int k = t->child_offsets[node]; k < t->child_offsets[node + 1]; k++) {
        size_t i = (size_t)t->children[k];
        SIZED(row_sums) row = {0};
        float half[4], copy[N * N];
        if (k + CHILDREN_AHEAD < t->child_offsets[node + 1]) {
            size_t next = (size_t)t->children[k + CHILDREN_AHEAD];
            __builtin_prefetch(t->point + 4 * next);
            __builtin_prefetch(job->fine->fixed + N * N * next);
            __builtin_prefetch(job->fine->fixed + N * N * next + N * N - 1);
        }
        pl_store4(half, 0.5f * pl_load4(t->point + 4 * i));
        SIZED(add_entry)(&row, SIZED(own_block)(job, i, copy), half);
        if (g < end && p->group_rows[g] == (int)i) SIZED(add_group)(job, g++, &row);
        SIZED(add_row)(S, &row, t->point + 4 * i);
    }
}

static void SIZED(product_task)(int begin, int end, int worker, void* user) {
    const product_job* job = user;
    const pl_mg_pairs* p = &job->product->pairs;
    (void)worker;
    for (int k = begin; k < end; k++) {
        int pair = job->product->order[k];
        SIZED(pair_sums) sums = {0};
        if (p->rows[pair] == p->columns[pair]) {
            SIZED(sum_inner)(job, pair, &sums);
        } else {
            for (int g = p->group_offsets[pair]; g < p->group_offsets[pair + 1]; g++) {
                SIZED(row_sums) row = {0};
                SIZED(add_group)(job, g, &row);
                SIZED(add_row)(&sums, &row, job->transfer->point + 4 * (size_t)p->group_rows[g]);
            }
        }
        SIZED(store_sums)(job, pair, &sums);
    }
}

#undef KIND
#undef N
