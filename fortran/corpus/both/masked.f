! count: perf master_begin 2
      program msk
      integer n
      n = 0
!$omp parallel
!$omp masked
      n = n + 1
!$omp end masked
!$omp end parallel
!$omp parallel masked
      n = n + 1
!$omp end parallel masked
      print *, n
      end
