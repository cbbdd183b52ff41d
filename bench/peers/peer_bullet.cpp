// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The links of a cloth projected by Bullet's soft body (btSoftBody), for `pliant-bench
// s1-throughput`: peer_bullet FILE REPEATS. FILE is what s1_bullet.c writes: two ints, particles
// and links; then floats x y z and inverse mass of each particle; two ints for the ends of each
// link; a float for its rest length. Prints seconds of one iteration over all links:
//
//   seconds    median, links in the order of the file or as Bullet reorders them, whichever is
//   faster cpu        the least processor time of one error      mean relative error of the links
//   after all iterations, over that before
//
// An iteration is Bullet's own solver of positions, PSolve_Links, on one thread: it has no other
// for soft bodies. What a step does around it (velocities, constants of links) is not counted.
#include <BulletSoftBody/btSoftBody.h>
#include <BulletSoftBody/btSoftBodyHelpers.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

struct Cloth {
    std::vector<float> particles, rests;
    std::vector<int> ends;
};

static bool read_cloth(const char* path, Cloth& cloth) {
    FILE* file = std::fopen(path, "rb");
    int counts[2] = {0, 0};
    bool ok = file && std::fread(counts, sizeof(int), 2, file) == 2;
    if (ok) {
        size_t particles = (size_t)counts[0], links = (size_t)counts[1];
        cloth.particles.resize(4 * particles);
        cloth.ends.resize(2 * links);
        cloth.rests.resize(links);
        ok = std::fread(cloth.particles.data(), sizeof(float), 4 * particles, file) ==
                 4 * particles &&
             std::fread(cloth.ends.data(), sizeof(int), 2 * links, file) == 2 * links &&
             std::fread(cloth.rests.data(), sizeof(float), links, file) == links;
    }
    if (file) std::fclose(file);
    return ok;
}

// the cloth with all links as stiff as they can be
static btSoftBody* make_body(const Cloth& cloth, btSoftBodyWorldInfo& info) {
    int count = (int)(cloth.particles.size() / 4);
    std::vector<btVector3> places((size_t)count);
    std::vector<btScalar> masses((size_t)count);
    for (int i = 0; i < count; i++) {
        const float* p = &cloth.particles[4 * (size_t)i];
        places[(size_t)i] = btVector3(p[0], p[1], p[2]);
        masses[(size_t)i] = p[3] > 0 ? 1 / p[3] : 0;
    }
    btSoftBody* body = new btSoftBody(&info, count, places.data(), masses.data());
    body->m_materials[0]->m_kLST = 1;
    body->m_links.reserve((int)cloth.rests.size());
    for (size_t k = 0; k < cloth.rests.size(); k++) {
        body->appendLink(cloth.ends[2 * k], cloth.ends[2 * k + 1]);
        btSoftBody::Link& link = body->m_links[(int)k];
        link.m_rl = cloth.rests[k];
        link.m_c1 = link.m_rl * link.m_rl;
    }
    body->updateLinkConstants();
    return body;
}

static double mean_error(const btSoftBody& body) {
    double sum = 0;
    for (int k = 0; k < body.m_links.size(); k++) {
        const btSoftBody::Link& link = body.m_links[k];
        sum += std::fabs((link.m_n[0]->m_x - link.m_n[1]->m_x).length() / link.m_rl - 1);
    }
    return sum / body.m_links.size();
}

static double seconds_of(clockid_t clock) {
    timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct Times {
    double seconds, cpu, error;
};

static Times measure(const Cloth& cloth, bool reorder, int repeats) {
    btSoftBodyWorldInfo info;
    btSoftBody* body = make_body(cloth, info);
    if (reorder) {
        btSoftBodyHelpers::ReoptimizeLinkOrder(body);
        body->updateLinkConstants();
    }
    double before = mean_error(*body);
    std::vector<double> seconds;
    double cpu = INFINITY;
    for (int k = 0; k < repeats + 1; k++) {
        double wall = seconds_of(CLOCK_MONOTONIC), own = seconds_of(CLOCK_THREAD_CPUTIME_ID);
        btSoftBody::PSolve_Links(body, 1, 0);
        own = seconds_of(CLOCK_THREAD_CPUTIME_ID) - own;
        wall = seconds_of(CLOCK_MONOTONIC) - wall;
        if (k == 0) continue;
        seconds.push_back(wall);
        cpu = std::min(cpu, own);
    }
    std::sort(seconds.begin(), seconds.end());
    Times times = {seconds[seconds.size() / 2], cpu, mean_error(*body) / before};
    delete body;
    return times;
}

int main(int argc, char** argv) {
    Cloth cloth;
    int repeats = argc == 3 ? std::atoi(argv[2]) : 0;
    if (repeats < 1 || !read_cloth(argv[1], cloth)) {
        std::fprintf(stderr, "usage: peer_bullet FILE REPEATS\n");
        return 2;
    }
    Times plain = measure(cloth, false, repeats), reordered = measure(cloth, true, repeats);
    const Times& best = plain.cpu < reordered.cpu ? plain : reordered;
    std::printf("seconds %.9g\ncpu %.9g\nerror %.9g\n", best.seconds, best.cpu, best.error);
    std::printf("note links %s\n",
                &best == &plain ? "in the order of the mesh" : "reordered by Bullet");
    return 0;
}
