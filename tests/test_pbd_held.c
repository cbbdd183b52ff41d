// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Constraints of tets whose corners are held in part, or that have collapsed: what the free corners
// cannot mend must not throw them away.
#include "run_samples.h"
#include "test.h"

static double largest_speed(pl_world* world) {
    const double* v = pl_world_velocities(world, 0);
    double largest = 0.0;
    for (int i = 0; i < pl_world_mesh(world, 0)->vertex_count; i++)
        largest = fmax(largest, sqrt(v[3 * i] * v[3 * i] + v[3 * i + 1] * v[3 * i + 1] +
                                     v[3 * i + 2] * v[3 * i + 2]));
    return largest;
}

// frames of a solid; no step may be taken back, and nothing flies off
static void check_calm(const char* shape, const char* law, const char* model,
                       const char* attachments, double most) {
    char text[1200];
    snprintf(
        text, sizeof text,
        "{\"pliant\": 1, \"bodies\": [{\"name\": \"b\", \"method\": \"pbd\", \"generate\": "
        "{%s}, \"pbd\": {\"model\": \"%s\"}, \"material\": {\"law\": \"%s\", \"young\": 1.5e4, "
        "\"poisson\": 0.45}}], \"attachments\": [%s]}",
        shape, model, law, attachments);
    pl_world* world = sample_start(text);
    for (int frame = 0; frame < 8; frame++) {
        pl_frame_info info;
        sample_step(world, 1, &info);
        CHECK_INT(info.retry_count, 0);
        CHECK(largest_speed(world) < most);
    }
    pl_world_destroy(world);
}

// the ears of the bear are pulled apart
LONG_TEST(pbd_strains_of_held_faces_do_not_throw_the_rest_away)
{
    static const char bear[] = "\"shape\": \"gummy_bear\", \"edge\": 0.007";
    static const char ears[] =
        "{\"body\": \"b\", \"where\": {\"sphere\": {\"center\": [0.016, 0.096, 0], \"radius\": "
        "0.006}}, \"motion\": {\"keyframes\": [{\"time\": 0}, {\"time\": 0.4, \"translate\": "
        "[0.02, 0.05, 0.01]}]}},\n"
        "{\"body\": \"b\", \"where\": {\"sphere\": {\"center\": [-0.016, 0.096, 0], \"radius\": "
        "0.006}}, \"motion\": {\"keyframes\": [{\"time\": 0}, {\"time\": 0.4, \"translate\": "
        "[-0.02, 0.06, -0.01]}]}}";
    check_calm(bear, "stvk", "stiffness", ears, 10.0);
    check_calm(bear, "stvk", "compliance", ears, 10.0);
}

// all vertices of a side are drawn to one point in the first step, a metre in a sixtieth of a
// second
TEST(pbd_tets_drawn_to_a_point_stay_whole)
{
    static const char point[] =
        "{\"body\": \"b\", \"where\": {\"side\": \"-x\"}, \"point\": [0, 1, 0]}";
    static const char box[] = "\"shape\": \"box\", \"edge\": 0.5";
    check_calm(box, "springs", "stiffness", point, 300.0);
    check_calm(box, "stvk", "stiffness", point, 300.0);
}
