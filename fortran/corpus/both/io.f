! count: perf before_io 7
      program inout
      integer u, n, k
      open (newunit=u, status='scratch')
      write (u, *) 42
      rewind (u)
      read (u, *, end=10) n
      rewind u
      inquire (unit=u, number=k)
      if (n .eq. 42) print *, n
   10 close (u)
      end
