! count: d2 omp_iter 0
! count: perf before_omp_loop T
      program pdosimd
      integer i
      real a(64), s
      s = 0
!$omp parallel do simd reduction(+: s) safelen(8) private(i)
      do i = 1, 64
        a(i) = i
        s = s + a(i)
      end do
!$omp end parallel do simd
      print *, s
      end
