"""What a wrapper does for each kind of function, as C++ with {names} of arguments.

A kind is the record it makes, and lines: `declare` before anything, `before` the call when a span is
open, `begun` when its time has begun and `returned` before that ends, whether a span is open or not,
`always` after the call, `after` the call when a span is open. Lines that begin with ? are for
functions that make a request (nonblocking and persistent forms). With `ends_itself` the last line
ends the span. `last` comes when the span has ended. A kind of None is a plain call (MpiCall, out of line).
"""

import re
from dataclasses import dataclass, field


@dataclass
class Kind:
    record: str
    declare: list = field(default_factory=list)
    before: list = field(default_factory=list)
    always: list = field(default_factory=list)
    after: list = field(default_factory=list)
    ends_itself: bool = False
    last: list = field(default_factory=list)
    begun: list = field(default_factory=list)
    returned: list = field(default_factory=list)


OK = "if (result == MPI_SUCCESS) "


def starts(kind, setter, peer, persistent):
    """A send or receive that only starts."""
    return Kind(
        "MpiPointToPoint",
        declare=["const Group* peers = nullptr;"],
        before=[f"peers = {setter};"],
        after=[OK + "{",
               "    span->mutate_request(AddRequest({request}, NewRequest("
               f"schema::MpiRequestKind::{kind}, {persistent}, span->comm(), peers, span->peer(), "
               "span->tag(), span->bytes())));",
               "}"])


SEND = "SetPointToPoint(span.record(), {comm}, {dest}, {tag}, {count}, {datatype})"
RECEIVE = "SetPointToPoint(span.record(), {comm}, {source}, {tag}, {count}, {datatype})"
PSEND = "SetPartitioned(span.record(), {comm}, {dest}, {tag}, {partitions}, {count}, {datatype})"
PRECV = "SetPartitioned(span.record(), {comm}, {source}, {tag}, {partitions}, {count}, {datatype})"

OWN_STATUS = ["MPI_Status own;", "CallComm call;"]
TAKE_STATUS = "{status} = StatusOr({status}, &own);"
MESSAGE = ["const MPI_Message handle = *{message};",
           "const MessageEntry matched = messages.Find(handle);",
           "const bool no_proc = IsNoProc(handle);"]

SEND_RECEIVE_BEFORE = (
    "call = SetSendReceive(span.record(), {comm}, {dest}, {sendtag}, {send_count}, {send_type}, "
    "{source}, {recvtag});")
RECEIVE_BUFFER = "MessageBytes({receive_count}, {receive_type})"


def probe(found, message):
    return Kind("MpiProbe", OWN_STATUS,
                ["call = SetProbe(span.record(), {comm}, {source}, {tag});", TAKE_STATUS],
                after=[f"SetFound(span.record(), call, result, {found}, *{{status}}, {message});"])


def many(after, statuses=True, count="{count}", any_status=False):
    before = ["many.Look({count_given}, {array_of_requests}, span.record());"]
    declare = ["ManyRequests many;"]
    if any_status:
        before.append("{status} = many.StatusesFor({status}, 1);")
    elif statuses:
        before.append("{array_of_statuses} = many.StatusesFor({array_of_statuses}, {count_given});")
    return Kind("MpiRequestCall", declare,
                [b.replace("{count_given}", count) for b in before], after=[after],
                ends_itself=True)


def one(after, before=()):
    return Kind("MpiRequestCall", ["OneRequest one;"],
                ["one.Look({request_address}, span.record());", *before], after=[after], ends_itself=True)


def window(after=()):
    return Kind("MpiRma", before=["SetRma(span.record(), {win}, {target_normal});"], after=list(after))


def io(before, after, declare=(), always=()):
    return Kind("MpiIo", list(declare), [before], list(always), list(after))


def comm_call(always, after=()):
    return Kind("MpiCommCall",
                ["const CommInfo* parent = {parent_comm};", "const CommInfo* made = nullptr;"],
                ["span->mutate_comm(IdOf(parent));"],
                [OK + always], ["span->mutate_new_comm(IdOf(made));", *after])


COLLECTIVE = Kind(
    "MpiCollective",
    before=["SetCollective(span.record(), {comm}, [&]([[maybe_unused]] const CommInfo& info) {"
            " return {volume}; });",
            "span->mutate_root({root_rank});", "span->mutate_operation({operation});"],
    after=["?" + OK + "span->mutate_request(AddRequest({made_request}, NewRequest("
           "schema::MpiRequestKind::collective, {persistent}, span->comm())));"])

RMA_REQUEST = ("?" + OK + "span->mutate_request(AddRequest({made_request}, NewRequest("
               "schema::MpiRequestKind::rma, false, 0, peers, span->target())));")
RMA_DECLARE = ["[[maybe_unused]] const Group* peers = nullptr;"]

