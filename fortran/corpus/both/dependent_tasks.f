! count: perf before_task 3
! count: perf task_event_end 3
      program deps
      integer x, y
      x = 1
      y = 0
!$omp parallel
!$omp single
!$omp task depend(out: x) shared(x)
      x = 2
!$omp end task
!$omp task depend(in: x) shared(x, y) default(none)
      y = x + 1
!$omp end task
!$omp task depend(inout: x) shared(x) if(.false.)
      x = x * 5
!$omp end task
!$omp taskwait
!$omp taskyield
!$omp end single
!$omp end parallel
      print *, x, y
      end
