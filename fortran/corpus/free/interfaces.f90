! Procedure headers inside interface bodies are no procedures.
module ops
  abstract interface
     subroutine op(x)
       real, intent(inout) :: x
     end subroutine op
  end interface
  interface
     module subroutine apart(x)
       real, intent(inout) :: x
     end subroutine apart
  end interface
contains
  subroutine run(f, a)
    procedure(op) :: f
    real, intent(inout) :: a(:)
    integer :: i
    !$omp parallel do
    do i = 1, size(a)
       call f(a(i))
    end do
  end subroutine run
end module ops
submodule (ops) impl
contains
  module procedure apart
    !$omp parallel
    !$omp single
    x = x + 1
    !$omp end single
    !$omp end parallel
  end procedure apart
end submodule impl
program p
  use ops
  real :: a(3)
  a = 1
  call run(apart, a)
  print *, sum(a)
end program p
