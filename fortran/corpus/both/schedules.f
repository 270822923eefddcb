! count: d2 omp_iter 5*10
      program schedules
      integer i, k(10), n
      k = 0
      n = 2
!$omp parallel
!$omp do schedule(static, n + 1)
      do i = 1, 10
        k(i) = k(i) + 1
      end do
!$omp do schedule(monotonic: dynamic)
      do i = 10, 1, -1
        k(i) = k(i) + 1
      end do
!$omp do schedule(auto)
      do i = 1, 10
        k(i) = k(i) + 1
      end do
!$omp do schedule(runtime)
      do i = 1, 10
        k(i) = k(i) + 1
      end do
!$omp do schedule(guided)
      do i = 1, 10
        k(i) = k(i) + 1
      end do
!$omp end parallel
      print *, k
      end
