! count: perf before_sections 2*T
! count: perf section_event 5
! count: perf section_event_end 5
      program sect
      integer p, q, r
      p = 0
      q = 0
      r = 0
!$omp parallel
!$omp sections
      p = 1
!$omp section
      q = 2
!$omp section
!$omp end sections
!$omp sections lastprivate(r)
!$omp section
      r = 1
!$omp section
      r = 3
!$omp end sections
!$omp end parallel
      print *, p, q, r
      end
