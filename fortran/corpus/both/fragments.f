! count: perf before_parallel 1
      program fragments
      integer n
      n = 0
!DVM$ DEBUG 1 (D=0)
!$omp parallel num_threads(1)
      n = n + 1
!$omp end parallel
!DVM$ ENDDEBUG 1
!$omp parallel num_threads(1)
      n = n + 1
!$omp end parallel
      print *, n
      end
