! count: perf before_func_call 4
! count: perf func_begin 5
! count: perf func_end 5
      program calls
      integer n, twice
      n = 0
      if (n .eq. 0) call first(n)
      if (n .eq. 1)                                                     &
     & call first(n)
      call first(n); call early(n, 1)
      n = twice(n)
      print *, n
      end
      subroutine first(k)
      integer k
      k = k + 1
      end
      subroutine early(k, m)
      integer k, m
      if (m .eq. 1) return
      k = 0
      end subroutine early
      integer function twice(k) result(r)
      integer, intent(in) :: k
      r = 2 * k
      end function twice
