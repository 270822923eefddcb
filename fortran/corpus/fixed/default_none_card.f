      program nones
      integer i
      real a(4)
!$omp parallel
!$omp& default(none)
!$omp& shared(a) private(i)
!$omp do
      do i = 1, 4
        a(i) = i
      end do
!$omp end do
!$omp end parallel
      print *, sum(a)
      end
