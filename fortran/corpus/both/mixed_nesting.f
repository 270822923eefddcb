      program mixed
      integer i, j, k, n, s(2)
      n = 2
      k = 0
      s = 0
!$omp parallel num_threads(2) private(j)
      if (n .gt. 1) then
!$omp sections
!$omp section
!$omp parallel sections num_threads(1)
      s(1) = 1
!$omp section
!$omp critical
      k = k + 1
!$omp end critical
!$omp end parallel sections
!$omp section
      select case (n)
      case (2)
        do j = 1, 2
          if (j .eq. 2) exit
        end do
        s(2) = j
      case default
        s(2) = -1
      end select
!$omp end sections
      else
!$omp barrier
      end if
!$omp do
      do i = 1, 4
        do j = 1, 3
          if (j .eq. i) cycle
!$omp atomic
          k = k + 1
        end do
      end do
!     a comment between the loop and its end
!$omp end do
!$omp end parallel
      print *, s, k
      end program mixed
