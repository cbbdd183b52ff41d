// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "pbd/points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP_BLOCK = 1024 };

static int compare(const void* a, const void* b) {
    const pl_point_constraint *x = a, *y = b;
    if (x->particle != y->particle) return x->particle < y->particle ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

void pl_points_sort(pl_point_constraint* constraints, int count) {
    if (count > 1) qsort(constraints, (size_t)count, sizeof(pl_point_constraint), compare);
}

bool pl_points_group(pl_point_list* list, pl_point_constraint* constraints, int count) {
    list->constraints = constraints;
    list->groups.count = 0;
    for (int k = 0; k < count;) {
        pl_point_group group = {constraints[k].particle, k, 0};
        while (k < count && constraints[k].particle == group.particle) k++, group.count++;
        if (!pl_array_push(&list->groups, &group)) return false;
    }
    return true;
}

bool pl_points_coarsen(const pl_point_list* fine, const int* coarse_of_fine,
                       pl_point_list* coarse) {
    coarse->constraints = fine->constraints;
    coarse->groups.count = 0;
    const pl_point_group* groups = fine->groups.data;
    for (size_t k = 0; k < fine->groups.count; k++) {
        pl_point_group group = groups[k];
        group.particle = coarse_of_fine[group.particle];
        if (group.particle >= 0 && !pl_array_push(&coarse->groups, &group)) return false;
    }
    return true;
}

static float dot(const float* a, const float* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// Pushes the particle out and removes as much slip as friction allows: the total friction in this
// step is at most the coefficient times the total push.
static void project_contact(pl_point_constraint* c, float* p) {
    float away[3] = {p[0] - c->place[0], p[1] - c->place[1], p[2] - c->place[2]};
    float depth = -dot(away, c->normal);
    if (depth > 0.0f) {
        for (int i = 0; i < 3; i++) p[i] += depth * c->normal[i];
        c->push += depth;
    }
    if (!(c->push > 0.0f) || !(c->friction > 0.0f)) return;
    float slip[3] = {p[0] - c->origin[0], p[1] - c->origin[1], p[2] - c->origin[2]}, drag[3];
    float across = dot(slip, c->normal);
    for (int i = 0; i < 3; i++) drag[i] = c->drag[i] - (slip[i] - across * c->normal[i]);
    float size = sqrtf(dot(drag, drag)), limit = c->friction * c->push;
    float scale = size > limit ? limit / size : 1.0f;
    for (int i = 0; i < 3; i++) {
        p[i] += scale * drag[i] - c->drag[i];
        c->drag[i] = scale * drag[i];
    }
}

// a spring to a target position, as a compliant constraint
static void project_attachment(pl_point_constraint* c, float inverse_h2, float* p) {
    float a = c->compliance * inverse_h2, total = p[3] + a;
    for (int i = 0; i < 3; i++) {
        float step = -(p[i] - c->place[i] + a * c->drag[i]) / total;
        c->drag[i] += step;
        p[i] += p[3] * step;
    }
}

typedef struct points_job {
    const pl_point_list* list;
    float* particles;
    float inverse_h2;
} points_job;

static void project_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const points_job* job = user;
    const pl_point_group* groups = job->list->groups.data;
    for (int g = begin; g < end; g++) {
        float* p = job->particles + 4 * (size_t)groups[g].particle;
        if (p[3] == 0.0f) continue; // held exactly
        for (int k = 0; k < groups[g].count; k++) {
            pl_point_constraint* c = &job->list->constraints[groups[g].first + k];
            if (c->is_contact) project_contact(c, p);
            else project_attachment(c, job->inverse_h2, p);
        }
    }
}

void pl_points_project(pl_point_list* list, pl_pool* pool, double time_step, float* particles) {
    points_job job = {list, particles, (float)(1.0 / (time_step * time_step))};
    pl_parallel_for(pool, project_task, (int)list->groups.count, GROUP_BLOCK, &job);
}
