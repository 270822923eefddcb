! Long names and expressions: inserted lines must fold.
program wide
  implicit none
  integer :: a_long_name_for_the_loop_index, the_first_value_of_the_loop_index, the_last_value_of_it
  integer, dimension(100) :: an_array_with_a_long_name
  the_first_value_of_the_loop_index = 1
  the_last_value_of_it = 50
  !$omp parallel do if(the_first_value_of_the_loop_index < the_last_value_of_it .and. the_last_value_of_it > 10 .and. &
  !$omp   size(an_array_with_a_long_name) > 3)
  do a_long_name_for_the_loop_index = the_first_value_of_the_loop_index + 0 * the_last_value_of_it, the_last_value_of_it
     an_array_with_a_long_name(a_long_name_for_the_loop_index) = a_long_name_for_the_loop_index
  end do
  print *, sum(an_array_with_a_long_name(1:50))
end program wide
