// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A vertex is followed through the obstacle's frame, where the obstacle rests: from its place in
// the frame at the begin of the step straight to that at its end. Where it enters decides the side
// it is pushed back to, so that it cannot come out on the other one, however fast it or the
// obstacle is. An obstacle that changes its shape rests in a frame that goes along with the place
// of its surface that is nearest: exact where the surface moves as a whole, and right to first
// order in how much neighbouring places move apart during the step.
#include "contact/collision.h"

#include <math.h>

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

// where the vertex first comes within `room`, or the nearest place if it is there from the begin
static bool find_entry(const pl_obstacle* obstacle, pl_vec3 from, pl_vec3 to, double room,
                       pl_vec3* place, pl_vec3* normal) {
    double distance = pl_obstacle_distance(obstacle, from, normal), part;
    if (distance <= room) {
        *place = pl_madd(from, room - distance, *normal);
        return true;
    }
    if (distance - room > pl_distance(from, to)) return false; // too far to meet it
    if (!pl_obstacle_sweep(obstacle, from, to, room, &part, normal)) return false;
    *place = pl_lerp(from, to, part);
    return true;
}

bool pl_find_contact(const pl_moving_obstacle* m, pl_vec3 start, pl_vec3 end, double thickness,
                     pl_contact* out) {
    double room = m->thickness + thickness;
    pl_vec3 from = pl_rigid_to_local(&m->begin, start), to = pl_rigid_to_local(&m->end, end);
    from = pl_add(from, pl_obstacle_drift(&m->obstacle, from));
    pl_vec3 entry, entry_normal, normal;
    if (!find_entry(&m->obstacle, from, to, room, &entry, &entry_normal)) return false;
    double distance = pl_obstacle_distance(&m->obstacle, to, &normal);
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

int pl_detect_collisions(void* user, const double* start, const double* x, pl_contact* out,
                         int capacity) {
    const pl_collision_job* job = user;
    int found = 0;
    for (int g = 0; g < job->group_count; g++) {
        const pl_colliding_vertices* group = &job->groups[g];
        for (int k = 0; k < group->count; k++) {
            int vertex = group->vertices[k] + group->first;
            size_t i = 3 * (size_t)vertex;
            for (int s = 0; s < job->obstacle_count; s++) {
                pl_contact contact;
                if (job->obstacles[s].is_body && !group->meets) continue;
                if (!pl_may_touch(&job->obstacles[s], pl_vec3_load(start + i), pl_vec3_load(x + i),
                                  group->thickness) ||
                    !pl_find_contact(&job->obstacles[s], pl_vec3_load(start + i),
                                     pl_vec3_load(x + i), group->thickness, &contact))
                    continue;
                contact.vertex = vertex;
                if (!(contact.stiffness > 0.0)) contact.stiffness = group->stiffness;
                contact.friction = fmax(contact.friction, group->friction);
                if (found < capacity) out[found] = contact;
                found++;
            }
        }
    }
    return found;
}
