! count: d2 beg_sl 9
! count: d2 end_sl 9
! count: d2 s_iter 20
      program jumps
      integer i, j, k, n
      n = 0
      outer: do i = 1, 3
        do j = 1, 3
          if (j .eq. 2) cycle outer
          if (i .eq. 3) exit outer
          n = n + 1
        end do
      end do outer
      do 20 i = 1, 2
        do k = 1, 5
          if (k .eq. 3) goto 10
          n = n + 1
        end do
   10   n = n + 10
   20 continue
      do i = 1, 4
        if (i .eq. 2) exit
      end do
      call inner(n)
      print *, n
      end
      subroutine inner(n)
      integer n, i
      do 30 i = 1, 5
      if (i .eq. 2) return
   30 n = n + 1
      end
