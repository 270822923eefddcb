! count: perf before_parallel 1
! Directives that are told nothing of and that Flang does not know.
module left_out_m
contains
  subroutine special(n)
    integer :: n
    n = n + 100
  end subroutine
  subroutine plain(n)
    integer :: n
    !$omp declare variant(special) &
    !$omp   match(construct={parallel})
    n = n + 1
  end subroutine
end module
program left_out
  use left_out_m
  integer :: n
  n = 0
  !$omp nothing
  !$omp parallel num_threads(2)
  !$omp nothing
  !$omp single
  call plain(n)
  !$omp end single
  !$omp end parallel
  call plain(n)
  if (n > 1000) then
    !$omp error at(execution) severity(warning) message("too many")
    n = 0
  end if
  print *, n
end program