KINDS = {
    "call": None,
    "variadic": None,
    "quick": Kind("MpiCall"),

    "send": Kind("MpiPointToPoint", before=[SEND + ";"]),
    "start_send": starts("send", SEND, "dest", "false"),
    "persistent_send": starts("send", SEND, "dest", "true"),
    "partitioned_send": starts("send", PSEND, "dest", "true"),
    "start_receive": starts("receive", RECEIVE, "source", "false"),
    "persistent_receive": starts("receive", RECEIVE, "source", "true"),
    "partitioned_receive": starts("receive", PRECV, "source", "true"),
    "receive": Kind("MpiReceive", OWN_STATUS,
                    ["call = SetReceive(span.record(), {comm}, {source}, {tag}, {count}, {datatype});",
                     TAKE_STATUS],
                    after=["SetReceived(span.record(), call, result, *{status});"]),
    "matched_receive": Kind(
        "MpiReceive", OWN_STATUS + MESSAGE,
        ["call = SetMessageReceive(span.record(), matched, no_proc, {count}, {datatype});",
         TAKE_STATUS],
        [OK + "messages.Remove(handle, matched.id);"],
        ["SetReceived(span.record(), call, result, *{status});"]),
    "start_matched": Kind(
        "MpiPointToPoint", MESSAGE + ["const Group* peers = nullptr;"],
        ["peers = SetMatchedReceive(span.record(), matched, no_proc, {count}, {datatype});"],
        [OK + "messages.Remove(handle, matched.id);"],
        [OK + "{",
         "    span->mutate_request(AddRequest({request}, NewRequest(schema::MpiRequestKind::receive, "
         "false, span->comm(), peers, span->peer(), span->tag(), span->bytes(), matched.id)));",
         "}"]),
    "send_receive": Kind("MpiSendReceive", OWN_STATUS, [SEND_RECEIVE_BEFORE, TAKE_STATUS],
                         after=["SetReceived(span.record(), call, result, *{status}, " + RECEIVE_BUFFER + ");"]),
    "start_send_receive": Kind(
        "MpiSendReceive", ["CallComm call;"], [SEND_RECEIVE_BEFORE],
        after=[OK + "{",
               "    span->mutate_request(AddRequest({request}, NewRequest("
               "schema::MpiRequestKind::send_receive, false, call.id, call.peers, "
               "span->posted_peer(), span->posted_tag(), " + RECEIVE_BUFFER + ")));",
               "}"]),
    "probe": probe("true", "nullptr"),
    "test_probe": probe("*{flag} != 0", "nullptr"),
    "match_probe": probe("true", "{message}"),
    "test_match_probe": probe("*{flag} != 0", "{message}"),

    "wait_one": one("one.Complete(span, result, true, {request}, {status});",
                    ["{status} = one.StatusFor({status});"]),
    "test_one": one("one.Complete(span, result, *{flag} != 0, {request}, {status});",
                    ["{status} = one.StatusFor({status});"]),
    "wait_all": many("many.CompleteAll(span, result, true, {array_of_requests}, "
                     "{array_of_statuses});"),
    "test_all": many("many.CompleteAll(span, result, *{flag} != 0, {array_of_requests}, "
                     "{array_of_statuses});"),
    "wait_any": many("many.CompleteOne(span, result, *{indx}, {array_of_requests}, {status});",
                     any_status=True),
    "test_any": many("many.CompleteOne(span, result, *{flag} != 0 ? *{indx} : MPI_UNDEFINED, "
                     "{array_of_requests}, {status});", any_status=True),
    "some": many("many.CompleteSome(span, result, *{outcount}, {array_of_indices}, "
                 "{array_of_requests}, {array_of_statuses});", count="{incount}"),
    "free_request": one("one.Free(span, result);"),
    "cancel": one("one.Cancel(span, result);"),
    "start": one("one.Start(span, result);"),
    "start_all": many("many.Start(span, result);", statuses=False),
    "name_request": one("span.End();"),
    "generalized": Kind(
        "MpiRequestCall",
        after=[OK + "{",
               "    span->mutate_request(AddRequest({request}, "
               "NewRequest(schema::MpiRequestKind::generalized, false)));",
               "    span->mutate_requests(1);", "}"]),

    "collective": COLLECTIVE,

    "transfer": Kind(
        "MpiRma", RMA_DECLARE,
        ["peers = SetRmaTransfer(span.record(), {win}, {target_rank}, {target_disp}, {target_count}, "
         "{target_datatype});",
         "span->mutate_operation({operation});"],
        after=[RMA_REQUEST]),
    "atomic": Kind(
        "MpiRma",
        before=["SetRmaTransfer(span.record(), {win}, {target_rank}, {target_disp}, 1, {datatype});",
                "span->mutate_operation({operation});"]),
    "window": window(),
    "make_window": Kind(
        "MpiRma", ["uint64_t window = 0;"],
        ["span->mutate_bytes({window_bytes});", "span->mutate_target_displacement(INT64_MIN);",
         "span->mutate_target(kNoRank);", "span->mutate_world_target(kNoRank);"],
        [OK + "{",
         "    window = windows.Add(*{win}, comms.Find({comm}), {window_bytes}, {window_unit}, "
         "{function_number});",
         "}"],
        ["span->mutate_window(window);"]),
    "free_window": Kind(
        "MpiRma", ["const MPI_Win handle = *{win};", "const uint64_t window = windows.Find(handle).id;"],
        ["SetRma(span.record(), handle, kNoRank);"], [OK + "windows.Remove(handle, window);"]),
    "name_window": window([OK + "DefineName(span->window(), {win_name});"]),

    "transfer_file": io(
        "SetIo(span.record(), {fh}, MessageBytes({count}, {datatype}), {offset_or_none});",
        ["if (result == MPI_SUCCESS) span->mutate_bytes(StatusBytes(*{status}));"],
        ["MPI_Status own;", TAKE_STATUS]),
    "begin_file": io(
        "SetIo(span.record(), {fh}, MessageBytes({count}, {datatype}), {offset_or_none});", []),
    "end_file": io(
        "SetIo(span.record(), {fh}, kNoBytes, INT64_MIN);",
        ["if (result == MPI_SUCCESS) span->mutate_bytes(StatusBytes(*{status}));"],
        ["MPI_Status own;", TAKE_STATUS]),
    "start_file": io(
        "SetIo(span.record(), {fh}, MessageBytes({count}, {datatype}), {offset_or_none});",
        ["?" + OK + "span->mutate_request(AddRequest({made_request}, "
         "NewRequest(schema::MpiRequestKind::io, false)));"]),
    "file": io("SetIo(span.record(), {fh}, kNoBytes, {offset_or_none});", []),
    "open_file": io(
        "span->mutate_bytes(kNoBytes), span->mutate_offset(INT64_MIN);",
        ["span->mutate_file(file);"], ["uint64_t file = 0;"],
        [OK + "file = files.Add(*{fh}, comms.Find({comm}), {filename}, {amode});"]),
    "close_file": io(
        "SetIo(span.record(), handle, kNoBytes, INT64_MIN);", [],
        ["const MPI_File handle = *{fh};", "const uint64_t file = files.Find(handle);"],
        [OK + "files.Remove(handle, file);"]),

    "comm": Kind("MpiCommCall", before=["span->mutate_comm({comm_id});"]),
    "make_comm": comm_call("made = comms.Add(*{new_comm}, parent, 0);"),
    "make_comm_tag": comm_call("made = comms.Add(*{new_comm}, parent, "
                               "uint64_t{static_cast<uint32_t>({tag})} + 1);"),
    "duplicate": comm_call("if (parent != nullptr) made = comms.AddDuplicate(*{new_comm}, *parent);"),
    "start_duplicate": comm_call(
        "if (parent != nullptr) made = comms.AddDuplicate(*{new_comm}, *parent);",
        after=["?" + OK + "span->mutate_request(AddRequest({made_request}, NewRequest("
               "schema::MpiRequestKind::collective, false, span->comm())));"]),
    "make_intercomm": comm_call("made = comms.AddIntercomm(*{new_comm}, parent, 0);"),
    "make_intercomm_tag": comm_call("made = comms.AddIntercomm(*{new_comm}, parent, "
                                    "uint64_t{static_cast<uint32_t>({tag})} + 1);"),
    "make_from_text": comm_call("made = comms.AddFromText(*{new_comm}, {stringtag});"),
    "meet": comm_call("made = comms.AddIntercomm(*{new_comm}, parent, 0, "
                      "parent != nullptr && {root} == parent->rank ? {port_name} : nullptr);"),
    "get_parent": comm_call("made = comms.AddSpawner(*{new_comm});"),
    "free_comm": Kind(
        "MpiCommCall", ["const CommInfo* freed = comms.Find(*{comm});"],
        ["span->mutate_comm(IdOf(freed));"], [OK + "comms.Remove(freed);"]),
    "name_comm": Kind("MpiCommCall", before=["span->mutate_comm(CommIdOf({comm}));"],
                      after=[OK + "DefineName(span->comm(), {comm_name});"]),

    "make_datatype": Kind("MpiCall", always=[OK + "datatypes.Add(*{newtype}, {function_number});"]),
    "free_datatype": Kind(
        "MpiCall", ["const MPI_Datatype handle = *{datatype};",
                    "const uint64_t datatype = datatypes.Freeing(handle);"],
        always=[OK + "datatypes.Freed(handle, datatype);"]),
    "name_datatype": Kind("MpiCall",
                          always=[OK + "DefineName(datatypes.Find({datatype}), {type_name});"]),

    "init": Kind("MpiCall", returned=[OK + "Initialized();"]),
    "finalize": Kind("MpiCall", begun=["Finalizing();"], last=[OK + "Finalized();"]),
    "session_init": Kind("MpiCall", always=[OK + "SessionOpened(*{session});"]),
    "session_finalize": Kind("MpiCall", ["SessionClosing();"], last=[OK + "SessionClosed();"]),
}

