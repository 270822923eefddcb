  !$omp parallel do reduction(+:total)
  do i = 1, 3
     total = total + i
  end do
