! count: perf before_io 3
! count: perf before_omp_loop T
! count: d2 omp_iter 3
program several
  integer :: i, s(3)
  !$omp parallel do
  do i = 1, 3; s(i) = i; end do; print *, s; if (s(1) == 1) print *, 'one'; s = 0
  print *, sum(s) ! done
end program several
