! count: perf before_omp_loop 2*T
! count: d3 omp_iter 20
! Reductions of the program's own, of types and by procedures, and PARAMETER without parentheses.
module sums
  implicit none
  type pair
     integer :: x = 0
  end type pair
contains
  subroutine add(a, b)
    integer :: a, b
    a = a + b
  end subroutine add
  subroutine start(a)
    integer :: a
    a = 0
  end subroutine start
end module sums
program declared_reductions
  use sums
  integer :: i, s
  parameter last = 10
  type(pair) :: p
  !$omp declare reduction(+ : pair : &
  !$omp& omp_out%x = omp_out%x + omp_in%x) initializer(omp_priv = pair(0))
  !$omp declare reduction(plus : integer : add(omp_out, omp_in)) initializer(start(omp_priv))
  s = 0
  p = pair(0)
  !$omp parallel do reduction(+ : p)
  do i = 1, last
     p%x = p%x + i
  end do
  !$omp parallel do reduction(plus : s)
  do i = 1, last
     s = s + i
  end do
  print *, p%x, s
end program declared_reductions
