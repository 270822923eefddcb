! count: perf thread_private 1
      program inc
      implicit none
      include 'common.inc'
      integer s
      s = 0
      w = 2
!$omp parallel copyin(/wk/)
      w = w + 1
!$omp atomic
      s = s + w
!$omp end parallel
      print *, mod(s, 3)
      end
