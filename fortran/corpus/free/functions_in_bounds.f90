! count: d2 beg_sl 1
! A bound that calls a function is not evaluated twice.
program bounds
  integer :: i, calls, n
  calls = 0
  n = 0
  do i = 1, limit(3)
     n = n + i
  end do
  do i = 1, max(2, n)
     n = n + 1
  end do
  print *, n, calls
contains
  integer function limit(k)
    integer, intent(in) :: k
    calls = calls + 1
    limit = k
  end function limit
end program bounds
