! count: perf before_omp_loop 3*T
! count: d2 parallel_event 3*T
! count: d2 omp_iter 0
! No call may stand where iterations come in any order: loops have events around them alone.
      program concurrent_order
      implicit none
      integer :: a(10), i
      a = 0
!$omp parallel do order(concurrent)
      do i = 1, 10
         a(i) = a(i) + i
      end do
!$omp parallel do order(concurrent)
      do i = 1, 10
         call add(a(i))
      end do
!$omp parallel
!$omp do order(concurrent)
      do i = 1, 10
         a(i) = a(i) * 2
      end do
!$omp end do
!$omp end parallel
      print *, a
      contains
      pure subroutine add(x)
      integer, intent(inout) :: x
      x = x + 1
      end subroutine add
      end program concurrent_order
