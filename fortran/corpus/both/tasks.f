! count: perf before_task 11
! count: perf task_event 11
! count: perf before_taskwait 1
! count: perf before_taskgroup 1
      program tsk
      integer i, x
      x = 0
!$omp parallel num_threads(2)
!$omp single
      do i = 1, 10
!$omp task untied shared(x) firstprivate(i) default(none)
!$omp critical
      x = x + i
!$omp end critical
!$omp end task
      end do
!$omp taskwait
!$omp taskgroup
!$omp task if(x > 1000) shared(x)
      x = x + 1
!$omp end task
!$omp end taskgroup
!$omp end single
!$omp end parallel
      print *, x
      end
