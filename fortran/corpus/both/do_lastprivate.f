      program last
      integer i, x, y
      x = 3
      y = 1
!$omp parallel do firstprivate(x, y) lastprivate(x) schedule(static, 2) &
!$omp& default(none)
      do i = 1, 9
        x = i + y
      end do
      print *, x, y
      end
