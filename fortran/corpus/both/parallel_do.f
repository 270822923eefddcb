! count: perf before_parallel 2
! count: perf before_omp_loop T+2
! count: perf before_barrier 0
      program pdo
      integer i, n, m, s
      real a(100)
      n = 100
      m = 3
      s = 0
!$omp parallel do default(none) shared(a) schedule(guided, m)
      do i = 1, n
        a(i) = i
      end do
!$omp parallel do reduction(+: s) private(m) num_threads(2)
      do i = 1, n, 3
        m = int(a(i))
        s = s + m
      end do
!$omp end parallel do
      print *, s
      end
