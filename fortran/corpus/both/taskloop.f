! count: perf before_taskloop 1
      program tl
      integer i, a(20)
!$omp parallel
!$omp single
!$omp taskloop grainsize(3) shared(a)
      do i = 1, 20
        a(i) = i
      end do
!$omp end taskloop
!$omp end single
!$omp end parallel
      print *, sum(a)
      end
