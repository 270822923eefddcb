      program branches
      integer i, k, n
      n = 0
      do 30 i = 1, 6
      goto (10, 20, 25), i
      n = n + 100
      if (i - 5) 25, 20, 30
   10 n = n + 1
      goto 30
   20 n = n + 10
   25 call alt(*30, i, n)
      n = n + 1000
   30 continue
      do while (n .gt. 5000)
        n = n - 5000
      end do
      do
        n = n - 1
        if (mod(n, 7) .eq. 0) exit
      end do
      k = 0
      do 40, i = 1, 3
   40 k = k + i
      print *, n, k
      write (*, 50, err=60) k
   50 format (' k = ', i3)
   60 end
      subroutine alt(*, i, n)
      integer i, n
      if (i .eq. 2) return 1
      n = n + 7
      end
