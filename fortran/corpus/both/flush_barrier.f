! count: perf before_barrier 2*T
! count: perf flush_event 2*T
      program fb
      integer n, m
      n = 0
      m = 0
!$omp parallel
!$omp barrier
!$omp flush
!$omp flush (n, m)
!$omp barrier
!$omp end parallel
      print *, n
      end
