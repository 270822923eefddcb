! count: d2 omp_iter 0
! count: perf init 1
! count: perf finalize 1
      program smd
      integer i
      real a(16)
!$omp simd
      do i = 1, 16
        a(i) = i
      end do
!$omp end simd
      print *, sum(a)
      end
