! What a program tells comshu of itself, for Fortran: comshu.h beside it says what each call means.
! Compile this file with the program; nothing is linked. Without `comshu run -p user` each call costs a
! load and a branch.
module comshu
    use, intrinsic :: iso_c_binding
    implicit none
    private
    public :: comshu_region_begin, comshu_region_end, comshu_mark, comshu_counter
    public :: comshu_message_sent, comshu_message_received, comshu_rank
    public :: comshu_pause, comshu_resume, comshu_flush

    ! struct comshu_api of comshu.h.
    type, bind(c) :: comshu_api
        integer(c_int32_t) :: size, version
        type(c_funptr) :: region_begin, region_end, mark, counter, message, rank, pause, resume, flush
    end type comshu_api

    abstract interface
        function api_function(version) bind(c) result(api)
            import :: c_int32_t, c_ptr
            integer(c_int32_t), value :: version
            type(c_ptr) :: api
        end function api_function
        subroutine begin_function(name, no_source) bind(c)
            import :: c_char, c_int
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int), value :: no_source
        end subroutine begin_function
        subroutine name_function(name) bind(c)
            import :: c_char
            character(kind=c_char), intent(in) :: name(*)
        end subroutine name_function
        subroutine value_function(name, value) bind(c)
            import :: c_char, c_double
            character(kind=c_char), intent(in) :: name(*)
            real(c_double), value :: value
        end subroutine value_function
        subroutine message_function(received, transport, peer, tag, bytes, no_source) bind(c)
            import :: c_char, c_int, c_int64_t
            integer(c_int), value :: received
            character(kind=c_char), intent(in) :: transport(*)
            integer(c_int), value :: peer, tag
            integer(c_int64_t), value :: bytes
            integer(c_int), value :: no_source
        end subroutine message_function
        subroutine rank_function(rank, size) bind(c)
            import :: c_int
            integer(c_int), value :: rank, size
        end subroutine rank_function
        subroutine plain_function() bind(c)
        end subroutine plain_function
    end interface

    interface
        function dlsym(handle, name) bind(c, name='dlsym') result(symbol)
            import :: c_ptr, c_char, c_funptr
            type(c_ptr), value :: handle
            character(kind=c_char), intent(in) :: name(*)
            type(c_funptr) :: symbol
        end function dlsym
    end interface

    integer, parameter :: unknown = 0, absent = 1, present_ = 2
    integer, save, volatile :: state = unknown
    type(comshu_api), pointer, save :: api => null()

    interface comshu_mark
        module procedure mark_double, mark_single, mark_integer, mark_long, mark_plain
    end interface comshu_mark
    interface comshu_counter
        module procedure counter_double, counter_single, counter_integer, counter_long
    end interface comshu_counter
    interface comshu_message_sent
        module procedure sent_int, sent_long
    end interface comshu_message_sent
    interface comshu_message_received
        module procedure received_int, received_long
    end interface comshu_message_received

