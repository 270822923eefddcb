      program doacross
      integer i, a(0:10)
      a = 0
!$omp parallel
!$omp do ordered(1)
      do i = 1, 10
!$omp ordered depend(sink: i - 1)
        a(i) = a(i - 1) + i
!$omp ordered depend(source)
      end do
!$omp end do
!$omp end parallel
      print *, a(10)
      end
