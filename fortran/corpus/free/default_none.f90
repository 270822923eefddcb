! What a combined directive need not list must be listed once it is taken apart.
program none
  integer, parameter :: limit = 8
  integer :: i, j, n, m, x(8), y(2,3)
  n = 2; m = 8
  !$omp parallel do default(none) shared(x) schedule(dynamic, n)
  do i = 1, m
     x(i) = i
  end do
  !$omp parallel do default(none) shared(x) if(n > 1) num_threads(n)
  do i = 1, limit
     x(i) = x(i) + 1
  end do
  !$omp parallel do default(none) shared(y) collapse(2)
  do i = 1, n
     do j = 1, size(x, 1) - 5
        y(i, j) = i
     end do
  end do
  print *, sum(x), sum(y)
end program none
