      program loopdir
      integer i, a(8)
!$omp parallel
!$omp loop
      do i = 1, 8
        a(i) = i
      end do
!$omp end loop
!$omp end parallel
      print *, sum(a)
      end
