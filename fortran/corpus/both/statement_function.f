      program sf
      integer i
      real f, x, a(3)
      f(x) = x * x + 1.
      a(1) = 0.
!$omp parallel do
      do i = 1, 3
        a(i) = f(real(i))
      end do
      print *, sum(a)
      call other
      end
      subroutine other
      integer k(2), i
      data i /2/
      k(i) = 3
      i = 1
      k(i) = 4
      print *, k(1)
      end
