      program ent
      integer n
      n = 0
      call one(n)
      call two(n)
      print *, n
      end
      subroutine one(n)
      integer n
      n = n + 1
      entry two(n)
      n = n + 10
      end
