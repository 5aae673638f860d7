#pragma once
#include <cblas.h>

/* LAPACK's solver for symmetric positive definite matrices, which OpenBLAS carries without a C header. */
void dposv_(const char *uplo, const blasint *order, const blasint *columns, double *matrix,
            const blasint *matrixStride, double *solution, const blasint *solutionStride, blasint *info);
