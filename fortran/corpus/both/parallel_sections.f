! count: perf before_parallel 1
! count: perf section_event 2
      program psect
      integer p, q
!$omp parallel sections num_threads(2) lastprivate(q)
      p = 1
!$omp section
      q = 2
!$omp end parallel sections
      print *, p + q
      end
