! count: perf before_parallel 3
      program nest
      integer x
      x = 0
!$omp parallel num_threads(2)
!$omp parallel num_threads(2) shared(x)
!$omp barrier
!$omp critical
      x = x + 1
!$omp end critical
!$omp end parallel
!$omp end parallel
      print *, x > 1
      end
