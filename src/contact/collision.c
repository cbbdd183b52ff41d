// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The path of a vertex is followed in the obstacle's frame, in which the obstacle rests: a straight
// line from the vertex's position in the frame at the start of the step to that at its end. The
// place where it enters determines the side it is pushed back to, so it cannot come out on the
// other side, however fast it or the obstacle is. An obstacle that changes its shape is at rest in
// a frame that moves with the nearest place of its surface. This is exact where the surface moves
// as a whole, and otherwise accurate to first order in the relative motion of neighbouring places
// during the step.
//
// Most vertices are far from most obstacles, so boxes are tested first; they never change the
// result. A small group of vertices lists the obstacles whose boxes overlap the box of the group,
// and each vertex tests only those. An obstacle that is far away costs one comparison per group.
#include "contact/collision.h"

#include <math.h>
#include <string.h>

// LISTED: size of a group's list of obstacles; if more are near, the group tests all obstacles.
enum { CHUNK = 4096, VERTEX_BLOCK = 512, GROUP = 32, LISTED = 512 };

// Motion of the surface place nearest to p in the obstacle's frame during the step. If the size of
// the obstacle changes, this place moves along its normal.
static pl_vec3 drift_at(const pl_moving_obstacle* m, pl_vec3 p) {
    if (!m->changes_size) return pl_obstacle_drift(&m->obstacle, p);
    pl_vec3 normal, unused;
    const double after = pl_obstacle_distance(&m->obstacle, p, &normal);
    return pl_scale(pl_obstacle_distance(&m->obstacle_before, p, &unused) - after, normal);
}

// the plane that touches the obstacle at the place nearest to the vertex, or where the vertex
// entered
static void make_contact(const pl_moving_obstacle* m, pl_vec3 surface, pl_vec3 normal,
                         pl_contact* out) {
    pl_vec3 before = pl_sub(surface, drift_at(m, surface));
    pl_vec3 begin = pl_rigid_to_world(&m->begin, before), end = pl_rigid_to_world(&m->end, surface);
    out->point = end;
    out->normal = pl_mat3_apply(&m->end.rotation, normal);
    out->motion = pl_sub(end, begin);
    out->friction = m->friction;
    out->stiffness = m->stiffness;
    out->radius = 0.0;
    out->axis = (pl_vec3){0, 0, 0};
    out->has_entered = false;
}

// The surface at the distance `room` from the obstacle has a radius larger by `room`.
static void add_curvature(const pl_moving_obstacle* m, pl_vec3 nearest_to, pl_vec3 normal,
                          double room, pl_contact* out) {
    pl_vec3 axis;
    double radius = pl_obstacle_radius(&m->obstacle, nearest_to, normal, &axis) + room;
    if (!isfinite(radius) || !(radius > 0.0)) return;
    out->radius = radius;
    out->axis = pl_mat3_apply(&m->end.rotation, axis);
}

// The place where the vertex first comes within `room`, or the nearest place if it starts within.
// distance_to: distance at the end of its path.
static bool find_entry(const pl_obstacle* obstacle, pl_vec3 from, pl_vec3 to, double room,
                       double distance_to, pl_vec3* place, pl_vec3* normal) {
    double distance = pl_obstacle_distance(obstacle, from, normal), part;
    if (distance <= room) {
        *place = pl_madd(from, room - distance, *normal);
        return true;
    }
    // too far away at both ends: the distance changes by at most the length of the path
    if (distance - room + fmax(distance_to - room, 0.0) > pl_distance(from, to)) return false;
    if (!pl_obstacle_sweep(obstacle, from, to, room, &part, normal)) return false;
    *place = pl_lerp(from, to, part);
    return true;
}

// largest motion of a point of a chain in the frame of the chain
static double largest_drift(const pl_obstacle* s) {
    double most = 0.0;
    for (int k = 0; s->before && k < s->point_count; k++)
        most = fmax(most, pl_norm(pl_obstacle_point_drift(s, k)));
    return most;
}

static pl_box grown_box(pl_box box, double room) {
    pl_vec3 around = {room, room, room};
    return (pl_box){pl_sub(box.low, around), pl_add(box.high, around)};
}

// A vertex outside this box, in the obstacle's frame, cannot touch the obstacle. The margin covers
// rounding and the error of grids.
static pl_box local_reach_of(const pl_moving_obstacle* m) {
    const pl_obstacle* s = &m->obstacle;
    pl_box box = pl_obstacle_bounds(s);
    if (m->changes_size) box = pl_box_add_box(box, pl_obstacle_bounds(&m->obstacle_before));
    double room = m->thickness + 1e-6 * (1.0 + pl_box_diagonal(box));
    if (s->solid && s->before) room = HUGE_VAL; // a surface that changes its shape, by any amount
    else room += largest_drift(s);
    return grown_box(box, room);
}

