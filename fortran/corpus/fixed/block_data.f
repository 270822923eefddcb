      block data init
      integer k
      common /shared/ k
      data k /4/
      end
      program bd
      integer k
      common /shared/ k
!$omp parallel
!$omp single
      k = k + 1
!$omp end single
!$omp end parallel
      print *, k
      end
