! Clauses alone on their lines, with comments between.
program cards
  integer :: n
  n = 2
  !$omp parallel & ! first
  !$omp   num_threads(n), &
  ! a comment line
  !$omp   if(n > 1), &

  !$omp   shared(n)
  !$omp single
  n = n + 1
  !$omp end single
  !$omp end parallel
  print *, n
end program cards