VOLUMES = {
    "Barrier": "Volume{}",
    "Bcast": "BcastBytes({part}, {count}, {datatype}, TypeSize)",
    "Gather": "GatherBytes({shape}, {part}, {in_place}, {sendcount}, {sendtype}, {recvcount}, "
              "{recvtype}, TypeSize)",
    "Gatherv": "GathervBytes({shape}, {part}, {in_place}, {sendcount}, {sendtype}, {recvcounts}, "
               "{recvtype}, TypeSize)",
    "Scatter": "ScatterBytes({shape}, {part}, {out_in_place}, {sendcount}, {sendtype}, {recvcount}, "
               "{recvtype}, TypeSize)",
    "Scatterv": "ScattervBytes({shape}, {part}, {out_in_place}, {sendcounts}, {sendtype}, "
                "{recvcount}, {recvtype}, TypeSize)",
    "Allgather": "AllgatherBytes({shape}, {in_place}, {sendcount}, {sendtype}, {recvcount}, "
                 "{recvtype}, TypeSize)",
    "Allgatherv": "AllgathervBytes({shape}, {in_place}, {sendcount}, {sendtype}, {recvcounts}, "
                  "{recvtype}, TypeSize)",
    "Alltoall": "AlltoallBytes({shape}, {in_place}, {sendcount}, {sendtype}, {recvcount}, "
                "{recvtype}, TypeSize)",
    "Alltoallv": "AlltoallvBytes({shape}, {in_place}, {sendcounts}, {sendtype}, {recvcounts}, "
                 "{recvtype}, TypeSize)",
    "Alltoallw": "AlltoallwBytes({shape}, {in_place}, {sendcounts}, {sendtypes}, {recvcounts}, "
                 "{recvtypes}, TypeSize)",
    "Reduce": "ReduceBytes({shape}, {part}, {count}, {datatype}, TypeSize)",
    "Allreduce": "AllreduceBytes({count}, {datatype}, TypeSize)",
    "Scan": "AllreduceBytes({count}, {datatype}, TypeSize)",
    "Exscan": "ExscanBytes({shape}, {count}, {datatype}, TypeSize)",
    "Reduce_scatter": "ReduceScatterBytes({shape}, {recvcounts}, {datatype}, TypeSize)",
    "Reduce_scatter_block": "ReduceScatterBlockBytes({shape}, {recvcount}, {datatype}, TypeSize)",
    "Neighbor_allgather": "NeighborAllgatherBytes({neighbors}, {sendcount}, {sendtype}, {recvcount}, "
                          "{recvtype}, TypeSize)",
    "Neighbor_allgatherv": "NeighborAllgathervBytes({neighbors}, {sendcount}, {sendtype}, "
                           "{recvcounts}, {recvtype}, TypeSize)",
    "Neighbor_alltoall": "NeighborAlltoallBytes({neighbors}, {sendcount}, {sendtype}, {recvcount}, "
                         "{recvtype}, TypeSize)",
    "Neighbor_alltoallv": "NeighborAlltoallvBytes({neighbors}, {sendcounts}, {sendtype}, "
                          "{recvcounts}, {recvtype}, TypeSize)",
    "Neighbor_alltoallw": "NeighborAlltoallwBytes({neighbors}, {sendcounts}, {sendtypes}, "
                          "{recvcounts}, {recvtypes}, TypeSize)",
}


def collective_volume(function, signature, names):
    """The C++ expression of what goes in and out of a collective, in any of its forms."""
    stem = re.sub(r"(_init)?(_c)?$", "", function.name[len("MPI_"):])
    if signature.form == "nonblocking":
        stem = stem[1:].capitalize() if stem.startswith("I") else stem
    local = dict(names)
    local["shape"] = "ShapeOf(info)"
    local["neighbors"] = "comms.NeighborsOf(info)"
    if "root" in names:
        local["part"] = f"PartOf(info, {names['root']})"
    if "sendbuf" in names:
        local["in_place"] = f"{names['sendbuf']} == MPI_IN_PLACE"
        local["out_in_place"] = f"{names['recvbuf']} == MPI_IN_PLACE"
    return re.sub(r"\{(\w+)\}", lambda m: local[m.group(1)], VOLUMES[stem])
