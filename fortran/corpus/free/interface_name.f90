! A construct name that begins like a keyword.
program named
  integer :: i
  real :: flux(8)
  !$omp parallel do
  interface_loop: do i = 1, 8
     flux(i) = real(i)
  end do interface_loop
  !$omp end parallel do
  print *, sum(flux)
end program named
