      program full
      integer i, j, n
      n = 3                                                             SEQ00010
      i = 0                                                             SEQ00020
      if (n .eq. 3 .and. n .ne. 4 .and. n .ne. 5 .and. n .ne. 6 .or.n.eq
     &.7) call a(i)                                                     SEQ00030
      if (n .eq. 3 .and. n .ne. 4 .and. n .ne. 5 .and. n .ne. 6 .or.n.eq
     &.1000000000 .or. n .eq. 999999999 .or. n .gt. 99)
     &call a(i)
!$omp parallel if(n .eq. 3 .and. n .ne. 4 .and. n .ne. 5) num_threads(2)SEQ00040
!$omp&private(j)                                                        SEQ00050
      j = n                                                             SEQ00060
!$omp end parallel                                                      SEQ00070
      print *, i, 'a literal that runs to the last column of its card, w
     &ith more of it behind'
      end
      subroutine a(i)
      integer i
      i=i+1
      end
