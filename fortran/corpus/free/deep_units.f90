! Names, labels and declarations of different units do not meet.
module outer
  implicit none
  integer, private :: dbgtid = 7
contains
  integer function first(n) result(r)
    integer, value :: n
    integer :: i
    r = dbgtid
    do 10 i = 1, n
       r = r + second(i)
10  continue
  contains
    integer function second(k)
      integer, intent(in) :: k
      integer :: i
      second = 0
      do 10 i = 1, k
         if (i == 3) go to 20
         second = second + 1
10    continue
20    continue
    end function second
  end function first
  recursive subroutine down(n)
    integer, intent(in) :: n
    if (n == 0) return
    print *, 'down', n
    call down(n - 1)
  end subroutine down
end module outer
program p
  use outer
  call down(2)
  print *, first(4)
end program p
