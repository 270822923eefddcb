! count: perf before_omp_loop T
! count: perf before_barrier 2*T
      program orphan
      integer a(12)
!$omp parallel
      call fill(a, 12)
!$omp end parallel
      print *, sum(a)
      end
      subroutine fill(a, n)
      integer n, a(n), i
!$omp do schedule(static, 1)
      do i = 1, n
        a(i) = i
      end do
!$omp barrier
      end
