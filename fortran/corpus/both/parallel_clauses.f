! count: perf before_parallel 3
      program clauses
      integer n, k, evaluated
      common /count/ evaluated
      integer threads
      logical condition
      external threads, condition
      n = 5
      k = 0
      evaluated = 0
!$omp parallel if(condition(n)) num_threads(threads(2))                 &
!$omp& default(none) shared(k) firstprivate(n)
!$omp critical
      k = k + n
!$omp end critical
!$omp end parallel
      print *, mod(k, 5), evaluated
!$omp parallel if (n .gt. 100), private(k), num_threads(3)
      k = 1
!$omp end parallel
!$omp parallel if (parallel: n > 2) reduction(max: n)
      n = max(n, 7)
!$omp end parallel
      print *, n
      end
      integer function threads(n)
      integer n, evaluated
      common /count/ evaluated
      evaluated = evaluated + 1
      threads = n
      end
      logical function condition(n)
      integer n, evaluated
      common /count/ evaluated
      evaluated = evaluated + 10
      condition = n .gt. 4
      end
