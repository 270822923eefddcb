      subroutine heads(a,
     1               b, n)
      implicit
     2none
      integer n
      real a(n),
     3     b(n)
      integer i
!$omp parallel do
      do i = 1, n
        a(i) = b(i)
      end do
      end
      program h
      real x(3), y(3)
      y = 2
      call heads(x,
     x           y, 3)
      print *, sum(x)
      end
