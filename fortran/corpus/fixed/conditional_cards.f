      program condcard
      integer n
      n = 1
!$    n = 2
c$    if (n .eq. 2) call more(n)
!$100 continue
!$    if (n .lt. 4)
!$   & call more(n)
      print *, n
      end
      subroutine more(n)
      integer n
      n = n + 1
      end
