! count: d3 omp_iter 16
! count: d3 write_arr_end 8
      program dpar
      implicit none
      integer i, n, s
      integer, allocatable :: a(:)
      n = 8
      s = 0
      allocate (a(n))
!$omp parallel do default(none) shared(a, n)
      do i = 1, n
        a(i) = i * n
      end do
!$omp parallel do reduction(+: s)
      do i = 1, n
        s = s + a(i)
      end do
      deallocate (a)
      print *, s
      end
