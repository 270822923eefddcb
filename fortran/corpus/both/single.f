! count: perf before_single 3*T
! count: perf single_event 3
! count: perf before_barrier 2*T
      program sing
      integer x, y
      y = 0
!$omp parallel private(x)
!$omp single
      y = y + 1
!$omp end single
!$omp single
      x = 7
!$omp end single copyprivate(x)
      if (x .ne. 7) stop 1
!$omp barrier
!$omp single
      y = y + 1
!$omp end single nowait
!$omp end parallel
      print *, y
      end
