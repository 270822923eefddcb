! count: perf func_begin 3
! Declarations and first statements on the same cards.
      program cards
      integer i; i = 0
!$omp parallel do
      do i = 1, 3
      call show(i)
      end do
      print *, i
      end
      subroutine show(k); integer k; if (k .gt. 3) print *, k
      end
