! Jacobi iteration on a square, with OpenMP. Prints the last change.
program jacobi
  implicit none
  integer, parameter :: n = 200, steps = 20
  real(8) :: a(n, n), b(n, n), change
  integer :: i, j, step
  a = 0
  a(1, :) = 1
  b = a
  do step = 1, steps
     change = 0
     !$omp parallel do private(i) reduction(max:change) schedule(static)
     do j = 2, n - 1
        do i = 2, n - 1
           b(i, j) = (a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1)) / 4
           change = max(change, abs(b(i, j) - a(i, j)))
        end do
     end do
     !$omp end parallel do
     !$omp parallel
     !$omp workshare
     a = b
     !$omp end workshare
     !$omp end parallel
  end do
  print '(f12.8)', change
end program jacobi
