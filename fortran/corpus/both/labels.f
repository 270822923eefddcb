! count: perf before_func_call 4
      program labels
      integer n
      n = 0
   10 call more(n)
      if (n .lt. 3) goto 10
      goto 30
   20 n = 100
   30 call more(n)
      print *, n
   40 format (i5)
      stop
      end
      subroutine more(n)
      integer n
      n = n + 1
      if (n .gt. 1000) goto 99
      n = n + 0
   99 end
