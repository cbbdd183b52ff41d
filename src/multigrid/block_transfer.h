// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The transfers between levels where a vertex has N unknowns, and those of vectors in and out.
// block_cycle.c includes this once for each N (block_size.h).

PL_WIDE map4 SIZED(load_map)(const float* p) {
    return (map4){{pl_load4(p), pl_load4(p + N), pl_load4(p + 2 * N), pl_load4(p + 3 * N)}};
}
// in order: each store writes one value too many
PL_WIDE void SIZED(store_map)(float* p, const map4* map) {
    for (int a = 0; a < 4; a++) pl_store4(p + N * a, map->column[a]);
}

// b_c = U' r: each node gathers from what belongs to it
PL_WIDE map4 SIZED(gather_vertices)(const pl_block_level* fine, const pl_mg_transfer* t,
                                    const float* r, int node) {
    map4 sum = {{{0}, {0}, {0}, {0}}};
    for (int k = t->child_offsets[node]; k < t->child_offsets[node + 1]; k++) {
        size_t i = (size_t)t->children[k];
        const float* X = t->point + 4 * i;
        pl_f4 own = SIZED(felt)(fine, i, pl_load4(r + PL_VERTEX * i));
        for (int a = 0; a < 4; a++) sum.column[a] = pl_fma4(own, pl_splat4(X[a]), sum.column[a]);
    }
    return sum;
}

PL_WIDE map4 SIZED(gather_nodes)(const pl_mg_transfer* t, const float* r, int node) {
    map4 sum = {{{0}, {0}, {0}, {0}}};
    for (int k = t->child_offsets[node]; k < t->child_offsets[node + 1]; k++) {
        size_t j = (size_t)t->children[k];
        const float* T = t->point + 4 * j;
        map4 child = SIZED(load_map)(r + PL_NODE * j);
        for (int a = 0; a < 3; a++) {
            sum.column[a] = pl_fma4(child.column[a], pl_splat4(T[3]), sum.column[a]);
            sum.column[a] = pl_fma4(child.column[3], pl_splat4(T[a]), sum.column[a]);
        }
        sum.column[3] += child.column[3];
    }
    return sum;
}

static void SIZED(restrict_task)(int begin, int end, int worker, void* user) {
    const move_job* job = user;
    const pl_mg_transfer* t = &job->mg->hierarchy.transfers[job->l];
    const pl_block_level* fine = &job->mg->levels[job->l];
    const float* r = sweeps_before(job->mg, job->l) > 0 ? fine->residual : fine->b;
    float* b = job->mg->levels[job->l + 1].b;
    (void)worker;
    for (int node = begin; node < end; node++) {
        map4 sum = job->l == 0 ? SIZED(gather_vertices)(fine, t, r, node)
                               : SIZED(gather_nodes)(t, r, node);
        SIZED(store_map)(b + PL_NODE * (size_t)node, &sum);
    }
}

// x += U x_c, or x = U x_c
PL_WIDE void SIZED(move_vertex)(const pl_block_level* fine, const map4* map, const float* X,
                                bool add, size_t i) {
    float* x = fine->x + PL_VERTEX * i;
    pl_f4 sum = map->column[0] * pl_splat4(X[0]);
    for (int a = 1; a < 4; a++) sum = pl_fma4(map->column[a], pl_splat4(X[a]), sum);
    sum = SIZED(moved)(fine, i, sum);
    pl_store4(x, add ? pl_load4(x) + sum : sum);
}

PL_WIDE void SIZED(move_node)(const map4* map, const float* T, bool add, float* x) {
    map4 own = {{{0}, {0}, {0}, {0}}};
    if (add) own = SIZED(load_map)(x);
    own.column[3] += map->column[3];
    for (int a = 0; a < 3; a++) {
        own.column[a] = pl_fma4(map->column[a], pl_splat4(T[3]), own.column[a]);
        own.column[3] = pl_fma4(map->column[a], pl_splat4(T[a]), own.column[3]);
    }
    SIZED(store_map)(x, &own);
}

static void SIZED(prolong_task)(int begin, int end, int worker, void* user) {
    const move_job* job = user;
    const pl_mg_transfer* t = &job->mg->hierarchy.transfers[job->l];
    const pl_block_level* fine = &job->mg->levels[job->l];
    const float* x_c = job->mg->levels[job->l + 1].x;
    bool add = sweeps_before(job->mg, job->l) > 0;
    (void)worker;
    const int* order = fine->pattern.schedule.order;
    for (int k = begin; k < end; k++) {
        size_t i = (size_t)(order ? order[k] : k);
        map4 map = SIZED(load_map)(x_c + PL_NODE * (size_t)t->parent[i]);
        if (job->l == 0) SIZED(move_vertex)(fine, &map, t->point + 4 * i, add, i);
        else SIZED(move_node)(&map, t->point + 4 * i, add, fine->x + PL_NODE * i);
    }
}

static void SIZED(take_residual_task)(int begin, int end, int worker, void* user) {
    const vector_job* job = user;
    (void)worker;
    for (int i = begin; i < end; i++) {
        const double* r = job->r + N * (size_t)job->mg->old_of_new[i];
        float* b = job->mg->levels[0].b + 4 * (size_t)i;
        for (int c = 0; c < N; c++) b[c] = (float)(r[c] * job->scale);
        for (int c = N; c < PL_VERTEX; c++) b[c] = 0.0f;
    }
}

static void SIZED(give_correction_task)(int begin, int end, int worker, void* user) {
    const vector_job* job = user;
    (void)worker;
    for (int i = begin; i < end; i++) {
        const float* x = job->mg->levels[0].x + 4 * (size_t)job->mg->new_of_old[i];
        double* z = job->z + N * (size_t)i;
        for (int c = 0; c < N; c++) z[c] = (double)x[c] * job->scale;
    }
}

static const transfers SIZED(transfers) = {SIZED(restrict_task), SIZED(prolong_task),
                                           SIZED(take_residual_task), SIZED(give_correction_task)};

#undef N
