// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Approximate minimum degree on the quotient graph (Amestoy, Davis, Duff: An approximate minimum
// degree ordering algorithm, 1996). An eliminated variable becomes an element whose members are its
// former neighbours; elements that a new one covers are absorbed. Variables with the same lists are
// merged into one supervariable and numbered together.
//
// A live variable i keeps its list in lists[start[i] ...]: first element_count[i] elements, then
// variables. The list never grows: whenever a new element enters it, at least the pivot or an
// absorbed element leaves it. Members of elements are in a second pool, which is compacted when it
// is full.
#include "sparse/ordering.h"
#include "base/array.h"
#include "base/hash.h"
#include "base/memory.h"

#include <stdbool.h>
#include <string.h>

typedef struct graph {
    int row_count;
    int* lists;
    int* start;         // of the list of a variable
    int* length;        // of the list of a variable
    int* element_count; // how many of its entries are elements
    int* size;          // rows of a supervariable; 0: merged or eliminated
    int* degree;        // approximate external degree
    int* merged_next;   // chain of rows merged into a supervariable
    int* merged_last;
    int* mark; // == tag: in the pivot's element
    int tag;
    int* outside; // per element: rows of it outside the pivot's element, + stamp
    int stamp;

    pl_array members; // of elements, by start and length below
    int* member_start;
    int* member_length; // 0: not an element, or absorbed
    int* member_rows;   // rows of these members

    int* bucket_first; // variables by degree
    int* bucket_next;
    int* bucket_previous;
    int lowest_degree;
} graph;

enum { INT_ARRAYS = 15 };

static int** int_array(graph* g, int index) {
    int** arrays[INT_ARRAYS] = {&g->start,        &g->length,        &g->element_count,
                                &g->size,         &g->degree,        &g->merged_next,
                                &g->merged_last,  &g->mark,          &g->outside,
                                &g->member_start, &g->member_length, &g->member_rows,
                                &g->bucket_first, &g->bucket_next,   &g->bucket_previous};
    return arrays[index];
}

static void graph_free(graph* g, int entry_count) {
    PL_FREE(g->lists, int, entry_count);
    for (int i = 0; i < INT_ARRAYS; i++) PL_FREE(*int_array(g, i), int, g->row_count);
    pl_array_free(&g->members);
}

static bool graph_alloc(graph* g, int row_count, int entry_count) {
    *g = (graph){.row_count = row_count, .members = pl_array_of(sizeof(int))};
    g->lists = PL_ALLOC(int, entry_count);
    bool ok = g->lists || entry_count == 0;
    for (int i = 0; i < INT_ARRAYS; i++) {
        *int_array(g, i) = PL_ALLOC(int, row_count);
        ok = ok && *int_array(g, i);
    }
    return ok;
}

static void bucket_insert(graph* g, int i) {
    int d = g->degree[i];
    int first = g->bucket_first[d];
    g->bucket_next[i] = first;
    g->bucket_previous[i] = -1;
    if (first >= 0) g->bucket_previous[first] = i;
    g->bucket_first[d] = i;
    if (d < g->lowest_degree) g->lowest_degree = d;
}

static void bucket_remove(graph* g, int i) {
    int next = g->bucket_next[i], previous = g->bucket_previous[i];
    if (next >= 0) g->bucket_previous[next] = previous;
    if (previous >= 0) g->bucket_next[previous] = next;
    else g->bucket_first[g->degree[i]] = next;
}

static void graph_fill(graph* g, const int* offsets, const int* neighbours) {
    size_t size = (size_t)offsets[g->row_count] * sizeof(int);
    if (size) memcpy(g->lists, neighbours, size);
    g->lowest_degree = g->row_count;
    for (int i = 0; i < g->row_count; i++) g->bucket_first[i] = -1;
    for (int i = 0; i < g->row_count; i++) {
        g->start[i] = offsets[i];
        g->length[i] = offsets[i + 1] - offsets[i];
        g->size[i] = 1;
        g->merged_next[i] = -1;
        g->merged_last[i] = i;
        g->degree[i] = g->length[i];
        bucket_insert(g, i);
    }
}

// compacts the members of live elements
static void compact_members(graph* g, int* scratch_order) {
    int count = 0;
    for (int e = 0; e < g->row_count; e++)
        if (g->member_length[e] > 0) scratch_order[count++] = e;
    pl_array fresh = pl_array_of(sizeof(int));
    for (int k = 0; k < count; k++) {
        int e = scratch_order[k];
        int* to = pl_array_add(&fresh, (size_t)g->member_length[e]);
        if (!to) {
            pl_array_free(&fresh);
            return; // without memory for it, the pool simply grows
        }
        memcpy(to, (int*)g->members.data + g->member_start[e],
               (size_t)g->member_length[e] * sizeof(int));
        g->member_start[e] = (int)(to - (int*)fresh.data);
    }
    pl_array_free(&g->members);
    g->members = fresh;
}

