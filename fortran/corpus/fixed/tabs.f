	program tabs
	integer i, s
	s = 0
!$omp parallel do reduction(+:s)
	do i = 1, 4
	  s = s
     &	    + i
	end do
	if (s .eq. 10) call more(s)
	print *, s
	end
	subroutine more(s)
	integer s
	s = s + 1
	end
