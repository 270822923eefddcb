! Text from an include file stays what it is.
program inc
  implicit none
#include "declared.h"
  integer :: i
  total = 0
#include "loop.h"
  !$omp parallel
  include 'atomic.inc'
  !$omp end parallel
  print *, total
end program inc
