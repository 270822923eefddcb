! Names without a declaration that occur first inside of a loop are of the whole unit; where a procedure may
! be entered twice and has such names, nothing is asked.
! count: d3if1 s_if_iter 5
! count: d3if1 s_iter 3
! count: d3if2 s_if_iter 5
! count: d3if2 s_iter 3
      program implicit_names
      dimension x(10)
      h(a) = a * 2
      n = 3
      do 10 i = 1, n
        k = i * 2
        x(i) = h(real(i)) + foo(real(i))
        do j = 1, 1
          last = k + j
        end do
   10 continue
      call twice(2, m)
      print *, i, k, last, x(3), m
      end
      function foo(z)
      foo = z + 100
      end
      recursive subroutine twice(n, m)
      do i = 1, 3 - n
        m = i
      end do
      if (n .gt. 1) call twice(n - 1, m)
      end
