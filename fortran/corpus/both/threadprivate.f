! count: perf thread_private 1
      program tp
      integer w, v, n
      common /wk/ w
      save v
!$omp threadprivate(/wk/, v)
      w = 5
      v = 1
      n = 0
!$omp parallel copyin(/wk/, v)
!$omp atomic
      n = n + w * v
!$omp end parallel
      print *, mod(n, 5)
      end
