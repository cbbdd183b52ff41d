// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The symbolic product runs once per sparsity pattern. Each later update walks along the lists, one
// coarse block after the other, and keeps the sum of a block in registers.
#include "multigrid/galerkin_pairs.h"
#include "base/array.h"
#include "base/memory.h"

#include <string.h>

void pl_mg_pairs_free(pl_mg_pairs* p) {
    PL_FREE(p->rows, int, p->count);
    PL_FREE(p->columns, int, p->count);
    PL_FREE(p->group_offsets, int, p->count + 1);
    PL_FREE(p->group_rows, int, p->group_count);
    PL_FREE(p->entry_offsets, int, p->group_count + 1);
    PL_FREE(p->entries, int, p->entry_count);
    *p = (pl_mg_pairs){0};
}

// a fine entry that is summed into the block (current coarse row, column)
typedef struct part {
    int column; // coarse
    int row, entry;
} part;

typedef struct builder {
    const pl_mg_pattern* fine;
    const pl_mg_transfer* transfer;
    pl_array parts;   // of part; those of the current coarse row
    pl_array sorted;  // the same, sorted by column
    pl_array touched; // columns of the current coarse row, ascending
    int* slot;        // per node: number of parts, then the index of the next one
    pl_array rows, columns, group_offsets, group_rows, entry_offsets, entries;
} builder;

static bool collect_half(builder* b, const pl_mg_half* half, int i, int P) {
    for (int e = half->begin[i]; e < half->end[i]; e++) {
        int j = b->fine->columns[e], Q = b->transfer->parent[j];
        if (Q < P || (Q == P && j < i)) continue;
        part item = {Q, i, e};
        if (b->slot[Q]++ == 0 && !pl_array_push(&b->touched, &Q)) return false;
        if (!pl_array_push(&b->parts, &item)) return false;
    }
    return true;
}

static void sort_touched(pl_array* touched) {
    int* items = touched->data;
    for (size_t k = 1; k < touched->count; k++) {
        int item = items[k];
        size_t at = k;
        for (; at > 0 && items[at - 1] > item; at--) items[at] = items[at - 1];
        items[at] = item;
    }
}

// counting sort of parts by column; stable
static bool sort_parts(builder* b) {
    b->sorted.count = 0;
    if (b->parts.count == 0) return true;
    part* sorted = pl_array_add(&b->sorted, b->parts.count);
    if (!sorted) return false;
    const part* parts = b->parts.data;
    const int* touched = b->touched.data;
    int begin = 0;
    for (size_t k = 0; k < b->touched.count; k++) {
        int size = b->slot[touched[k]];
        b->slot[touched[k]] = begin;
        begin += size;
    }
    for (size_t k = 0; k < b->parts.count; k++) sorted[b->slot[parts[k].column]++] = parts[k];
    return true;
}

// appends one pair for each column, with its groups
static bool emit_pairs(builder* b, int P) {
    const part* parts = b->sorted.data;
    const int* touched = b->touched.data;
    size_t at = 0;
    for (size_t k = 0; k < b->touched.count; k++) {
        int group_count = (int)b->group_rows.count;
        if (!pl_array_push(&b->rows, &P) || !pl_array_push(&b->columns, &touched[k]) ||
            !pl_array_push(&b->group_offsets, &group_count))
            return false;
        for (int row = -1; at < b->sorted.count && parts[at].column == touched[k]; at++) {
            int entry_count = (int)b->entries.count;
            if (parts[at].row != row && (!pl_array_push(&b->group_rows, &parts[at].row) ||
                                         !pl_array_push(&b->entry_offsets, &entry_count)))
                return false;
            row = parts[at].row;
            if (!pl_array_push(&b->entries, &parts[at].entry)) return false;
        }
    }
    return true;
}