static pl_box placed_box(const pl_rigid* pose, pl_box box) {
    pl_box placed = pl_box_empty();
    for (int k = 0; k < 8; k++) {
        pl_vec3 corner = {k & 1 ? box.high.x : box.low.x, k & 2 ? box.high.y : box.low.y,
                          k & 4 ? box.high.z : box.low.z};
        placed = pl_box_add_point(placed, pl_rigid_to_world(pose, corner));
    }
    return placed;
}

// A straight path in the frame of a rotating obstacle is not straight in the world, so obstacles
// that rotate have an infinite box.
static pl_box reach_of(const pl_moving_obstacle* m) {
    pl_vec3 far = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
    bool turns = memcmp(&m->begin.rotation, &m->end.rotation, sizeof m->begin.rotation) != 0;
    if (turns || !pl_box_is_finite(m->local_reach)) return (pl_box){pl_scale(-1.0, far), far};
    pl_box box =
        pl_box_add_box(placed_box(&m->begin, m->local_reach), placed_box(&m->end, m->local_reach));
    return grown_box(box, 1e-9 * fmax(pl_norm(box.low), pl_norm(box.high)));
}

void pl_moving_obstacle_bound(pl_moving_obstacle* m) {
    m->local_reach = local_reach_of(m);
    if (!m->is_body) m->reach = reach_of(m);
}

static pl_box way_of(pl_vec3 from, pl_vec3 to, double thickness) {
    return grown_box((pl_box){pl_min3(from, to), pl_max3(from, to)}, thickness);
}

bool pl_find_contact(const pl_moving_obstacle* m, pl_vec3 start, pl_vec3 end, double thickness,
                     pl_contact* out) {
    double room = m->thickness + thickness;
    pl_vec3 from = pl_rigid_to_local(&m->begin, start), to = pl_rigid_to_local(&m->end, end);
    from = pl_add(from, drift_at(m, from));
    pl_vec3 entry, entry_normal, normal;
    double distance = pl_obstacle_distance(&m->obstacle, to, &normal);
    if (!find_entry(&m->obstacle, from, to, room, distance, &entry, &entry_normal)) return false;
    if (distance <= room &&
        pl_dot(normal, entry_normal) > 0.0) { // still on the same side: use the nearest place
        make_contact(m, pl_madd(to, room - distance, normal), normal, out);
        add_curvature(m, to, normal, room, out);
        return true;
    }
    if (pl_dot(pl_sub(to, entry), entry_normal) >= 0.0) return false; // it only touched
    make_contact(m, entry, entry_normal, out);
    add_curvature(m, to, normal, room, out);
    out->has_entered = true;
    out->nearest_depth = room - distance;
    out->nearest_normal = pl_mat3_apply(&m->end.rotation, normal);
    return true;
}

bool pl_may_touch(const pl_moving_obstacle* m, pl_vec3 start, pl_vec3 end, double thickness) {
    double room = (m->is_body ? m->thickness : 0.0) + thickness;
    return pl_box_overlaps(way_of(start, end, room), m->reach);
}

// finds the vertices that must be tested, on all threads
typedef struct nearby_job {
    const pl_collision_job* job;
    const pl_colliding_vertices* group;
    const double *start, *x;
    int first; // first vertex of the chunk, in the group
    int count;
    bool* is_near; // is near an obstacle
} nearby_job;

// the path of the k-th vertex of the chunk; returns the number of the vertex
static int way_in(const nearby_job* n, int k, pl_vec3* from, pl_vec3* to) {
    int vertex = n->group->vertices[n->first + k] + n->group->first;
    *from = pl_vec3_load(n->start + 3 * (size_t)vertex);
    *to = pl_vec3_load(n->x + 3 * (size_t)vertex);
    return vertex;
}

static bool is_tested(const nearby_job* n, int s, pl_vec3 start, pl_vec3 end) {
    const pl_moving_obstacle* m = &n->job->obstacles[s];
    if (m->is_body && (!n->group->meets || (n->group->passes && n->group->passes[m->body])))
        return false;
    return pl_may_touch(m, start, end, n->group->thickness);
}

static bool is_nearby(const nearby_job* n, int s, pl_vec3 start, pl_vec3 end) {
    const pl_moving_obstacle* m = &n->job->obstacles[s];
    if (!is_tested(n, s, start, end)) return false;
    pl_vec3 from = pl_rigid_to_local(&m->begin, start), to = pl_rigid_to_local(&m->end, end);
    if (!pl_box_overlaps(way_of(from, to, n->group->thickness), m->local_reach)) return false;
    if (m->obstacle.before) return true;
    pl_vec3 normal;
    double gap = pl_obstacle_distance(&m->obstacle, from, &normal);
    return !(gap - m->thickness - n->group->thickness > pl_distance(from, to));
}

