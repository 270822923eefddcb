! Functions that nothing but their type declares, used inside of loops; a variable of the same name in
! another unit; a function's result that is reduced.
! count: d3if1 s_if_iter 7
! count: d3if2 s_if_iter 7
      program typed_external
      implicit none
      integer twice, i, j, n
      external shown
      n = 0
      do i = 1, 3
        n = n + twice(i)
      end do
      call shown(n, twice)
      print *, summed(4)
      contains
      integer function summed(n)
      integer n, i
      summed = 0
      do i = 1, 1
!$omp parallel do reduction(+:summed)
        do j = 1, n
          summed = summed + j
        end do
      end do
      end function
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
