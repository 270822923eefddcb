! count: perf before_parallel 1
! count: perf before_critical 2*T
      program sp
      integer scope, n, m
      scope = 3
      n = 0
      m = 0
!$omp parallel
!$omp scope private(scope) reduction(+:n)
      scope = 1
      n = n + scope
!$omp end scope nowait
!$omp scope
!$omp critical (scope)
      m = max(m, 2)
!$omp end critical (scope)
!$omp end scope
!$omp critical
      m = max(m, 5)
!$omp end critical
!$omp end parallel
      if (n .gt. 0) n = 1
      print *, scope, n, m
      end
