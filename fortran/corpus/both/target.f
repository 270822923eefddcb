! count: perf before_target 2
! count: perf before_teams 1
      program tgt
      integer i, a(10)
      a = 1
!$omp target map(tofrom: a)
      do i = 1, 10
        a(i) = a(i) + 1
      end do
!$omp end target
!$omp target teams distribute parallel do map(tofrom: a)
      do i = 1, 10
        a(i) = a(i) + 1
      end do
!$omp end target teams distribute parallel do
!$omp teams num_teams(1)
      a(1) = 0
!$omp end teams
      print *, sum(a)
      end
