! count: perf cancel_event 0
      program can
      integer i, n
      n = 0
!$omp parallel
!$omp do
      do i = 1, 8
        if (n > 100) then
!$omp cancel do
        end if
!$omp cancellation point do
!$omp atomic
        n = n + 1
      end do
!$omp end do
!$omp end parallel
      print *, n
      end
