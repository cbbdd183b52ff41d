// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A vertex is followed through the obstacle's frame, where the obstacle rests: from its place in
// the frame at the begin of the step straight to that at its end. Where it enters decides the side
// it is pushed back to, so that it cannot come out on the other one, however fast it or the
// obstacle is. An obstacle that changes its shape rests in a frame that goes along with the place
// of its surface that is nearest: exact where the surface moves as a whole, and right to first
// order in how much neighbouring places move apart during the step.
//
// Most vertices are far from most obstacles: a box around each obstacle in its own frame, which the
// whole way has to miss, is asked first. It never changes what is found.
#include "contact/collision.h"

#include <math.h>
#include <stdint.h>

// Boxes and bits are those of the first obstacles; more are tested with every vertex.
enum { BOXES = 64, CHUNK = 4096, VERTEX_BLOCK = 512 };

// the plane that touches the obstacle where the vertex is nearest, or came in
static void make_contact(const pl_moving_obstacle* m, pl_vec3 surface, pl_vec3 normal,
                         pl_contact* out) {
    pl_vec3 before = pl_sub(surface, pl_obstacle_drift(&m->obstacle, surface));
    pl_vec3 begin = pl_rigid_to_world(&m->begin, before), end = pl_rigid_to_world(&m->end, surface);
    out->point = end;
    out->normal = pl_mat3_apply(&m->end.rotation, normal);
    out->motion = pl_sub(end, begin);
    out->friction = m->friction;
    out->stiffness = m->stiffness;
}

// Where the vertex first comes within `room`, or the nearest place if it is there from the begin;
// distance_to: at the end of its way.
static bool find_entry(const pl_obstacle* obstacle, pl_vec3 from, pl_vec3 to, double room,
                       double distance_to, pl_vec3* place, pl_vec3* normal) {
    double distance = pl_obstacle_distance(obstacle, from, normal), part;
    if (distance <= room) {
        *place = pl_madd(from, room - distance, *normal);
        return true;
    }
    // too far from both ends to be met on the way: distances change by no more than the way
    if (distance - room + fmax(distance_to - room, 0.0) > pl_distance(from, to)) return false;
    if (!pl_obstacle_sweep(obstacle, from, to, room, &part, normal)) return false;
    *place = pl_lerp(from, to, part);
    return true;
}

// the most that any place of a chain has moved in its own frame
static double largest_drift(const pl_obstacle* s) {
    double most = 0.0;
    for (int k = 0; s->before && k < s->point_count; k++)
        most = fmax(most, pl_distance(pl_vec3_load(s->points + 3 * (size_t)k),
                                      pl_vec3_load(s->before + 3 * (size_t)k)));
    return most;
}

// Outside of this box, in the obstacle's frame, a vertex is not within reach of it. Rounding and
// the error of grids are within the margin.
static pl_box reach_of(const pl_moving_obstacle* m, double thickness) {
    const pl_obstacle* s = &m->obstacle;
    pl_box box = pl_obstacle_bounds(s);
    double margin = 1e-6 * (1.0 + pl_box_diagonal(box));
    double room = m->thickness + thickness + margin;
    if (s->kind == PL_OBSTACLE_CHAIN) room += largest_drift(s);
    else if (s->before) room = HUGE_VAL; // a surface that changes its shape, by any amount
    pl_vec3 around = {room, room, room};
    return (pl_box){pl_sub(box.low, around), pl_add(box.high, around)};
}

static bool way_misses(pl_vec3 from, pl_vec3 to, const pl_box* box) {
    pl_vec3 low = pl_min3(from, to), high = pl_max3(from, to);
    return low.x > box->high.x || high.x < box->low.x || low.y > box->high.y ||
           high.y < box->low.y || low.z > box->high.z || high.z < box->low.z;
}

bool pl_find_contact(const pl_moving_obstacle* m, pl_vec3 start, pl_vec3 end, double thickness,
                     pl_contact* out) {
    double room = m->thickness + thickness;
    pl_vec3 from = pl_rigid_to_local(&m->begin, start), to = pl_rigid_to_local(&m->end, end);
    from = pl_add(from, pl_obstacle_drift(&m->obstacle, from));
    pl_vec3 entry, entry_normal, normal;
    double distance = pl_obstacle_distance(&m->obstacle, to, &normal);
    if (!find_entry(&m->obstacle, from, to, room, distance, &entry, &entry_normal)) return false;
    if (distance <= room &&
        pl_dot(normal, entry_normal) > 0.0) { // still on its side: the nearest place
        make_contact(m, pl_madd(to, room - distance, normal), normal, out);
        return true;
    }
    if (pl_dot(pl_sub(to, entry), entry_normal) >= 0.0) return false; // it only touched
    make_contact(m, entry, entry_normal, out);
    return true;
}

