! Lines that are there for OpenMP alone.
program cond
  !$ use omp_lib
  integer :: n
  n = 1
  !$ n = min(omp_get_max_threads(), 1)
  !$ call check(n)
  !$ if (n == 1) call check(n)
  print *, n
contains
  subroutine check(k)
    integer :: k
    k = k + 0
  end subroutine check
end program cond
