! Functions that nothing but their type declares, used inside of loops; a variable of the same name in
! another unit.
! count: d3if1 s_if_iter 6
! count: d3if2 s_if_iter 6
      program typed_external
      implicit none
      integer twice, i, n
      external shown
      n = 0
      do i = 1, 3
        n = n + twice(i)
      end do
      call shown(n, twice)
      end
      integer function twice(k)
      integer k
      twice = 2 * k
      end
      subroutine shown(n, f)
      implicit none
      integer n, f, twice, j
      external f
      twice = 0
      do 10 j = 1, 3
        twice = twice + f(j)
   10 continue
      print *, n, twice
      end
