! Its registration unit has the entries that dbg_bench.c measures.
subroutine entries(x, n)
  implicit none
  integer :: n, i
  real :: x, y
  !$omp parallel
  !$omp do
  do i = 1, n
     y = x
  end do
  !$omp end do
  !$omp barrier
  !$omp end parallel
end subroutine entries
