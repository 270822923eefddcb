! Functions, intrinsics and dummy procedures that nothing but their type declares, if anything, used inside
! of loops; a variable of the same name in another unit; a function's result that is reduced.
! count: d3if1 s_if_iter 9
! count: d3if2 s_if_iter 9
      program typed_external
      implicit none
      integer twice, i, j, n
      external shown, act
      n = 0
      do i = 1, 3
        n = n + twice(i)
      end do
      call shown(n, twice)
      print *, summed(4)
      call typed(n, act)
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

      subroutine typed(n, act)
      implicit none
      integer n, j
      double precision dabs, x, dsqrt
      intrinsic dsqrt
      x = -16
      do j = 1, 2
        x = dsqrt(dabs(x))
        call act(n, j)
      end do
      print *, n, nint(x)
      end
      subroutine act(n, j)
      integer n, j
      n = n + j
      end
