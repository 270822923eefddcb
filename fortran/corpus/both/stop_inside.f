! count: perf finalize 1
      program stopped
      print *, 'before'
!$omp parallel
!$omp single
      stop
!$omp end single
!$omp end parallel
      print *, 'never'
      end
