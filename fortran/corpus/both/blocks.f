      program blocks
      implicit none
      type t
        real v(4)
      end type t
      type(t) o
      integer i, k
      o%v = 0
      k = 2
      associate (w => o%v)
!$omp parallel do
      do i = 1, 4
        w(i) = i
      end do
!$omp end parallel do
      end associate
      block
        integer j
!$omp parallel do
        do j = 1, 4
          o%v(j) = o%v(j) + 1
        end do
      end block
      select case (k)
      case (1)
        call bad
      case (2)
        print *, sum(o%v)
      end select
      contains
      subroutine bad
      print *, 'bad'
      end subroutine bad
      end program blocks