// appends variable i to the new element unless it is there already
static bool take_member(graph* g, int i) {
    if (g->size[i] == 0 || g->mark[i] == g->tag) return true;
    g->mark[i] = g->tag;
    bucket_remove(g, i);
    return pl_array_push(&g->members, &i);
}

// collects the members of the element that pivot p becomes, and absorbs the elements it touched
static bool form_element(graph* g, int p) {
    g->tag++;
    g->mark[p] = g->tag;
    g->member_start[p] = (int)g->members.count;
    const int* list = g->lists + g->start[p];
    for (int k = 0; k < g->element_count[p]; k++) {
        int e = list[k];
        for (int m = 0; m < g->member_length[e]; m++) {
            int i = ((int*)g->members.data)[g->member_start[e] + m];
            if (!take_member(g, i)) return false;
        }
        g->member_length[e] = 0;
    }
    for (int k = g->element_count[p]; k < g->length[p]; k++)
        if (!take_member(g, list[k])) return false;
    g->member_length[p] = (int)g->members.count - g->member_start[p];
    return true;
}

// outside[e] - stamp = rows of element e that are not in the new element, for all elements its
// members touch
static void count_outside(graph* g, const int* members, int count) {
    for (int m = 0; m < count; m++) {
        const int* list = g->lists + g->start[members[m]];
        for (int k = 0; k < g->element_count[members[m]]; k++) {
            int e = list[k];
            if (g->member_length[e] == 0) continue;
            if (g->outside[e] < g->stamp) g->outside[e] = g->stamp + g->member_rows[e];
            g->outside[e] -= g->size[members[m]];
        }
    }
}

// rewrites the list of member i after p became an element; returns a hash of the list
static uint64_t rewrite_list(graph* g, int i, int p, int element_rows, int remaining) {
    int* list = g->lists + g->start[i];
    int kept = 0, degree = element_rows - g->size[i];
    uint64_t hash = (uint64_t)p;
    int old_elements = g->element_count[i], old_length = g->length[i];
    for (int k = 0; k < old_elements; k++) {
        int e = list[k];
        int outside = g->member_length[e] > 0 ? g->outside[e] - g->stamp : 0;
        if (outside <= 0) { // the new element covers it
            g->member_length[e] = 0;
            continue;
        }
        list[kept++] = e;
        degree += outside;
        hash += (uint64_t)e;
    }
    int element_kept = kept;
    for (int k = old_elements; k < old_length; k++) {
        int j = list[k];
        if (g->size[j] == 0 || g->mark[j] == g->tag)
            continue; // eliminated, or covered by the new element
        list[kept++] = j;
        degree += g->size[j];
        hash += (uint64_t)j;
    }
    // there is room for p: something left the list, so kept < old_length
    list[kept] = list[element_kept];
    list[element_kept] = p;
    g->element_count[i] = element_kept + 1;
    g->length[i] = kept + 1;
    int bound = g->degree[i] + element_rows - g->size[i];
    if (degree > bound) degree = bound;
    if (degree > remaining - g->size[i]) degree = remaining - g->size[i];
    g->degree[i] = degree > 0 ? degree : 0;
    return pl_hash_mix(hash);
}

static bool same_lists(graph* g, int i, int j, int* seen, int seen_tag) {
    if (g->length[i] != g->length[j] || g->element_count[i] != g->element_count[j]) return false;
    for (int k = 0; k < g->length[i]; k++) seen[g->lists[g->start[i] + k]] = seen_tag;
    for (int k = 0; k < g->length[j]; k++)
        if (seen[g->lists[g->start[j] + k]] != seen_tag) return false;
    return true;
}

static void merge_into(graph* g, int i, int j) {
    g->size[i] += g->size[j];
    g->degree[i] -= g->size[j];
    if (g->degree[i] < 0) g->degree[i] = 0;
    g->size[j] = 0;
    g->merged_next[g->merged_last[i]] = j;
    g->merged_last[i] = g->merged_last[j];
}

typedef struct scratch {
    uint64_t* hashes; // per member
    int* table;       // hash table over the members of one element: first member of a slot
    int* chain;       // next member in the slot
    int* seen;
    int seen_tag;
    int* order;
    int row_count;
} scratch;

