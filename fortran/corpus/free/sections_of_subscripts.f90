! Elements whose subscripts are sections are whole vectors: nothing that can be told.
! count: d3 write_arr_end 6
program sections_of_subscripts
  implicit none
  type holder
     integer :: list(3)
  end type holder
  type(holder) :: h
  integer :: a(5), b(3), order(3), k
  order = (/ 3, 1, 2 /)
  h%list = order
  do k = 1, 3
     a(order(k)) = k
     b(k) = a(h%list(k))
  end do
  b(:) = a(order(:))
  a(h%list(:)) = b(order(1:3))
  print *, a(1:3), b
end program sections_of_subscripts
