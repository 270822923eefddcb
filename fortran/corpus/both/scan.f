! count: perf before_omp_loop 2*T
! count: d2 omp_iter 0
      program sc
      integer i, x, y, a(10), b(10), c(10)
      x = 0
      y = 0
      a = 1
!$omp parallel do reduction(inscan,+:x)
      do i = 1, 10
        x = x + a(i)
!$omp scan inclusive(x)
        b(i) = x
      end do
!$omp parallel
!$omp do reduction(inscan,+:y)
      do i = 1, 10
        c(i) = y
!$omp scan exclusive(y)
        y = y + b(i)
      end do
!$omp end do
!$omp end parallel
      print *, b, c, x, y
      end
