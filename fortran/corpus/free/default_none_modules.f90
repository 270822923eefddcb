! count: perf before_omp_loop 9*T
! count: d2 omp_iter 34
! What bounds name need not be a variable that a clause can list, and whoever reads the text need not know.
module limits
  implicit none
  integer, parameter :: fixed_limit = 4
  integer :: limit = 4
  integer :: own = 4
  !$omp threadprivate(own)
end module limits
program none_modules
  use limits
  use limits, only: renamed => limit
  implicit none
  integer :: a(10), b(3, 3), i, j, k
  a = 0
  k = 4
  !$omp parallel do default(none) shared(a)
  do i = 1, fixed_limit
     a(i) = a(i) + i
  end do
  !$omp parallel do default(none) shared(a)
  do i = 1, renamed
     a(i) = a(i) + i
  end do
  !$omp parallel do default(none) shared(a) schedule(static, fixed_limit)
  do i = 1, fixed_limit
     a(i) = a(i) + i
  end do
  ! The value that counts is that of the thread that comes here: its loop is left alone.
  !$omp parallel do default(none) shared(a)
  do i = 1, own
     a(i) = a(i) + i
  end do
  associate (m => k)
    !$omp parallel do default(none) shared(a)
    do i = 1, m
       a(i) = a(i) + i
    end do
  end associate
  block
    integer :: n
    n = k
    !$omp parallel do default(none) shared(a)
    do i = 1, n
       a(i) = a(i) + i
    end do
  end block
  !$omp parallel do default(none) shared(a)
  do i = 1, min(k, size(a, dim=1))
     a(i) = a(i) + i
  end do
  print *, a
  ! Variables of SIMD loops keep their last values.
  !$omp parallel do simd default(none) shared(a)
  do i = 1, 10
     a(i) = i
  end do
  print *, a, i
  !$omp parallel do simd default(none) shared(b) collapse(2)
  do i = 1, 3
     do j = 1, 3
        b(i, j) = i + j
     end do
  end do
  print *, b, i, j
  !$omp parallel do default(none) shared(a)
  do i = 1, size(a)
     a(i) = a(i) + i
  end do
  print *, a
end program none_modules