contains

    subroutine look()
        type(c_funptr) :: found
        type(c_ptr) :: table
        procedure(api_function), pointer :: ask
        found = dlsym(c_null_ptr, 'comshu_user_api' // c_null_char)
        if (c_associated(found)) then
            call c_f_procpointer(found, ask)
            table = ask(1_c_int32_t)
            if (c_associated(table)) then
                call c_f_pointer(table, api)
                state = present_
                return
            end if
        end if
        state = absent
    end subroutine look

    logical function listens()
        if (state == unknown) call look()
        listens = state == present_
    end function listens

    subroutine comshu_region_begin(name)
        character(*), intent(in) :: name
        procedure(begin_function), pointer :: call_it
        if (state == absent) return
        if (.not. listens()) return
        call c_f_procpointer(api%region_begin, call_it)
        call call_it(trim(name) // c_null_char, 1_c_int)
    end subroutine comshu_region_begin

    subroutine comshu_region_end(name)
        character(*), intent(in) :: name
        procedure(name_function), pointer :: call_it
        if (state == absent) return
        if (.not. listens()) return
        call c_f_procpointer(api%region_end, call_it)
        call call_it(trim(name) // c_null_char)
    end subroutine comshu_region_end

    subroutine mark_double(name, value)
        character(*), intent(in) :: name
        real(c_double), intent(in) :: value
        procedure(value_function), pointer :: call_it
        if (state == absent) return
        if (.not. listens()) return
        call c_f_procpointer(api%mark, call_it)
        call call_it(trim(name) // c_null_char, value)
    end subroutine mark_double

    subroutine mark_single(name, value)
        character(*), intent(in) :: name
        real(c_float), intent(in) :: value
        if (state == absent) return
        call mark_double(name, real(value, c_double))
    end subroutine mark_single

    subroutine mark_integer(name, value)
        character(*), intent(in) :: name
        integer(c_int), intent(in) :: value
        if (state == absent) return
        call mark_double(name, real(value, c_double))
    end subroutine mark_integer

    subroutine mark_long(name, value)
        character(*), intent(in) :: name
        integer(c_int64_t), intent(in) :: value
        if (state == absent) return
        call mark_double(name, real(value, c_double))
    end subroutine mark_long

    subroutine mark_plain(name)
        character(*), intent(in) :: name
        if (state == absent) return
        call mark_double(name, 0.0_c_double)
    end subroutine mark_plain

    subroutine counter_double(name, value)
        character(*), intent(in) :: name
        real(c_double), intent(in) :: value
        procedure(value_function), pointer :: call_it
        if (state == absent) return
        if (.not. listens()) return
        call c_f_procpointer(api%counter, call_it)
        call call_it(trim(name) // c_null_char, value)
    end subroutine counter_double

    subroutine counter_single(name, value)
        character(*), intent(in) :: name
        real(c_float), intent(in) :: value
        if (state == absent) return
        call counter_double(name, real(value, c_double))
    end subroutine counter_single

    subroutine counter_integer(name, value)
        character(*), intent(in) :: name
        integer(c_int), intent(in) :: value
        if (state == absent) return
        call counter_double(name, real(value, c_double))
    end subroutine counter_integer

    subroutine counter_long(name, value)
        character(*), intent(in) :: name
        integer(c_int64_t), intent(in) :: value
        if (state == absent) return
        call counter_double(name, real(value, c_double))
    end subroutine counter_long

    subroutine message(received, transport, peer, tag, bytes)
        integer, intent(in) :: received, peer, tag
        character(*), intent(in) :: transport
        integer(c_int64_t), intent(in) :: bytes
        procedure(message_function), pointer :: call_it
        if (.not. listens()) return
        call c_f_procpointer(api%message, call_it)
        call call_it(int(received, c_int), trim(transport) // c_null_char, int(peer, c_int), &
                     int(tag, c_int), bytes, 1_c_int)
    end subroutine message

    subroutine sent_int(transport, to, tag, bytes)
        character(*), intent(in) :: transport
        integer, intent(in) :: to, tag
        integer(c_int), intent(in) :: bytes
        if (state == absent) return
        call message(0, transport, to, tag, int(bytes, c_int64_t))
    end subroutine sent_int

    subroutine sent_long(transport, to, tag, bytes)
        character(*), intent(in) :: transport
        integer, intent(in) :: to, tag
        integer(c_int64_t), intent(in) :: bytes
        if (state == absent) return
        call message(0, transport, to, tag, bytes)
    end subroutine sent_long

    subroutine received_int(transport, from, tag, bytes)
        character(*), intent(in) :: transport
        integer, intent(in) :: from, tag
        integer(c_int), intent(in) :: bytes
        if (state == absent) return
        call message(1, transport, from, tag, int(bytes, c_int64_t))
    end subroutine received_int

    subroutine received_long(transport, from, tag, bytes)
        character(*), intent(in) :: transport
        integer, intent(in) :: from, tag
        integer(c_int64_t), intent(in) :: bytes
        if (state == absent) return
        call message(1, transport, from, tag, bytes)
    end subroutine received_long

    subroutine comshu_rank(rank, size)
        integer, intent(in) :: rank, size
        procedure(rank_function), pointer :: call_it
        if (state == absent) return
        if (.not. listens()) return
        call c_f_procpointer(api%rank, call_it)
        call call_it(int(rank, c_int), int(size, c_int))
    end subroutine comshu_rank

    subroutine call_plain(function)
        type(c_funptr), intent(in) :: function
        procedure(plain_function), pointer :: call_it
        call c_f_procpointer(function, call_it)
        call call_it()
    end subroutine call_plain

    subroutine comshu_pause()
        if (state == absent) return
        if (listens()) call call_plain(api%pause)
    end subroutine comshu_pause

    subroutine comshu_resume()
        if (state == absent) return
        if (listens()) call call_plain(api%resume)
    end subroutine comshu_resume

    subroutine comshu_flush()
        if (state == absent) return
        if (listens()) call call_plain(api%flush)
    end subroutine comshu_flush

end module comshu
