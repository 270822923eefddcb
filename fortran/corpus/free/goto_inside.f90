! Branches that stay inside a construct.
program branches
  integer :: i, k
  k = 0
  !$omp parallel do reduction(+:k)
  do i = 1, 4
     if (i == 3) goto 5
     k = k + 1
5    continue
  end do
  !$omp parallel
  !$omp do
  do i = 1, 4
     if (i == 2) cycle
     !$omp critical
     k = k + 1
     !$omp end critical
  end do
  !$omp end parallel
  print *, k
end program branches
