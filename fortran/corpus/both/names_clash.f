      program clash
      integer dbgtid, dbgint, i, ithreadid
      real dbglng(4)
      logical dbgflg
      dbgtid = 1
      dbgflg = .true.
      ithreadid = 2
!$omp parallel do if (dbgflg) num_threads(dbgtid)
      do i = 1, 4
        dbglng(i) = i
      end do
      dbgint = int(sum(dbglng))
      print *, dbgint, dbgtid, ithreadid
      end
