! Reads and writes that need care: arrays as a whole and in sections, components, what need not be there,
! names that mean something inside of an expression alone, conditions that are worked out again and again.
! count: d3 read_whole 16
! count: d3 write_whole_end 12
      module shapes
      implicit none
      type inner
        integer :: n
        real :: v(3)
      end type
      type outer
        type(inner) :: one
        type(inner), pointer :: next => null()
        integer, allocatable :: list(:)
        character(len=3) :: word(2)
      end type
      contains
      subroutine maybe(x, y, total)
      integer, intent(in), optional :: x, y(:)
      integer, intent(inout) :: total
      if (present(x)) total = total + x
      if (present(y)) total = total + sum(y)
      if (present(y)) then
        if (size(y) .gt. 1 .and. y(1) .gt. 0) total = total + y(2)
      end if
      end subroutine
      subroutine hands_on(total, x, y)
      integer, intent(inout) :: total
      integer, optional :: x, y(:)
      call maybe(x, y, total)
      end subroutine
      function twice(a) result(b)
      real, intent(in) :: a(:)
      real :: b(size(a))
      b = 2 * a
      end function
      integer function triple(n)
      integer, intent(in) :: n
      triple = n
      triple = 3 * triple
      end function
      subroutine assumed(a, n, s)
      integer, intent(in) :: n
      real, intent(inout) :: a(*)
      real, intent(out) :: s
      a(1:n) = a(1:n) + 1
      s = sum(a(1:n:2))
      end subroutine
      end module
      program data_shapes
      use shapes
      implicit none
      type(outer), target :: o
      type(outer), pointer :: p
      integer :: i, n, k, total, e, none(5:4)
      integer, allocatable :: grown(:)
      integer, parameter :: back(2) = (/ 2, 1 /)
      integer :: order(2) = back
      real :: a(4), b(2, 2), s
      character(len=8) :: line
      n = 3
      total = 0
      a = (/ (real(i), i = 1, 4) /)
      b = reshape((/ (a(i) * i, i = 1, 4) /), (/ 2, 2 /))
      b(:, 2) = twice(a(1:2))
      a(4:1:-1) = a
      none = 7
      o%one%n = n
      o%one%v = a(1:3)
      o%word = 'abc'
      o%word(2)(2:2) = 'x'
      allocate (o%next, o%list(2))
      o%next%n = triple(o%one%n)
      o%next%v(mod(n, 3) + 1) = 0.5
      o%list = o%next%n
      p => o
      p%list(p%one%n - 1) = 1
      grown = p%list
      grown = (/ grown, n /)
      call hands_on(total)
      call hands_on(total, n)
      call hands_on(total, n, grown)
      call assumed(a, n + 1, s)
      k = 0
      do while (k .lt. n)
        k = k + 1
        if (k .eq. 2) cycle
        total = total + k
      end do
      do 10 while (k .gt. 0)
        k = k - 1
   10 continue
      named: do while (k .lt. 5 .and. a(k + 1) .gt. 0)
        k = k + 1
        if (k .ge. 2) exit named
      end do named
      select case (o%word(2))
      case ('axc')
        total = total + 100
      case default
        total = 0
      end select
      where (a .gt. 2) a = 2
      a(order) = a(order(back(1:2))) + b(back, 1) * 0
      write (line, '(i3,i5)') o%one%n, k
      read (line, *, iostat=e) o%one%n, total
      read (line, *, end=20) i, n, n
   20 continue
      associate (first => o%one%v(1), all => b(1, :))
        first = first + 1
        all = all + first
      end associate
      print *, total, e, k, s, a, b, o%one%v, o%list, grown
      print *, (o%word(i), i = 1, 2), o%next%n, size(none)
      end
