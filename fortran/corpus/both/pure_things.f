! count: perf func_begin 1
      module m
      contains
      pure integer function p(n)
      integer, intent(in) :: n
      integer i
      p = 0
      do i = 1, n
        p = p + i
      end do
      end function p
      elemental subroutine e(x)
      real, intent(inout) :: x
      x = x + 1
      end subroutine e
      subroutine s(a)
      real, intent(inout) :: a(:)
      integer i
      do concurrent (i = 1:size(a))
        a(i) = a(i) + p(i)
      end do
      end subroutine s
      end module m
      program pt
      use m
      real a(3)
      a = 0
      call e(a)
      call s(a)
      print *, sum(a)
      end program pt
