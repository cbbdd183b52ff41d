// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// mpirun -n 2 peer_slepc FILE COUNT SIGMA [SLEPc options]: the COUNT lowest modes by SLEPc's
// Krylov-Schur method, shift and invert around -SIGMA, the factor of K + SIGMA M by MUMPS unless
// options say otherwise. Prints what peer_arpack prints, and has its tolerance.
#include "peer.h"
#include "petsc_matrix.h"

#include <math.h>
#include <slepceps.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static PetscErrorCode make_mass(const system_rows* s, Mat K, Mat* out) {
    PetscFunctionBeginUser;
    PetscInt rows, first, local;
    PetscCall(MatGetSize(K, &rows, NULL));
    PetscCall(MatGetLocalSize(K, &local, NULL));
    PetscCall(MatGetOwnershipRange(K, &first, NULL));
    PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, local, local, rows, rows, 1, NULL, 0, NULL, out));
    for (PetscInt i = 0; i < local; i++)
        PetscCall(MatSetValue(*out, first + i, first + i, s->rhs[i], INSERT_VALUES));
    PetscCall(MatAssemblyBegin(*out, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*out, MAT_FINAL_ASSEMBLY));
    PetscCall(MatSetOption(*out, MAT_SPD, PETSC_TRUE));
    PetscFunctionReturn(0);
}

static PetscErrorCode make_solver(Mat K, Mat M, PetscInt count, double sigma, EPS* out) {
    PetscFunctionBeginUser;
    EPS eps;
    ST transform;
    KSP solver;
    PC factor;
    PetscCall(EPSCreate(PETSC_COMM_WORLD, &eps));
    PetscCall(EPSSetOperators(eps, K, M));
    PetscCall(EPSSetProblemType(eps, EPS_GHEP));
    PetscCall(EPSSetType(eps, EPSKRYLOVSCHUR));
    PetscCall(EPSSetDimensions(eps, count, PETSC_DEFAULT, PETSC_DEFAULT));
    PetscCall(EPSSetTolerances(eps, 1e-6, PETSC_DEFAULT));
    PetscCall(EPSSetWhichEigenpairs(eps, EPS_TARGET_MAGNITUDE));
    PetscCall(EPSSetTarget(eps, -sigma));
    PetscCall(EPSGetST(eps, &transform));
    PetscCall(STSetType(transform, STSINVERT));
    PetscCall(STSetMatStructure(transform, SUBSET_NONZERO_PATTERN));
    PetscCall(STGetKSP(transform, &solver));
    PetscCall(KSPSetType(solver, KSPPREONLY));
    PetscCall(KSPGetPC(solver, &factor));
    PetscCall(PCSetType(factor, PCCHOLESKY));
    PetscCall(PCFactorSetMatSolverType(factor, MATSOLVERMUMPS));
    PetscCall(EPSSetFromOptions(eps));
    *out = eps;
    PetscFunctionReturn(0);
}

// |K u - lambda M u| / |K u|
static PetscErrorCode find_residual(Mat K, Mat M, double lambda, Vec u, Vec Ku, Vec Mu,
                                    double* out) {
    PetscFunctionBeginUser;
    PetscReal top, bottom;
    PetscCall(MatMult(K, u, Ku));
    PetscCall(MatMult(M, u, Mu));
    PetscCall(VecNorm(Ku, NORM_2, &bottom));
    PetscCall(VecAXPY(Ku, -lambda, Mu));
    PetscCall(VecNorm(Ku, NORM_2, &top));
    *out = top / bottom;
    PetscFunctionReturn(0);
}

static PetscErrorCode report(EPS eps, Mat K, Mat M, PetscInt count, double sigma, int rank) {
    PetscFunctionBeginUser;
    double lowest = INFINITY, highest = 0.0, largest = 0.0;
    Vec u, Ku, Mu;
    PetscCall(MatCreateVecs(K, &u, &Ku));
    PetscCall(VecDuplicate(Ku, &Mu));
    for (PetscInt k = 0; k < count; k++) {
        PetscScalar lambda;
        double residual = 0.0;
        PetscCall(EPSGetEigenpair(eps, k, &lambda, NULL, u, NULL));
        highest = fmax(highest, lambda);
        if (lambda < 1e-3 * sigma) continue; // rigid
        lowest = fmin(lowest, lambda);
        PetscCall(find_residual(K, M, lambda, u, Ku, Mu, &residual));
        largest = fmax(largest, residual);
    }
    PetscCall(VecDestroy(&u));
    PetscCall(VecDestroy(&Ku));
    PetscCall(VecDestroy(&Mu));
    if (rank == 0) {
        peer_result("residual", largest);
        peer_result("lowest", lowest);
        peer_result("highest", highest);
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode measure(Mat K, Mat M, PetscInt count, double sigma, int rank) {
    PetscFunctionBeginUser;
    EPS eps;
    PetscInt found;
    clock_t cpu_start = clock();
    double own[2], sum[2], start = peer_seconds();
    PetscCall(make_solver(K, M, count, sigma, &eps));
    PetscCall(EPSSolve(eps));
    PetscCall(EPSGetConverged(eps, &found));
    PetscCheck(found >= count, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED, "too few modes");
    MPI_Barrier(PETSC_COMM_WORLD);
    double total = peer_seconds() - start;
    own[0] = (double)(clock() - cpu_start) / CLOCKS_PER_SEC;
    own[1] = peer_peak();
    MPI_Reduce(own, sum, 2, MPI_DOUBLE, MPI_SUM, 0, PETSC_COMM_WORLD);
    if (rank == 0) {
        peer_result("total", total);
        peer_result("cpu", sum[0]);
        peer_result("peak", sum[1]);
        peer_note_blas();
    }
    PetscCall(report(eps, K, M, count, sigma, rank));
    PetscCall(EPSDestroy(&eps));
    PetscFunctionReturn(0);
}

int main(int argc, char** argv) {
    int rank, ranks;
    Mat K, M;
    system_rows s;
    PetscCall(SlepcInitialize(&argc, &argv, NULL, NULL));
    PetscCheck(argc >= 4, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
               "usage: peer_slepc FILE COUNT SIGMA [SLEPc options]");
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
    PetscCheck(system_file_read(argv[1], rank, ranks, &s), PETSC_COMM_SELF, PETSC_ERR_FILE_READ,
               "%s cannot be read", argv[1]);
    PetscCall(petsc_matrix_create(&s, &K));
    // free bodies are only semidefinite
    PetscCall(MatSetOption(K, MAT_SPD, PETSC_FALSE));
    PetscCall(MatSetOption(K, MAT_SYMMETRIC, PETSC_TRUE));
    PetscCall(make_mass(&s, K, &M));
    system_rows_free(&s);
    peer_reset_peak();
    PetscCall(measure(K, M, atoi(argv[2]), atof(argv[3]), rank));
    PetscCall(MatDestroy(&K));
    PetscCall(MatDestroy(&M));
    PetscCall(SlepcFinalize());
    return 0;
}