static void scratch_free(scratch* s) {
    PL_FREE(s->hashes, uint64_t, s->row_count);
    PL_FREE(s->table, int, s->row_count);
    PL_FREE(s->chain, int, s->row_count);
    PL_FREE(s->seen, int, s->row_count);
    PL_FREE(s->order, int, s->row_count);
}

static bool scratch_alloc(scratch* s, int n) {
    *s = (scratch){.row_count = n};
    s->hashes = PL_ALLOC(uint64_t, n);
    s->table = PL_ALLOC(int, n);
    s->chain = PL_ALLOC(int, n);
    s->seen = PL_ALLOC(int, n);
    s->order = PL_ALLOC(int, n);
    return s->hashes && s->table && s->chain && s->seen && s->order;
}

// merges members of the new element whose lists are equal
static void merge_equal_members(graph* g, const int* members, int count, scratch* s) {
    for (int m = 0; m < count; m++) s->table[s->hashes[m] % (uint64_t)count] = -1;
    for (int m = 0; m < count; m++) {
        int slot = (int)(s->hashes[m] % (uint64_t)count);
        int j = members[m];
        bool merged = false;
        for (int o = s->table[slot]; o >= 0 && !merged; o = s->chain[o]) {
            int i = members[o];
            if (g->size[i] == 0 || s->hashes[o] != s->hashes[m]) continue;
            merged = same_lists(g, i, j, s->seen, ++s->seen_tag);
            if (merged) merge_into(g, i, j);
        }
        if (merged) continue;
        s->chain[m] = s->table[slot];
        s->table[slot] = m;
    }
}

// removes merged variables from the new element and puts the live ones back into the buckets
static void settle_members(graph* g, int p) {
    int* members = (int*)g->members.data + g->member_start[p];
    int kept = 0, rows = 0;
    for (int m = 0; m < g->member_length[p]; m++) {
        int i = members[m];
        if (g->size[i] == 0) continue;
        members[kept++] = i;
        rows += g->size[i];
        bucket_insert(g, i);
    }
    g->members.count -= (size_t)(g->member_length[p] - kept);
    g->member_length[p] = kept;
    g->member_rows[p] = rows;
}

static int take_pivot(graph* g) {
    while (g->bucket_first[g->lowest_degree] < 0) g->lowest_degree++;
    int p = g->bucket_first[g->lowest_degree];
    bucket_remove(g, p);
    return p;
}

// numbers a pivot and all rows merged into it
static int number_rows(graph* g, int p, int* order, int numbered) {
    for (int i = p; i >= 0; i = g->merged_next[i]) order[numbered++] = i;
    g->size[p] = 0;
    return numbered;
}

static bool eliminate(graph* g, int p, int remaining, scratch* s) {
    if (!form_element(g, p)) return false;
    int count = g->member_length[p];
    const int* members = (int*)g->members.data + g->member_start[p];
    int rows = 0;
    for (int m = 0; m < count; m++) rows += g->size[members[m]];
    g->stamp += 2 * g->row_count + 1;
    if (g->stamp > INT32_MAX / 4) { // stamps grow by n per pivot: start over before they overflow
        memset(g->outside, 0, (size_t)g->row_count * sizeof(int));
        g->stamp = 2 * g->row_count + 1;
    }
    count_outside(g, members, count);
    for (int m = 0; m < count; m++) s->hashes[m] = rewrite_list(g, members[m], p, rows, remaining);
    merge_equal_members(g, members, count, s);
    settle_members(g, p);
    return true;
}

pl_status pl_order_minimum_degree(int row_count, const int* offsets, const int* neighbours,
                                  int* order, pl_error* error) {
    graph g;
    scratch s = {0};
    bool ok = graph_alloc(&g, row_count, offsets[row_count]) && scratch_alloc(&s, row_count);
    if (ok) graph_fill(&g, offsets, neighbours);
    size_t pool_limit = (size_t)offsets[row_count] * 2 + 1024;
    for (int numbered = 0; ok && numbered < row_count;) {
        int p = take_pivot(&g);
        int rows = g.size[p];
        ok = eliminate(&g, p, row_count - numbered - rows, &s);
        numbered = number_rows(&g, p, order, numbered);
        if (g.members.count > pool_limit) {
            compact_members(&g, s.order);
            pool_limit = 2 * g.members.count + (size_t)offsets[row_count];
        }
    }
    graph_free(&g, offsets[row_count]);
    scratch_free(&s);
    return ok ? PL_OK : pl_fail_memory(error, "an elimination order");
}
