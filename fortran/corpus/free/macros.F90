! Constructs and statements that come out of macros.
#define TWICE(x) call add(x); call add(x)
#define ONCE(x) call add(x)
#define ADD add
#define UPPER 3
program macros
  implicit none
  integer :: n, i
  n = 0
  TWICE(n)
  ONCE(n)
  call ADD(n)
  if (n > 0) ONCE(n)
  !$omp parallel do num_threads(UPPER)
  do i = 1, UPPER
     !$omp critical
     ONCE(n)
     !$omp end critical
  end do
  print *, n, UPPER
contains
  subroutine add(k)
    integer :: k
    k = k + 1
  end subroutine add
end program macros
