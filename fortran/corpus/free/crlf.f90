program lines
  integer :: i, s
  s = 0
  !$omp parallel do &
  !$omp   reduction(+:s)
  do i = 1, 4 ! Zeilen: ä, ö
     s = s + i
  end do
  !$omp end parallel do
  print *, s
end program lines
