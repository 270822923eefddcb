! Declarations must not fall between a USE and its continuation.
subroutine locked(l, n)
  use omp_lib, only: omp_lock_kind, &
       omp_set_lock, omp_unset_lock
  implicit none
  integer(omp_lock_kind) :: l
  integer :: n
  call omp_set_lock(l)
  n = n + 1
  call omp_unset_lock(l)
end subroutine locked
program locks
  use omp_lib
  integer(omp_lock_kind) :: l
  integer :: n
  call omp_init_lock(l)
  n = 0
  !$omp parallel num_threads(2)
  call locked(l, n)
  !$omp end parallel
  call omp_destroy_lock(l)
  print *, n > 0
end program locks
