! Type-bound procedures, allocatable arrays, optional arguments.
module shapes
  type :: shape
     real, allocatable :: side(:)
   contains
     procedure :: area
     procedure :: scale
  end type shape
contains
  real function area(self)
    class(shape), intent(in) :: self
    integer :: i
    area = 0
    !$omp parallel do reduction(+:area)
    do i = 1, size(self%side)
       area = area + self%side(i)
    end do
  end function area
  subroutine scale(self, by)
    class(shape), intent(inout) :: self
    real, intent(in), optional :: by
    if (present(by)) self%side = self%side * by
  end subroutine scale
end module shapes
program p
  use shapes
  type(shape) :: s
  allocate (s%side(4))
  s%side = 2
  call s%scale(by=3.)
  call s%scale
  print *, s%area()
  deallocate (s%side)
end program p
