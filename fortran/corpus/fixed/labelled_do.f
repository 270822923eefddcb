! count: perf before_omp_loop 3*T
      program lab
      integer i, j, k, a(4, 4)
      k = 0
!$omp parallel do
      do 10 i = 1, 4
      do 10 j = 1, 4
        a(i, j) = i
   10 continue
!$omp parallel
!$omp do
      do 7 i = 1, 4
    7 a(i, 1) = a(i, 1) + 1
!$omp do
      do 8 i = 1, 4
        if (i .eq. 2) goto 8
        a(i, 2) = 0
    8 continue
!$omp endparallel
      do 20 i = 1, 4
      if (i .eq. 3) go to 20
      call add(k)
   20 call add(k)
      print *, sum(a), k
      end
      subroutine add(k)
      integer k
      k = k + 1
      end
