! count: perf before_func_call 2
module counters
  implicit none
  private
  integer, public :: total = 0
  public :: add
contains
  subroutine add(n)
    integer, intent(in) :: n
    import_me: block
      integer :: n2
      n2 = n
      call inner(n2)
    end block import_me
  contains
    subroutine inner(k)
      integer, intent(in) :: k
      !$omp atomic
      total = total + k
    end subroutine inner
  end subroutine add
end module counters
program p
  use counters
  call add(3)
  print *, total
end program p
