! count: d3 reg_par_var 2
! count: d3 reg_par_arr 1
! count: d3 reg_common 2
! count: d3 write_var_end 7
! count: d3 write_arr_end 6
      program data
      integer i, n, k(3)
      real a(2:4), q
      double precision d
      complex z
      logical flag
      character(5) c
      common /blk/ q
      n = 3
      d = 2d0
      z = (1., 2.)
      flag = d .gt. 1d0
      c = 'hello'
      do i = 1, n
        k(i) = i
      end do
      a(k(1) + 1) = 1.
      a(k(2) + 1) = a(2) + d
      if (flag .and. a(3) .gt. 2.) q = a(k(1) + 1)
      if (c(1:1) .eq. 'h') then
        a(4) = q
      end if
      call change(a, n, q)
      print *, sum(a), k, c, z
      end
      subroutine change(x, n, y)
      integer n
      real x(n), y, q
      common /blk/ q
      y = x(1) + 0 * n
      end
