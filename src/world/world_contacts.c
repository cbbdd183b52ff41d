// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Methods report contacts as vertices of their system and indices of obstacles. This file converts
// these to bodies, vertices of bodies, and colliders. Contacts between bodies of different systems
// come from the pushes of the last round.
#include "world/world_contacts.h"
#include "world/coupling_data.h"

void pl_world_tell_contacts(pl_world* w, bool tells) { w->tells_contacts = tells; }

int pl_world_contacts(const pl_world* w, const pl_contact_point** out) {
    *out = w->contacts.data;
    return (int)w->contacts.count;
}

void pl_world_ask_contacts(pl_world* w, int s, pl_method_step* step) {
    w->systems[s].contacts.count = 0;
    step->contacts = w->tells_contacts ? &w->systems[s].contacts : NULL;
}

// Indices of obstacles that are bodies change from system to system. Until the end of the frame
// such bodies are stored as -2, -3, ...
void pl_world_name_contacts(pl_world* w, int s) {
    pl_contact_report* reports = w->systems[s].contacts.data;
    for (size_t k = 0; k < w->systems[s].contacts.count; k++)
        if (reports[k].obstacle >= w->obstacle_count)
            reports[k].obstacle = -2 - w->obstacles[reports[k].obstacle].body;
}

static int body_of_vertex(const pl_world* w, int s, int v) {
    int found = -1;
    for (int b = 0; b < w->body_count; b++)
        if (w->bodies[b].system == s && w->bodies[b].first_vertex <= v) found = b;
    return found;
}

// Converts the vertices of one side to vertices of its body; returns the body.
static int name_side(const pl_world* w, int s, const int* v, int count, int out[3]) {
    const int body = body_of_vertex(w, s, v[0] < 0 ? -1 - v[0] : v[0]);
    for (int i = 0; i < 3; i++)
        out[i] = i < count && v[i] >= 0 ? v[i] - w->bodies[body].first_vertex : -1;
    return body;
}

static void set_force(const pl_contact_report* from, pl_contact_point* to) {
    to->normal_force = pl_dot(from->force, from->normal);
    pl_vec3_store(to->point, from->point);
    pl_vec3_store(to->normal, from->normal);
    pl_vec3_store(to->friction, pl_madd(from->force, -to->normal_force, from->normal));
    to->distance = from->distance;
}

static bool add(pl_world* w, int s, int other, const pl_contact_report* report) {
    pl_contact_point out = {.other_body = -1, .collider = -1, .other_vertices = {-1, -1, -1}};
    out.body = name_side(w, s, report->v, report->first_count, out.vertices);
    if (report->obstacle >= 0) out.collider = report->obstacle;
    else if (report->obstacle < -1) out.other_body = -2 - report->obstacle;
    else
        out.other_body = name_side(w, other, report->v + report->first_count,
                                   4 - report->first_count, out.other_vertices);
    set_force(report, &out);
    return pl_array_push(&w->contacts, &out);
}

// adds a push between two systems, given in their vertices
static bool add_push(pl_world* w, const pl_push* push) {
    const struct pl_world_coupling* c = w->coupling;
    const pl_pair_row* row = &push->row;
    const int s = c->system_of_surface[push->pair.surfaces[0]];
    const int other = c->system_of_surface[push->pair.surfaces[1]];
    pl_contact_report report =
        pl_report_of_pair(row->v, row->is_edges, row->weights, row->normal, c->end);
    report.force =
        pl_scale(1.0 / (w->step_size * w->step_size), pl_madd(row->drag, row->push, row->normal));
    for (int i = 0; i < 4; i++) report.v[i] -= c->firsts[i < report.first_count ? s : other];
    return add(w, s, other, &report);
}

bool pl_world_collect_contacts(pl_world* w) {
    w->contacts.count = 0;
    if (!w->tells_contacts) return true;
    for (int s = 0; s < w->system_count; s++) {
        const pl_contact_report* reports = w->systems[s].contacts.data;
        for (size_t k = 0; k < w->systems[s].contacts.count; k++)
            if (!add(w, s, s, &reports[k])) return false;
    }
    const pl_push* pushes = w->coupling ? w->coupling->list.pushes.data : NULL;
    for (size_t k = 0; pushes && k < w->coupling->list.pushes.count; k++)
        if (pushes[k].row.push > 0.0 && !add_push(w, &pushes[k])) return false;
    return true;
}
