! count: perf ordered_event 6
      program ordered
      integer i
!$omp parallel private(i)
!$omp do ordered schedule(dynamic)
      do i = 1, 6
!$omp ordered
        print *, i
!$omp end ordered
      end do
!$omp end do
!$omp end parallel
      end
