      program data
      integer i, j
      real a(2,5)
      double precision d
      common /blk/ a
      include 'document_vars.h'
      integer*8 dyn(8)
      data threadid /-1/
      call DBG_Init(threadid)
      call DBG_Init_Handles()
      dyn(1) = 1
      dyn(2) = 2
      dyn(3) = 1
      dyn(4) = 5
      call dbg_regarr(dbgsid1, threadid, dyn(1), a(1,1))
      call dbg_regvar(dbgsid2, threadid, i)
      call dbg_regvar(dbgsid3, threadid, d)
      call dbg_regcommon(dbgsid4, threadid)
      d = 0
      call dbg_before_parallel(dbgsid8, threadid, 2, -1)
!$omp parallel default(shared) num_threads(1*2)
      call dbg_parallel_event(dbgsid8, threadid)
      dyn(1) = 1
      dyn(2) = 2
      dyn(3) = 1
      call dbg_before_omp_loop(dbgsid5, threadid, dyn(1), dyn(2),
     &dyn(3), -1)
!$omp do private(i,j) reduction(+:d)
      do i = 1, 2
        call dbg_omp_loop_event(dbgsid5, threadid, i)
        call dbg_before_loop(dbgsid9, threadid, 1_8, 5_8, 1_8)
        do j = 1, 5
          call dbg_loop_event(dbgsid9, threadid, j)
          call dbg_write_arr_begin(dbgsid6, threadid, a(i,j), dbgsid1,
     &a(1,1))
          call dbg_read_var(dbgsid6, threadid, i, dbgsid2)
          a(i,j) = i * 1.5
          call dbg_write_arr_end(dbgsid6, threadid, a(i,j), dbgsid1,
     &a(1,1))
          call dbg_write_var_begin(dbgsid7, threadid, d, dbgsid3)
          call dbg_read_arr(dbgsid7, threadid, a(i,j), dbgsid1, a(1,1))
          d = d + a(i,j)
          call dbg_write_var_end(dbgsid7, threadid, d, dbgsid3)
        end do
        call dbg_after_loop(dbgsid9, threadid)
      end do
!$omp end do
      call dbg_after_omp_loop(dbgsid5, threadid)
!$omp end parallel
      call dbg_after_parallel(dbgsid8, threadid)
      print *, d
      end
      include 'document_init.h'
