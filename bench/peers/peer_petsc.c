// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// mpirun -n 2 peer_petsc FILE REPEATS [PETSc options]: PETSc's CG with the preconditioner of the
// options (GAMG, hypre BoomerAMG, ...). The rigid motions go along as near-nullspace where blocks
// are 3 x 3. Every repeat changes the values, so that each builds what depends on them anew.
//
// Mixed systems (4 x 4) are solved by flexible GMRES. With -pc_type fieldsplit their fields are 0,
// displacements with the rigid motions, and 1, pressures. -pc_fieldsplit_schur_precondition user
// takes -(B + MASS M) for the Schur complement, B being the block of the pressures, M their mass
// over the shear modulus, and MASS the option -mass (1).
#include "../system_file.h"
#include "peer.h"
#include "petsc_fields.h"
#include "petsc_matrix.h"

#include <math.h>
#include <petscksp.h>
#include <stdio.h>

typedef struct problem {
    Mat A;
    Vec b[64], x[64], r;
    int rhs_count;
    KSP solver;
    petsc_fields fields;
} problem;

static PetscErrorCode make_vectors(const system_rows* s, problem* p) {
    PetscFunctionBeginUser;
    int count = s->header.rhs_count, n = s->header.block * s->count;
    PetscCall(MatCreateVecs(p->A, NULL, &p->r));
    for (int k = 0; k < count; k++) {
        PetscScalar* values;
        PetscCall(VecDuplicate(p->r, &p->b[k]));
        PetscCall(VecDuplicate(p->r, &p->x[k]));
        PetscCall(VecGetArray(p->b[k], &values));
        for (int i = 0; i < n; i++) values[i] = s->rhs[(size_t)count * (size_t)i + (size_t)k];
        PetscCall(VecRestoreArray(p->b[k], &values));
    }
    p->rhs_count = count;
    PetscFunctionReturn(0);
}

static PetscErrorCode make_solver(const system_rows* s, problem* p) {
    PetscFunctionBeginUser;
    int block = s->header.block;
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &p->solver));
    PetscCall(KSPSetType(p->solver, block == 4 ? KSPFGMRES : KSPCG));
    PetscCall(KSPSetNormType(p->solver, KSP_NORM_UNPRECONDITIONED));
    PetscCall(KSPSetTolerances(p->solver, 1e-3, PETSC_DEFAULT, PETSC_DEFAULT, 10000));
    PetscCall(KSPSetOperators(p->solver, p->A, p->A));
    PetscCall(KSPSetFromOptions(p->solver));
    if (block == 4) PetscCall(petsc_fields_give(s, p->A, p->solver, &p->fields));
    PetscFunctionReturn(0);
}

static PetscErrorCode solve(problem* p, int* iterations) {
    PetscFunctionBeginUser;
    *iterations = 0;
    for (int k = 0; k < p->rhs_count; k++) {
        PetscInt count;
        KSPConvergedReason reason;
        PetscCall(VecSet(p->x[k], 0.0));
        PetscCall(KSPSolve(p->solver, p->b[k], p->x[k]));
        PetscCall(KSPGetConvergedReason(p->solver, &reason));
        PetscCheck(reason > 0, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED, "not converged: %s",
                   KSPConvergedReasons[reason]);
        PetscCall(KSPGetIterationNumber(p->solver, &count));
        if (count > *iterations) *iterations = (int)count;
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode find_residual(problem* p, double* residual) {
    PetscFunctionBeginUser;
    *residual = 0.0;
    for (int k = 0; k < p->rhs_count; k++) {
        PetscReal top, bottom;
        PetscCall(MatMult(p->A, p->x[k], p->r));
        PetscCall(VecAYPX(p->r, -1.0, p->b[k]));
        PetscCall(VecNorm(p->r, NORM_2, &top));
        PetscCall(VecNorm(p->b[k], NORM_2, &bottom));
        *residual = fmax(*residual, top / bottom);
    }
    PetscFunctionReturn(0);
}

static double synchronous_seconds(void) {
    MPI_Barrier(PETSC_COMM_WORLD);
    return peer_seconds();
}

static PetscErrorCode measure(problem* p, int repeats, int rank) {
    PetscFunctionBeginUser;
    double update[PEER_MAX_REPEATS], solving[PEER_MAX_REPEATS], total[PEER_MAX_REPEATS];
    double cpu[PEER_MAX_REPEATS], sums[2];
    double residual, start = synchronous_seconds();
    int iterations;
    PetscCall(KSPSetUp(p->solver));
    double setup = synchronous_seconds() - start;
    PetscCall(solve(p, &iterations));
    for (int k = 0; k < repeats; k++) {
        // twice the matrix and back: new values for PETSc, the same system but for a factor
        PetscCall(MatScale(p->A, k % 2 ? 0.5 : 2.0));
        if (p->fields.schur) PetscCall(MatScale(p->fields.schur, k % 2 ? 0.5 : 2.0));
        PetscCall(KSPSetOperators(p->solver, p->A, p->A));
        double used = peer_cpu_seconds();
        start = synchronous_seconds();
        PetscCall(KSPSetUp(p->solver));
        double middle = synchronous_seconds();
        PetscCall(solve(p, &iterations));
        double end = synchronous_seconds();
        update[k] = middle - start;
        solving[k] = end - middle;
        total[k] = end - start;
        cpu[k] = peer_cpu_seconds() - used;
    }
    const double own[2] = {peer_peak(), peer_median(cpu, repeats)};
    MPI_Reduce(own, sums, 2, MPI_DOUBLE, MPI_SUM, 0, PETSC_COMM_WORLD);
    PetscCall(find_residual(p, &residual));
    if (rank == 0) {
        peer_result("setup", setup);
        peer_result("update", peer_median(update, repeats));
        peer_result("solve", peer_median(solving, repeats));
        peer_result("total", peer_median(total, repeats));
        peer_result("iterations", iterations);
        peer_result("residual", residual);
        peer_result("peak", sums[0]);
        peer_result("cpu", sums[1]);
        peer_note_blas();
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode prepare(const char* path, int rank, int ranks, problem* p) {
    PetscFunctionBeginUser;
    system_rows s;
    PetscCheck(system_file_read(path, rank, ranks, &s), PETSC_COMM_SELF, PETSC_ERR_FILE_READ,
               "%s cannot be read", path);
    PetscCall(petsc_matrix_create(&s, &p->A));
    if (s.header.block == 3) {
        MatNullSpace motions;
        PetscCall(petsc_rigid_motions(&s, &motions));
        PetscCall(MatSetNearNullSpace(p->A, motions));
        PetscCall(MatNullSpaceDestroy(&motions));
    }
    PetscCall(make_vectors(&s, p));
    PetscCall(make_solver(&s, p));
    system_rows_free(&s);
    PetscFunctionReturn(0);
}

int main(int argc, char** argv) {
    int rank, ranks;
    problem p = {0};
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCheck(argc >= 3, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
               "usage: peer_petsc FILE REPEATS [PETSc options]");
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
    PetscCall(prepare(argv[1], rank, ranks, &p));
    peer_reset_peak();
    PetscCall(measure(&p, peer_repeats(argv[2]), rank));
    PetscCall(KSPDestroy(&p.solver));
    PetscCall(MatDestroy(&p.fields.schur));
    for (int k = 0; k < p.rhs_count; k++) {
        PetscCall(VecDestroy(&p.b[k]));
        PetscCall(VecDestroy(&p.x[k]));
    }
    PetscCall(VecDestroy(&p.r));
    PetscCall(MatDestroy(&p.A));
    PetscCall(PetscFinalize());
    return 0;
}
