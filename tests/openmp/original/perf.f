      program perf
      integer n, i, s, x, y
      integer a(40)
      include 'dbg_vars.h'
      integer*8 dbg_get_addr
      integer i0000m(16)
      external dbg_init, dbg_init_handles, dbg_type_control,
     &dbg_get_addr, dbg_finalize, dbg_before_parallel,
     &dbg_parallel_event, dbg_parallel_event_end, dbg_after_parallel,
     &dbg_before_omp_loop, dbg_after_omp_loop, dbg_before_barrier,
     &dbg_after_barrier, dbg_before_critical, dbg_critical_event,
     &dbg_critical_event_end, dbg_after_critical, dbg_before_sections,
     &dbg_section_event, dbg_section_event_end, dbg_after_sections,
     &dbg_before_single, dbg_single_event, dbg_single_event_end,
     &dbg_after_single, dbg_master_begin, dbg_master_end,
     &dbg_before_flush, dbg_flush_event, dbg_before_funcall,
     &dbg_after_funcall, dbg_funcbegin, dbg_funcend, dbg_before_io,
     &dbg_after_io, dbg_interval_begin, dbg_interval_end
      call dbg_init(ithreadid)
      call dbg_init_handles()
      idyn_mp(1) = dbg_get_addr(n)
      idyn_mp(2) = dbg_get_addr(i)
      i0000m(1) = 4
      i0000m(11) = 1
      call dbg_type_control(1, idyn_mp(1), idyn_mp(2), i0000m(1),
     &i0000m(11))
      n = 4
      s = 0
      call dbg_interval_begin(istat_mp(1), ithreadid, 1)
      idyn_mp(1) = n .gt. 1
      idyn_mp(2) = n - 2
      call dbg_before_parallel(istat_mp(1), ithreadid, idyn_mp(2),
     &idyn_mp(1))
!$omp parallel shared(a,n) private(i) if(n .gt. 1) num_threads(n-2)
!$omp& default(shared) shared(istat_mp)
      call dbg_parallel_event(istat_mp(1), ithreadid)
      idyn_mp(1) = 1
      idyn_mp(2) = 40
      idyn_mp(3) = 1
      idyn_mp(4) = n / 4
      call dbg_before_omp_loop(istat_mp(2), ithreadid, idyn_mp(1),
     &idyn_mp(2), idyn_mp(3), idyn_mp(4))
!$omp do reduction(+:s) schedule(dynamic,n/4)
      do i = 1, 40
        s = s + i
      end do
!$omp end do nowait
      call dbg_before_barrier(istat_mp(3), ithreadid)
!$omp barrier
      call dbg_after_barrier(istat_mp(3), ithreadid)
      call dbg_after_omp_loop(istat_mp(2), ithreadid)
      call dbg_before_critical(istat_mp(4), ithreadid)
!$omp critical (dbg_atomic)
      call dbg_critical_event(istat_mp(4), ithreadid)
      s = s + 1
      call dbg_critical_event_end(istat_mp(4), ithreadid)
!$omp end critical (dbg_atomic)
      call dbg_after_critical(istat_mp(4), ithreadid)
      call dbg_before_sections(istat_mp(5), ithreadid)
!$omp sections
!$omp section
      call dbg_section_event(istat_mp(6), ithreadid)
      x = 1
      call dbg_section_event_end(istat_mp(6), ithreadid)
!$omp section
      call dbg_section_event(istat_mp(7), ithreadid)
      y = 2
      call dbg_section_event_end(istat_mp(7), ithreadid)
!$omp end sections nowait
      call dbg_before_barrier(istat_mp(8), ithreadid)
!$omp barrier
      call dbg_after_barrier(istat_mp(8), ithreadid)
      call dbg_after_sections(istat_mp(5), ithreadid)
      call dbg_before_single(istat_mp(9), ithreadid)
!$omp single
      call dbg_single_event(istat_mp(9), ithreadid)
      a(1) = 5
      call dbg_single_event_end(istat_mp(9), ithreadid)
!$omp end single nowait
      call dbg_after_single(istat_mp(9), ithreadid)
!$omp master
      call dbg_master_begin(istat_mp(10), ithreadid)
      a(2) = 6
      call dbg_master_end(istat_mp(10), ithreadid)
!$omp end master
      call dbg_before_flush(istat_mp(11), ithreadid)
!$omp flush (s)
      call dbg_flush_event(istat_mp(11), ithreadid)
      call dbg_before_barrier(istat_mp(12), ithreadid)
!$omp barrier
      call dbg_after_barrier(istat_mp(12), ithreadid)
      call dbg_parallel_event_end(istat_mp(1), ithreadid)
!$omp end parallel
      call dbg_after_parallel(istat_mp(1), ithreadid)
      call dbg_interval_end(istat_mp(1), ithreadid, 1)
      call dbg_before_funcall(istat_mp(13), ithreadid)
      call show(s, x + y)
      call dbg_after_funcall(istat_mp(13), ithreadid)
      call dbg_finalize()
      end

      subroutine show(n, m)
      integer n, m
      include 'dbg_vars.h'
      call dbg_funcbegin(istat_mp(14), ithreadid)
      call dbg_before_io(istat_mp(15), ithreadid)
      print *, n, m
      call dbg_after_io(istat_mp(15), ithreadid)
      call dbg_funcend(istat_mp(14), ithreadid)
      return
      end

      block data dbgthread
      integer*8 ithreadid
      common /dbg_thread/ ithreadid
C$OMP THREADPRIVATE (/dbg_thread/)
      data ithreadid /-1/
      end
      include 'dbg_init.h'
