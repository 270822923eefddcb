! What a statement goes through by itself: implied loops, FORALL, WHERE, subscripts that are vectors; whole
! objects of derived types, what OPEN and INQUIRE answer, arguments that need not be there.
! count: d3 read_masked 2
! count: d3 write_masked_end 5
! count: d3 func_par_arr 22
! count: d3 func_par_var 4
! count: d3 before_func_call 11
      module inside
      implicit none
      type point
        integer :: n
        real :: v(3)
        integer, allocatable :: list(:)
      end type
      type bound
        integer :: n
      contains
        procedure :: twice
      end type
      interface assignment(=)
        module procedure from_integer
      end interface
      contains
      integer function twice(b)
      class(bound), intent(in) :: b
      twice = 2 * b%n
      end function
      subroutine from_integer(p, n)
      type(point), intent(out) :: p
      integer, intent(in) :: n
      p%n = n
      p%v = 0
      end subroutine
      subroutine take(a, n, maybe)
      integer, intent(in) :: n
      real, intent(inout) :: a(n)
      integer, intent(in), optional :: maybe(:)
      if (n .gt. 0) a(1) = a(1) + 1
      if (present(maybe)) a(n) = a(n) + sum(maybe)
      end subroutine
      subroutine hand_on(a, maybe)
      real, intent(inout) :: a(:)
      integer, intent(in), optional :: maybe(:)
      call take(a, size(a), maybe)
      end subroutine
      end module
      program data_inside
      use inside
      implicit none
      integer :: i, j, n, k(4), order(3), unit, status, empty(5:4)
      integer, allocatable :: grown(:)
      real :: a(4), b(2, 3), c(4)
      type(point) :: p, q(2)
      type(bound) :: t
      logical :: there
      character(len=40) :: line
      n = 4
      i = -7
      a = (/ (real(i), i = 1, n) /)
      k = (/ (2 * k2(n - j), j = 0, n - 1) /)
      c = (/ (a(n + 1 - i), i = 1, n) /)
      b = reshape((/ ((real(i * j), i = 1, 2), j = 1, 3) /),            &
     & (/ 2, 3 /))
      write (line, '(6f5.1)') ((b(i, j), j = 1, 3), i = 1, 2)
      read (line, *) (b(1, j), b(2, j), j = 1, 3)
      read (line, *) a(1), (a(i), i = int(a(1)), 3)
      print *, (i, a(i), n, i = 1, n, 3), i
      line = '3 7 8 9 3'
      read (line, *) n, (k(i), i = 1, n)
      read (line, *) n, (k(i), i = 1, n), n
      read (line(3:8), *, iostat=status) (k(i), i = 1, 40)
      print *, k, status
      n = 4
      k = (/ 3, 1, 4, 2 /)
      forall (i = 1:n) a(k(i)) = c(i)
      forall (i = 1:2, j = 1:3, i .ne. j) b(i, j) = b(i, j) + a(i)
      forall (i = 1:n)
        a(i) = c(i)
        c(i) = 2
      end forall
      forall (i = 2:n) a(i) = a(i - 1)
      order = (/ 4, 2, 1 /)
      a(order) = c(order) + b(1, 1:3)
      b(:, order(2:3)) = 1
      a(k(order)) = 5
      where (a .gt. 2) a = 2
      where (b(1, :) .gt. 0)
        k(1:3) = int(a(1:3) / b(1, :))
      elsewhere (b(1, :) .lt. -1)
        k(1:3) = int(sum(a))
      elsewhere
        k(1:3) = -1
      end where
      where (a .gt. 0)
        c = a
        a = c + 1
      end where
      if (n .eq. 4) where (k .gt. 2) k = 0
      p = point(1, a(1:3), null())
      q(1) = p
      q = p
      q(2) = 5
      p = q(2)
      t = bound(3)
      allocate (grown(2))
      grown = 1
      open (newunit=unit, file='data_inside.txt', iostat=status,        &
     & status='replace')
      inquire (unit=unit, opened=there, number=i)
      write (unit, *) p%n, q(1)%v
      rewind (unit, iostat=status)
      close (unit, iostat=status, status='delete')
      n = k2(n) + 0 * k2(k2(1))
      call take(a, n)
      call take(a(2:n:2), 2, grown)
      call take(c, 0)
      call take(b(:, 2), 2, empty)
      call hand_on(a, grown)
      call hand_on(c)
      print *, a, b, c, k, p%n, p%v, q(1)%n, there, i .eq. unit, status
      print *, t%twice(), size(empty), grown
      contains
      integer function k2(m)
      integer, intent(in) :: m
      k2 = m
      end function
      end