bool pl_may_touch(const pl_moving_obstacle* m, pl_vec3 start, pl_vec3 end, double thickness) {
    double room = m->thickness + thickness;
    pl_vec3 low = pl_min3(start, end), high = pl_max3(start, end);
    return !m->is_body || (low.x <= m->reach.high.x + room && high.x >= m->reach.low.x - room &&
                           low.y <= m->reach.high.y + room && high.y >= m->reach.low.y - room &&
                           low.z <= m->reach.high.z + room && high.z >= m->reach.low.z - room);
}

// what decides, on all threads, which obstacles a vertex has to be tested with
typedef struct nearby_job {
    const pl_collision_job* job;
    const pl_colliding_vertices* group;
    const double *start, *x;
    const pl_box* reach;
    int first;        // vertex of the group
    uint64_t* nearby; // a bit for each of the first obstacles
} nearby_job;

static bool is_nearby(const nearby_job* n, int s, pl_vec3 start, pl_vec3 end) {
    const pl_moving_obstacle* m = &n->job->obstacles[s];
    if (m->is_body && !n->group->meets) return false;
    if (!pl_may_touch(m, start, end, n->group->thickness)) return false;
    pl_vec3 from = pl_rigid_to_local(&m->begin, start), to = pl_rigid_to_local(&m->end, end);
    if (way_misses(from, to, &n->reach[s])) return false;
    if (m->obstacle.before) return true;
    pl_vec3 normal;
    double gap = pl_obstacle_distance(&m->obstacle, from, &normal);
    return !(gap - m->thickness - n->group->thickness > pl_distance(from, to));
}

static void nearby_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const nearby_job* n = user;
    int count = n->job->obstacle_count < BOXES ? n->job->obstacle_count : BOXES;
    for (int k = begin; k < end; k++) {
        size_t i = 3 * (size_t)(n->group->vertices[n->first + k] + n->group->first);
        pl_vec3 from = pl_vec3_load(n->start + i), to = pl_vec3_load(n->x + i);
        uint64_t bits = 0;
        for (int s = 0; s < count; s++) bits |= (uint64_t)is_nearby(n, s, from, to) << s;
        n->nearby[k] = bits;
    }
}

// the contacts of one vertex, behind the `found` ones
static int add_contacts(const nearby_job* n, int k, pl_contact* out, int capacity, int found) {
    const pl_colliding_vertices* group = n->group;
    int vertex = group->vertices[n->first + k] + group->first;
    pl_vec3 from = pl_vec3_load(n->start + 3 * (size_t)vertex);
    pl_vec3 to = pl_vec3_load(n->x + 3 * (size_t)vertex);
    for (int s = 0; s < n->job->obstacle_count; s++) {
        const pl_moving_obstacle* m = &n->job->obstacles[s];
        pl_contact contact;
        if (s < BOXES
                ? !(n->nearby[k] >> s & 1)
                : (m->is_body && !group->meets) || !pl_may_touch(m, from, to, group->thickness))
            continue;
        double thickness = group->thickness - (group->recesses ? group->recesses[s] : 0.0);
        if (!pl_find_contact(m, from, to, thickness, &contact)) continue;
        contact.vertex = vertex;
        if (!(contact.stiffness > 0.0)) contact.stiffness = group->stiffness;
        contact.friction = fmax(contact.friction, group->friction);
        if (found < capacity) out[found] = contact;
        found++;
    }
    return found;
}

int pl_detect_collisions(void* user, const double* start, const double* x, pl_contact* out,
                         int capacity) {
    const pl_collision_job* job = user;
    int found = 0;
    pl_box reach[BOXES];
    uint64_t nearby[CHUNK];
    for (int g = 0; g < job->group_count; g++) {
        const pl_colliding_vertices* group = &job->groups[g];
        for (int s = 0; s < job->obstacle_count && s < BOXES; s++)
            reach[s] = reach_of(&job->obstacles[s], group->thickness);
        for (int first = 0; first < group->count; first += CHUNK) {
            int count = group->count - first < CHUNK ? group->count - first : CHUNK;
            nearby_job n = {job, group, start, x, reach, first, nearby};
            pl_parallel_for(job->pool, nearby_task, count, VERTEX_BLOCK, &n);
            for (int k = 0; k < count; k++)
                if (nearby[k] || job->obstacle_count > BOXES)
                    found = add_contacts(&n, k, out, capacity, found);
        }
    }
    return found;
}
