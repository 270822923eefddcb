! count: perf before_parallel 2
! count: perf master_begin 2
! count: perf before_taskloop 1
program ml
  integer :: i, n, a(10)
  n = 0
  !$OMP Parallel & ! master
  ! in between
  !$omp & Mas&
  !$omp &ter &
  !$omp shared(n)
  n = n + 1
  !$omp end &
  !$omp parallel master
  !$omp parallel master &
    !$omp & taskloop
  do i = 1, 10
    a(i) = i
  end do
  !$omp end parallel master taskloop
  print *, n, sum(a), '!$omp parallel master'
end program
