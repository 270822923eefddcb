      program rec
      integer fib
      external fib
      integer r
!$omp parallel
!$omp single
      r = fib(7)
!$omp end single
!$omp end parallel
      print *, r
      end
      recursive integer function fib(n) result(r)
      integer, intent(in) :: n
      integer a, b
      if (n < 2) then
        r = n
        return
      end if
!$omp task shared(a)
      a = fib(n - 1)
!$omp end task
!$omp task shared(b)
      b = fib(n - 2)
!$omp end task
!$omp taskwait
      r = a + b
      end
