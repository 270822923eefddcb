! count: perf before_parallel 2
! count: perf master_begin 2
! count: perf before_taskloop 1
C A name may go on on the next card, and needs no blanks.
      PROGRAM MC
      INTEGER I, N, A(10)
      N = 0
C$OMP PARALLEL MAST
C$OMP+ER SHARED(N)
      N = N + 1
C$OMP END PARALLELMASTER
*$omp parallel
c a comment in between
*$omp1 master task
*$omp2loop shared(a)
      DO 10 I = 1, 10
        A(I) = I
   10 CONTINUE
!$OMP ENDPARALLELMASTERTASKLOOP
      PRINT *, N, SUM(A)
      END
