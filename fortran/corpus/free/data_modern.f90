! What the data levels must leave alone.
module m
  implicit none
  type t
     integer :: v(3)
  end type t
  integer, save :: counter = 0
contains
  subroutine work(x, maybe, list)
    real, intent(in) :: x(:)
    integer, intent(in), optional :: maybe
    integer, intent(inout) :: list(*)
    type(t) :: o
    real, allocatable :: y(:)
    integer :: i
    o%v = 1
    i = 2
    o%v(i) = 3
    y = x + 1
    if (allocated(y)) y(1) = x(2) + real(size(x))
    if (present(maybe)) counter = counter + 1
    if (present(maybe) .and. size(x) > 1) i = 1
    list(2) = list(1) + next(counter)
    list(next(counter)) = 5
    associate (w => o%v)
      w(1) = 4
      i = w(1)
    end associate
    block
      integer :: inner
      inner = i
      i = inner + 1
    end block
    where (y > 1) y = 0
    print *, o%v, i, counter, list(1:3), y(1)
  end subroutine work
  integer function next(n)
    integer, intent(in) :: n
    next = 3
    counter = n + 1
  end function next
end module m
program p
  use m
  use iso_fortran_env, only: int64
  integer(int64) :: big
  integer :: l(3)
  l = [1, 2, 3]
  big = 5
  big = big * 2
  call work([1., 2.], list=l)
  print *, big
end program p
