! A star, parentheses and a literal in clauses.
program chunk
  integer :: i, n, m, x(8)
  character(4) :: c
  n = 2; m = 2; c = 'a*b'
  !$omp parallel do schedule(dynamic, (n)*(m)) if(c == 'a*b' .and. n*2 > 3)
  do i = 1, 8
     x(i) = i
  end do
  !$omp end parallel do
  print *, sum(x)
end program chunk
