! Conditional instrumentation: of each loop the odd iterations are told, of a loop inside of one that is
! not told none is asked about.
! count: d3if1 s_if_iter 39
! count: d3if1 s_iter 2
! count: d3if1 omp_if_iter 4
! count: d3if1 write_var_end 26
! count: d3if1 write_arr_end 4
! count: d3if2 s_if_iter 39
! count: d3if2 s_iter 2
! count: d3if2 omp_if_iter 4
! count: d3if2 write_var_end 26
! count: d3if2 write_arr_end 4
      program conditional
      implicit none
      integer i, j, k, s, t(4)
      s = 0
      do i = 1, 4
        s = s + i
        do j = 1, 3
          s = s + j
        end do
        s = s + 1
      end do
      s = s + 1
      do i = 1, 4
        call add(s, i)
      end do
      do i = 1, 2
!$omp parallel default(none) private(k) shared(t)
!$omp do
        do k = 1, 4
          t(k) = k
        end do
!$omp end do
!$omp end parallel
      end do
      call down(3, s)
      do i = 1, 4
        do j = 1, 4
          if (j .eq. 2) goto 10
        end do
   10   continue
        s = s + 1
      end do
      do i = 1, 2
        call leave(s)
        s = s + 1
      end do
!$omp parallel private(i) shared(t)
!$omp single
      do i = 1, 2
!$omp task firstprivate(i)
        t(i) = 10 * i
!$omp end task
      end do
!$omp end single
!$omp end parallel
      call cancelled(s)
      print *, s, t
      end

      subroutine cancelled(s)
      implicit none
      integer s, i, n
!$omp parallel private(i,n) num_threads(1)
      do i = 1, 2
        n = i
!$omp cancel parallel if(i .eq. 2)
      end do
!$omp end parallel
      s = s + 1
      do i = 1, 1
!$omp taskgroup
!$omp task private(n)
        do n = 1, 2
!$omp cancel taskgroup if(n .eq. 2)
        end do
!$omp end task
!$omp end taskgroup
        s = s + 1
      end do
      end

      subroutine add(s, n)
      integer s, n
      s = s + n
      end

      recursive subroutine down(n, s)
      implicit none
      integer n, s, i
      do i = 1, 2
        s = s + 1
        if (n .gt. 1) call down(n - 1, s)
        s = s + 1
      end do
      end

      subroutine leave(s)
      integer s, j
      s = s + 1
      do j = 1, 3
        if (j .eq. 2) return
        s = s + 1
      end do
      end
