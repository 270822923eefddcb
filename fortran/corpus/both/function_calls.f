! count: d3 before_func_call 25
! count: d3 after_func_call 25
! count: d3 func_par_arr 12
      program calls
      implicit none
      integer :: i, n, total, a(4)
      real, pointer :: p(:), q
      real, target :: t(3)
      total = 0
      a = (/ 4, 3, 2, 1 /)
      if (twice(2) .eq. 4) then
        total = total + 1
      else if (twice(3) .eq. 5) then
        total = -1
      end if
      if (twice(4) .lt. 0) then
        total = -2
      else if (twice(total) .eq. 2) then
        total = total + 10
      else
        total = -3
      end if
      if (twice(1) .eq. 2) total = total + 100
      if (yes(total)) print *, twice(a(2)), 'is', twice(twice(2))
      if (.not. yes(total)) goto 20
      i = 0
      do while (twice(i) .lt. 6)
        i = i + 1
      end do
      n = 0
   10 if (twice(n) .lt. 4) then
        n = n + 1
        goto 10
      end if
      select case (twice(n) + 1)
      case (5)
        total = total + 1000
      case default
        total = -4
      end select
      select case (yes(n))
      case (.true.)
        total = total + 10000
      case (.false.)
        total = -5
      end select
      call add(twice(5), a)
      if (yes(n)) call add(twice(a(1)), a)
      t = 1
      p => t
      call use(p)
      nullify (q)
      call point(q, p(2))
      write (*, *) total, a, t, q, n, i
      if (n .gt. 5 .and. yes(n)) total = 0
   20 continue
      contains
      integer function twice(m)
      integer, intent(in) :: m
      twice = 2 * m
      end function
      logical function yes(m)
      integer, intent(in) :: m
      yes = m .gt. 0
      end function
      subroutine add(m, v)
      integer, intent(in) :: m
      integer, intent(inout) :: v(:)
      v = v + m
      end subroutine
      subroutine use(v)
      real, intent(inout) :: v(:)
      v = v + 0.5
      end subroutine
      subroutine point(to, what)
      real, pointer :: to
      real, target :: what
      to => what
      end subroutine
      end
