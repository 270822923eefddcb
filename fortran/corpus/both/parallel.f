! count: perf before_parallel 1
! count: perf parallel_event T
! count: perf parallel_event_end T
      program parallel
      integer n
      n = 0
!$omp parallel
!$omp atomic
      n = n + 1
!$omp end parallel
      print *, n > 0
      end program parallel
