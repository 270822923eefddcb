! count: perf before_omp_loop 3*T
! count: perf after_omp_loop 3*T
! count: perf before_barrier 2*T
! count: d2 omp_iter 24
      program loops
      integer i, n, a(8), s
      n = 8
      s = 0
!$omp parallel
!$omp do schedule(dynamic, n / 4)
      do i = 1, n
        a(i) = i
      end do
!$omp end do
!$omp do
      do i = n, 1, -1
        a(i) = a(i) + 1
      enddo
!$omp do schedule(static) reduction(+: s)
      do i = 1, n
        s = s + a(i)
      end do
!$omp end do nowait
!$omp end parallel
      print *, s
      end
