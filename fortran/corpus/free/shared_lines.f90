! count: perf func_begin 3
! count: perf before_func_call 3
! count: d3 write_var_begin 6
! Heads, declarations and first statements of units on the same lines.
program shared_lines; implicit none; integer :: i
  integer :: k = 3
  i = 0; call up(i); call nothing
  print *, i, k
contains
  subroutine up(i); integer :: i; i = i + 1; call assigned; end subroutine
  subroutine nothing; end
  subroutine assigned
    integer :: j; j = 0
    !$omp parallel do
    do i = 1, 3; j = max(j, i); end do
    print *, j > 0
  end subroutine
end
