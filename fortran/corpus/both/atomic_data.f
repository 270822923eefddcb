! count: d3 before_atomic 4*T
! count: d3 read_arr 4*T
! count: d3 write_arr_end 2*T
! count: d3 write_var_end 3*T+2
! What an ATOMIC construct reads and writes is told around it.
      program atomic_data
      implicit none
      integer :: x(2), v, y
      x = 0
      y = 2
      v = 0
!$omp parallel private(v)
!$omp atomic
      x(1) = x(1) + 1
!$omp atomic capture
      v = x(2)
      x(2) = x(2) + y
!$omp end atomic
!$omp atomic read
      v = x(1)
!$omp atomic write
      y = 2
!$omp end atomic
!$omp end parallel
      print *, x
      end program atomic_data
