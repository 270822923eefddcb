! count: perf before_interval 8
! count: perf after_interval 8
! A jump out of an interval ends it.
      program interval_jumps
      implicit none
      integer :: i, n
      n = 0
      do i = 1, 10
!DVM$ INTERVAL i
         n = n + 1
         if (i .eq. 3) cycle
         if (i .eq. 5) exit
         n = n + 1
!DVM$ ENDINTERVAL
      end do
      call add(1)
      call add(5)
!DVM$ INTERVAL
      do i = 1, 3
         if (i .eq. 2) cycle
         if (n .lt. 0) go to 20
      end do
   20 continue
!DVM$ ENDINTERVAL
      print *, n
      contains
      subroutine add(k)
      integer, intent(in) :: k
!DVM$ INTERVAL
      n = n + 1
      if (k .gt. 3) return
      if (k .gt. 2) go to 10
      n = n + 2
!DVM$ ENDINTERVAL
   10 continue
      end subroutine add
      end program interval_jumps
