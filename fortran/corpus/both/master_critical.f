! count: perf master_begin 1
! count: perf before_critical 2*T
! count: perf critical_event_end 2*T
      program mc
      integer n
      n = 0
!$omp parallel
!$omp master
      n = n + 100
!$omp end master
!$omp barrier
!$omp critical
      n = n + 1
!$omp end critical
!$omp critical (named)
      n = n - 1
!$omp end critical (named)
!$omp end parallel
      print *, n
      end
