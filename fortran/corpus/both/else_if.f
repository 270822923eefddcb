! Conditions of ELSE IF are read when none before them held. In a construct with a name they are left out.
! count: d3 read_var 11
! count: d3 write_var_end 4
! count: d3if1 write_var_end 3
! count: d3if2 write_var_end 3
      program else_if
      integer i, n
      n = 0
      do i = 1, 3
        if (i .eq. 1) then
          n = n + 1
        else if (i .eq. 2) then ! the second
          n = n + 10
        elseif (n .gt.                                                  &
     &    100) then
          n = 0
        else
          n = n + 100
        end if
      end do
      named: if (n .eq. 1) then
        print *, 1
      else if (n .eq. 2) then named
        print *, 2
      end if named
      print *, n
      end
