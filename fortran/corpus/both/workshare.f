! count: perf before_workshare 2*T
! count: perf before_func_call 0
      program work
      real a(10), b(10)
      integer i
      a = 1
!$omp parallel shared(a, b)
!$omp workshare
      b = a + 1
      where (b > 1) a = 3
      forall (i = 1:10) b(i) = b(i) + i
!$omp end workshare
!$omp end parallel
!$omp parallel workshare
      a = a + b
!$omp end parallel workshare
      print *, sum(a)
      end
