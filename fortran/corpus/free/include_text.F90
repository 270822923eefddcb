! Text from an include file stays what it is.
program inc
  implicit none
#include "declared.inc"
  integer :: i
  total = 0
#include "loop.inc"
  !$omp parallel
  include 'atomic.inc'
  !$omp end parallel
  print *, total
end program inc