// obstacles that a group of neighbouring vertices may touch, in ascending order
typedef struct near_list {
    int count;
    int items[LISTED];
    bool is_all; // too many: test all obstacles
} near_list;

static int near_count(const nearby_job* n, const near_list* list) {
    return list->is_all ? n->job->obstacle_count : list->count;
}

static int near_item(const near_list* list, int k) { return list->is_all ? k : list->items[k]; }

static void list_near(const nearby_job* n, int begin, int end, near_list* list) {
    pl_box box = pl_box_empty();
    list->count = 0;
    for (int k = begin; k < end; k++) {
        pl_vec3 from, to;
        way_in(n, k, &from, &to);
        box = pl_box_add_box(box, way_of(from, to, n->group->thickness));
    }
    int s = 0;
    for (; s < n->job->obstacle_count && list->count < LISTED; s++) {
        const pl_moving_obstacle* m = &n->job->obstacles[s];
        if (m->is_body ? n->group->meets : pl_box_overlaps(box, m->reach))
            list->items[list->count++] = s;
    }
    list->is_all = s < n->job->obstacle_count;
}

static void nearby_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const nearby_job* n = user;
    near_list list;
    for (int first = begin; first < end; first += GROUP) {
        int last = first + GROUP < end ? first + GROUP : end;
        list_near(n, first, last, &list);
        for (int k = first; k < last; k++) {
            pl_vec3 from, to;
            way_in(n, k, &from, &to);
            n->is_near[k] = false;
            for (int i = 0; i < near_count(n, &list) && !n->is_near[k]; i++)
                n->is_near[k] = is_nearby(n, near_item(&list, i), from, to);
        }
    }
}

// With a collider: the friction of the collider. Between bodies: the larger one.
static double friction_of(const pl_moving_obstacle* m, const pl_colliding_vertices* group) {
    if (m->is_body) return fmax(m->friction, group->friction);
    return isnan(m->friction) ? group->friction : m->friction;
}

// appends the contacts of one vertex to the `found` ones
static int add_contacts(const nearby_job* n, const near_list* list, int k, pl_contact* out,
                        int capacity, int found) {
    const pl_colliding_vertices* group = n->group;
    pl_vec3 from, to;
    int vertex = way_in(n, k, &from, &to);
    for (int i = 0; i < near_count(n, list); i++) {
        int s = near_item(list, i);
        pl_contact contact;
        if (!is_tested(n, s, from, to)) continue;
        double thickness = group->thickness - (group->recesses ? group->recesses[s] : 0.0);
        if (!pl_find_contact(&n->job->obstacles[s], from, to, thickness, &contact)) continue;
        contact.vertex = vertex;
        contact.obstacle = s;
        contact.normal_force = 0.0;
        if (group->recesses)
            contact.motion = pl_madd(contact.motion, group->recess_steps[s], contact.normal);
        if (!(contact.stiffness > 0.0)) contact.stiffness = group->stiffness;
        contact.friction = friction_of(&n->job->obstacles[s], group);
        if (found < capacity) out[found] = contact;
        found++;
    }
    return found;
}

// appends the contacts of the vertices that are near an obstacle
static int add_near(const nearby_job* n, pl_contact* out, int capacity, int found) {
    near_list list;
    for (int first = 0; first < n->count; first += GROUP) {
        int last = first + GROUP < n->count ? first + GROUP : n->count;
        bool is_listed = false;
        for (int k = first; k < last; k++) {
            if (!n->is_near[k]) continue;
            if (!is_listed) list_near(n, first, last, &list);
            is_listed = true;
            found = add_contacts(n, &list, k, out, capacity, found);
        }
    }
    return found;
}

int pl_detect_collisions(void* user, const double* start, const double* x, pl_contact* out,
                         int capacity) {
    const pl_collision_job* job = user;
    int found = 0;
    bool is_near[CHUNK];
    for (int g = 0; g < job->group_count; g++) {
        const pl_colliding_vertices* group = &job->groups[g];
        for (int first = 0; first < group->count; first += CHUNK) {
            int count = group->count - first < CHUNK ? group->count - first : CHUNK;
            nearby_job n = {job, group, start, x, first, count, is_near};
            pl_parallel_for(job->pool, nearby_task, count, VERTEX_BLOCK, &n);
            found = add_near(&n, out, capacity, found);
        }
    }
    return found;
}
