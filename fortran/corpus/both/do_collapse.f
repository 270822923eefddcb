! count: d2 omp_iter 12
! count: perf before_omp_loop T
      program collapse
      integer i, j, a(3, 4)
!$omp parallel do collapse(2) default(shared)
      do i = 1, 3
        do j = 1, 4
          a(i, j) = i * j
        end do
      end do
!$omp end parallel do
      print *, sum(a)
      end