static bool build_row(builder* b, int P) {
    const pl_mg_transfer* t = b->transfer;
    b->parts.count = b->touched.count = 0;
    // the diagonal block always exists
    if (!pl_array_push(&b->touched, &P)) return false;
    b->slot[P] = 1;
    for (int k = t->child_offsets[P]; k < t->child_offsets[P + 1]; k++) {
        int i = t->children[k];
        if (!collect_half(b, &b->fine->lower, i, P) || !collect_half(b, &b->fine->upper, i, P))
            return false;
    }
    b->slot[P]--;
    sort_touched(&b->touched);
    if (!sort_parts(b) || !emit_pairs(b, P)) return false;
    const int* touched = b->touched.data;
    for (size_t k = 0; k < b->touched.count; k++) b->slot[touched[k]] = 0;
    return true;
}

static bool take_pairs(builder* b, pl_mg_pairs* out) {
    int group_count = (int)b->group_rows.count, entry_count = (int)b->entries.count;
    int count = (int)b->rows.count;
    if (!pl_array_push(&b->group_offsets, &group_count) ||
        !pl_array_push(&b->entry_offsets, &entry_count))
        return false;
    out->count = count;
    out->group_count = group_count;
    out->entry_count = entry_count;
    return pl_array_take(&b->rows, (void**)&out->rows) &&
           pl_array_take(&b->columns, (void**)&out->columns) &&
           pl_array_take(&b->group_offsets, (void**)&out->group_offsets) &&
           pl_array_take(&b->group_rows, (void**)&out->group_rows) &&
           pl_array_take(&b->entry_offsets, (void**)&out->entry_offsets) &&
           pl_array_take(&b->entries, (void**)&out->entries);
}

pl_status pl_mg_pairs_setup(pl_mg_pairs* out, const pl_mg_pattern* fine,
                            const pl_mg_transfer* transfer, pl_error* error) {
    *out = (pl_mg_pairs){0};
    builder b = {.fine = fine, .transfer = transfer};
    pl_array* lists[] = {&b.touched,    &b.rows,          &b.columns, &b.group_offsets,
                         &b.group_rows, &b.entry_offsets, &b.entries};
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++)
        *lists[k] = pl_array_of(sizeof(int));
    b.parts = pl_array_of(sizeof(part));
    b.sorted = pl_array_of(sizeof(part));
    b.slot = PL_ALLOC(int, transfer->coarse_count);
    bool ok = b.slot != NULL;
    for (int P = 0; ok && P < transfer->coarse_count; P++) ok = build_row(&b, P);
    ok = ok && take_pairs(&b, out);
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) pl_array_free(lists[k]);
    pl_array_free(&b.parts);
    pl_array_free(&b.sorted);
    PL_FREE(b.slot, int, transfer->coarse_count);
    if (ok) return PL_OK;
    pl_mg_pairs_free(out);
    return pl_fail_memory(error, "the structure of a coarse level");
}

pl_status pl_mg_pairs_graph(const pl_mg_pairs* pairs, int node_count, pl_adjacency* out,
                            pl_error* error) {
    *out = (pl_adjacency){.count = node_count, .offsets = PL_ALLOC(int, node_count + 1)};
    if (!out->offsets) return pl_fail_memory(error, "the structure of a coarse level");
    for (int k = 0; k < pairs->count; k++) {
        if (pairs->rows[k] == pairs->columns[k]) continue;
        out->offsets[pairs->rows[k] + 1]++;
        out->offsets[pairs->columns[k] + 1]++;
    }
    for (int i = 0; i < node_count; i++) out->offsets[i + 1] += out->offsets[i];
    int item_count = out->offsets[node_count];
    int* next = PL_ALLOC(int, node_count);
    out->items = PL_ALLOC(int, item_count);
    bool ok = next && (out->items || item_count == 0);
    // pairs are sorted by row, so a row first gets the smaller columns, then the larger ones
    for (int pass = 0; ok && pass < 2; pass++)
        for (int k = 0; k < pairs->count; k++) {
            int i = pass == 0 ? pairs->columns[k] : pairs->rows[k];
            int j = pass == 0 ? pairs->rows[k] : pairs->columns[k];
            if (i != j) out->items[out->offsets[i] + next[i]++] = j;
        }
    PL_FREE(next, int, node_count);
    if (ok) return PL_OK;
    pl_adjacency_free(out);
    return pl_fail_memory(error, "the structure of a coarse level");
}
