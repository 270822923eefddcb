! count: perf before_interval 3
! count: perf after_interval 3
! count: d2 before_interval 0
      program intervals
      integer i, n
      n = 0
!DVM$ INTERVAL
      do i = 1, 2
!DVM$ INTERVAL 10 + i
      n = n + i
!DVM$ ENDINTERVAL
      end do
!DVM$ ENDINTERVAL
      print *, n
      end
