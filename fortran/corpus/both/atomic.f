! count: perf before_atomic 4*T
      program at
      integer n, k
      n = 0
!$omp parallel private(k)
!$omp atomic
      n = n +                                                           &
     & 1
!$omp atomic update
      n = n - 1
!$omp end atomic
!$omp atomic read
      k = n
!$omp atomic capture
      n = n + 2
      k = n
!$omp end atomic
!$omp end parallel
      print *, n > 0
      end
