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
  call directives
contains
  ! One thread: how often bounds of a directive are worked out is the compiler's, and must stay so.
  subroutine directives
    integer :: x(10), j
    x = 0
    calls = 0
    !$omp parallel do num_threads(limit(1))
    do i = 1, limit(10)
       x(i) = i
    end do
    !$omp end parallel do
    !$omp parallel num_threads(1)
    !$omp do schedule(dynamic, limit(2))
    do i = 1, 10
       x(i) = x(i) + i
    end do
    !$omp end do
    !$omp do schedule(static, limit(3))
    do i = limit(1), 10, limit(2)
       x(i) = x(i) + i
    end do
    !$omp end do
    !$omp do ordered(2) private(j)
    do i = 1, 2
       do j = limit(1), limit(3)
          !$omp ordered depend(sink: i - 1, j)
          x(j) = x(j) + 1
          !$omp ordered depend(source)
       end do
    end do
    !$omp end do
    !$omp end parallel
    print *, sum(x), calls
  end subroutine directives
  integer function limit(k)
    integer, intent(in) :: k
    calls = calls + 1
    limit = k
  end function limit
end program bounds
