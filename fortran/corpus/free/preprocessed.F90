! flags: -DEXTRA=1
#ifdef EXTRA
#define BODY(i) a(i) = i + EXTRA
#define LAST 4
#else
this is not Fortran
#endif
subroutine work(n)
#ifdef EXTRA
  use omp_lib
#endif
  implicit none
  integer, intent(in) :: n
  integer :: i, a(LAST)
  !$omp parallel do
  do i = 1, LAST
     BODY(i)
  end do
#if defined(_OPENMP) && EXTRA
  call put(a(LAST))
#else
  call nothing
#endif
contains
  subroutine put(k)
    integer :: k
    print *, k, n
  end subroutine put
end subroutine work
program main
  call work(2)
end program main
