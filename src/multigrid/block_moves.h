// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Restriction and prolongation where a column of a node's map takes N floats. block_transfer.c
// includes this file once for each N (block_size.h).

PL_WIDE pl_v4x3 SIZED(load_map)(const float* p) {
    return (pl_v4x3){{pl_load4(p), pl_load4(p + N), pl_load4(p + 2 * N), pl_load4(p + 3 * N)}};
}
// in order, because each store writes one value too many
PL_WIDE void SIZED(store_map)(float* p, const pl_v4x3* map) {
    for (int a = 0; a < 4; a++) pl_store4(p + N * a, map->column[a]);
}

// b_c = U' r: each node gathers from its vertices or child nodes
PL_WIDE pl_v4x3 SIZED(gather_vertices)(const pl_block_level* fine, const pl_mg_transfer* t,
                                       const float* r, int node) {
    pl_v4x3 sum = {{{0}, {0}, {0}, {0}}};
    for (int k = t->child_offsets[node]; k < t->child_offsets[node + 1]; k++) {
        size_t i = (size_t)t->children[k];
        const float* X = t->point + 4 * i;
        pl_f4 own = SIZED(felt)(fine, i, pl_load4(r + PL_VERTEX * i));
        for (int a = 0; a < 4; a++) sum.column[a] = pl_fma4(own, pl_splat4(X[a]), sum.column[a]);
    }
    return sum;
}

PL_WIDE pl_v4x3 SIZED(gather_nodes)(const pl_mg_transfer* t, const float* r, int node) {
    pl_v4x3 sum = {{{0}, {0}, {0}, {0}}};
    for (int k = t->child_offsets[node]; k < t->child_offsets[node + 1]; k++) {
        size_t j = (size_t)t->children[k];
        const float* T = t->point + 4 * j;
        pl_v4x3 child = SIZED(load_map)(r + PL_NODE * j);
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
    bool vertices = job->fine->stride == PL_VERTEX;
    (void)worker;
    for (int node = begin; node < end; node++) {
        pl_v4x3 sum = vertices ? SIZED(gather_vertices)(job->fine, job->transfer, job->from, node)
                               : SIZED(gather_nodes)(job->transfer, job->from, node);
        SIZED(store_map)(job->to + PL_NODE * (size_t)node, &sum);
    }
}

// x += U x_c, or x = U x_c
PL_WIDE void SIZED(move_vertex)(const pl_block_level* fine, const pl_v4x3* map, const float* X,
                                bool add, size_t i) {
    float* x = fine->x + PL_VERTEX * i;
    pl_f4 sum = map->column[0] * pl_splat4(X[0]);
    for (int a = 1; a < 4; a++) sum = pl_fma4(map->column[a], pl_splat4(X[a]), sum);
    sum = SIZED(moved)(fine, i, sum);
    if (add) sum += pl_load4(x);
    pl_store4(x, sum);
}

PL_WIDE void SIZED(move_node)(const pl_v4x3* map, const float* T, bool add, float* x) {
    pl_v4x3 own = {{{0}, {0}, {0}, {0}}};
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
    const pl_block_level* fine = job->fine;
    const pl_mg_transfer* t = job->transfer;
    const int* order = fine->pattern.schedule.order;
    bool vertices = fine->stride == PL_VERTEX;
    (void)worker;
    for (int k = begin; k < end; k++) {
        size_t i = (size_t)(order ? order[k] : k);
        pl_v4x3 map = SIZED(load_map)(job->from + PL_NODE * (size_t)t->parent[i]);
        if (vertices) SIZED(move_vertex)(fine, &map, t->point + 4 * i, job->add, i);
        else SIZED(move_node)(&map, t->point + 4 * i, job->add, fine->x + PL_NODE * i);
    }
}

#undef KIND
#undef N
