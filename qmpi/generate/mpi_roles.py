"""What each argument of each MPI function is for: the one table of argument roles.

    from mpi_model import load_mpi
    from mpi_roles import load_roles
    mpi, roles = load_mpi("mpicc.openmpi"), load_roles()
    s = roles.of(mpi.function("MPI_Irecv"))
    s.category                 # "p2p" (the [sections] of mpi_roles.txt)
    s.form                     # "blocking", "nonblocking" or "persistent"
    for a in s.arguments:      # in order of the C parameters
        a.name                 # the standard's name, the same whatever this header calls it
        a.parameter            # Parameter of the model: parameter.name is the header's own name
        a.role                 # see ROLES
        a.direction            # "in", "out" or "inout"
        a.length               # None, or the length of an array: another argument's name or a word
        a.is_pointer           # C type is a pointer
    s.all("comm"), s.first("request")        # arguments by role
    s["count"]                               # an argument by its standard name; s.get("count")
    for t in s.transfers:      # buffers with what describes them, [] for functions without data
        t.buffer, t.count, t.datatype, t.displs      # Arguments or None
        t.direction            # "in": MPI reads it (send side), "out": MPI writes it, "inout"
        t.peer, t.tag          # dest/source/root/target argument of that side, and its tag, or None

A large count form (MPI_Send_c) has the roles of its base name. Array lengths that are not an
argument are words: "comm_size" (of the communicator: the remote size on an intercommunicator),
"neighbors_in", "neighbors_out", "cart_dims" or "sum_maxprocs".
"""

import os
import re
from dataclasses import dataclass, field

HANDLES = {
    "MPI_Comm": "comm", "MPI_Group": "group", "MPI_Datatype": "datatype", "MPI_Request": "request",
    "MPI_Op": "op", "MPI_Info": "info", "MPI_Errhandler": "errhandler", "MPI_Win": "win",
    "MPI_File": "file", "MPI_Message": "message", "MPI_Session": "session",
}

ROLES = {
    **{role: f"handle {c_type}" for c_type, role in HANDLES.items()},
    "buffer": "user data, see transfers",
    "count": "number of elements (bytes for MPI_File offsets: see offset)",
    "counts": "array of counts",
    "displs": "array of displacements in elements or bytes",
    "dest": "rank that is sent to",
    "source": "rank that is received from, may be MPI_ANY_SOURCE",
    "root": "rank of the root",
    "target": "rank of an RMA target",
    "rank": "some other rank",
    "ranks": "array of ranks",
    "tag": "message tag, may be MPI_ANY_TAG on a receiving side",
    "status": "MPI_Status, may be MPI_STATUS(ES)_IGNORE",
    "flag": "truth value",
    "index": "index of the request that completed, may be MPI_UNDEFINED",
    "indices": "array of indices, outcount of them valid",
    "disp": "displacement in a window or a file view",
    "offset": "file offset",
    "size": "size in bytes",
    "disp_unit": "unit of displacement of a window",
    "assert": "assertion of an RMA synchronisation",
    "amode": "access mode of a file",
    "string": "zero-terminated text",
    "strings": "array of texts",
    "address": "pointer to memory that is not transferred by this call",
    "function": "pointer to a function of the user",
    "keyval": "attribute key",
    "tool_handle": "handle of MPI_T, or of a class of generalized requests",
    "fstatus": "status in Fortran layout",
    "fhandle": "handle as a Fortran integer",
    "value": "any other scalar",
    "values": "array of other scalars",
}

BY_NAME = {
    "count": "count", "sendcount": "count", "recvcount": "count", "incount": "count",
    "outcount": "count", "origin_count": "count", "target_count": "count",
    "result_count": "count", "partitions": "count", "sendcounts": "counts",
    "recvcounts": "counts", "displs": "displs", "sdispls": "displs", "rdispls": "displs",
    "dest": "dest", "source": "source", "root": "root", "target_rank": "target", "rank": "rank",
    "local_leader": "rank", "remote_leader": "rank", "rank_source": "rank", "rank_dest": "rank",
    "newrank": "rank", "ranks": "ranks", "ranks1": "ranks", "ranks2": "ranks",
    "sources": "ranks", "destinations": "ranks", "neighbors": "ranks",
    "tag": "tag", "sendtag": "tag", "recvtag": "tag", "flag": "flag",
    "indx": "index", "array_of_indices": "indices", "target_disp": "disp", "disp": "disp",
    "offset": "offset", "size": "size", "insize": "size", "outsize": "size",
    "disp_unit": "disp_unit", "assert": "assert", "amode": "amode",
    "array_of_commands": "strings", "array_of_argv": "strings", "argv": "strings",
    "base": "address", "baseptr": "address", "location": "address", "buffer_addr": "address",
    "attribute_val": "address", "extra_state": "address", "user_data": "address",
    "obj_handle": "address", "keyval": "keyval", "comm_keyval": "keyval", "type_keyval": "keyval",
    "win_keyval": "keyval", "f_status": "fstatus",
}

BUFFERS = {
    "buf", "buffer", "sendbuf", "recvbuf", "origin_addr", "result_addr", "compare_addr", "inbuf",
    "outbuf", "inoutbuf",
}

LENGTHS = {
    "sendcounts": "comm_size", "recvcounts": "comm_size", "displs": "comm_size",
    "sdispls": "comm_size", "rdispls": "comm_size", "sendtypes": "comm_size",
    "recvtypes": "comm_size", "array_of_requests": "count", "array_of_info": "count",
    "array_of_errcodes": "maxprocs", "ranks": "n", "ranks1": "n", "ranks2": "n", "ranges": "n",
    "dims": "ndims", "periods": "ndims", "coords": "ndims", "array_of_blocklengths": "count",
    "array_of_displacements": "count", "array_of_types": "count", "array_of_partitions": "length",
}

SCALARS = {"int", "MPI_Aint", "MPI_Count", "MPI_Offset", "MPI_Fint"}


class RoleError(Exception):
    """The table does not fit the header: a function or an argument is missing from it."""


@dataclass
class Argument:
    name: str
    parameter: object
    role: str
    direction: str
    length: str = None

    @property
    def is_pointer(self):
        return self.parameter.type.rstrip().endswith(("*", "]"))


@dataclass
class Transfer:
    direction: str
    buffer: Argument
    count: Argument = None
    datatype: Argument = None
    displs: Argument = None
    peer: Argument = None
    tag: Argument = None


@dataclass
class Signature:
    name: str
    category: str
    arguments: list
    transfers: list = field(default_factory=list)

    def all(self, role):
        return [a for a in self.arguments if a.role == role]

    def first(self, role):
        return next((a for a in self.arguments if a.role == role), None)

    def get(self, name):
        return next((a for a in self.arguments if a.name == name), None)

    def __getitem__(self, name):
        argument = self.get(name)
        if argument is None:
            raise KeyError(f"{self.name} has no argument {name}")
        return argument

    @property
    def form(self):
        request = self.first("request")
        if re.search(r"_init(_c)?$", self.name) and request:
            return "persistent"
        started = request and request.direction == "out"
        return "nonblocking" if started else "blocking"


def base_type(c_type):
    return re.sub(r"\bconst\b|[\*\[\]\(\)\d]", " ", c_type).split()[0]


def default_role(name, c_type):
    base, stars = base_type(c_type), c_type.count("*")
    if base in HANDLES:
        return HANDLES[base]
    if base == "MPI_Status":
        return "status"
    if base.startswith(("MPI_T_", "MPIX_Grequest_class")) and not re.search(r"_function$", base):
        return "tool_handle"
    if re.search(r"_(function|fn)(_c)?$", base):
        return "function"
    if name in BUFFERS and base == "void":
        return "buffer"
    if name in BY_NAME and (base != "char" or stars > 1):
        return BY_NAME[name]
    if base == "char":
        return "strings" if stars > 1 else "string"
    if base in SCALARS or base.startswith("MPI_T_"):
        return "values" if name in LENGTHS or name.startswith("array_of") else "value"
    if base == "void":
        return "address"
    raise RoleError(f"no role for {name} of type {c_type}")


def default_direction(name, role, c_type):
    if "*" not in c_type or role == "function":
        return "in"
    if role == "address":
        return "out" if name in ("baseptr", "buffer_addr") else "in"
    if role == "strings":
        return "in"
    if c_type.lstrip().startswith("const"):
        return "in"
    return "out"


def pair_transfers(s):
    """Ties each buffer to the count, type, peer and tag that describe it."""
    pairs = []

    def find(*names):
        return next((s.get(n) for n in names if s.get(n)), None)

    prefixes = {
        "sendbuf": ("send", "s", "dest"), "recvbuf": ("recv", "r", "source"),
        "origin_addr": ("origin_", "", None), "result_addr": ("result_", "", None),
    }
    if s.name.startswith(("MPI_Sendrecv_replace", "MPI_Isendrecv_replace")):
        return [Transfer("in", s["buf"], s["count"], s["datatype"], None, s["dest"], s["sendtag"]),
                Transfer("out", s["buf"], s["count"], s["datatype"], None, s["source"],
                         s["recvtag"])]
    for b in s.all("buffer"):
        packed = {"Pack": "outbuf", "Unpa": "inbuf"}.get(s.name[4:8])
        if s.category == "tool" or b.name == packed:
            pairs.append(Transfer(b.direction, b))
            continue
        prefix, letter, peer = prefixes.get(b.name, ("", "", None))
        side = {"inbuf": ("incount",), "outbuf": ("outcount",)}.get(b.name, ())
        count = find(prefix + "count", prefix + "counts", *side, "count", "recvcount",
                     "recvcounts" if s.get("sendcount") is None else "count")
        datatype = find(prefix + "type", prefix + "types", prefix + "datatype", "datatype")
        displs = find(letter + "displs") if letter else None
        if displs is None and count is not None and count.role == "counts":
            displs = s.get("displs")
        rank = s.first("target") or (s.get(peer) if peer else None)
        if rank is None and not (s.get("dest") and s.get("source")):
            rank = s.get("dest") or s.get("source") or s.first("root")
        tag = s.get(prefix + "tag") if prefix else s.get("tag")
        pairs.append(Transfer(b.direction, b, count, datatype, displs, rank, tag))
    return pairs


ENTRY = re.compile(r"(\w+)(?::(\w*)(?:\.(in|out|inout))?)?(?:\[(\w+)\])?")


def parse_table(path):
    lines, category = {}, None
    with open(path, encoding="ascii") as file:
        for number, line in enumerate(file, 1):
            line = line.split("#")[0].strip()
            if not line:
                continue
            if line.startswith("["):
                category = line.strip("[]")
                continue
            name, *arguments = line.split()
            parsed = [ENTRY.fullmatch(a) for a in arguments]
            if category is None or name in lines or None in parsed:
                raise RoleError(f"{path}:{number}: not understood: {line}")
            lines[name] = (category, [m.groups() for m in parsed])
    return lines


class Roles:
    def __init__(self, path):
        self.lines = parse_table(path)

    def names(self):
        return list(self.lines)

    def of(self, function):
        """The signature of a Function of the model; RoleError when table and header disagree."""
        line = self.lines.get(function.name) or self.lines.get(function.base)
        if line is None:
            raise RoleError(f"{function.name} is not in the table of roles")
        category, entries = line
        if len(entries) != len(function.parameters):
            raise RoleError(f"{function.name}: {len(entries)} arguments in the table of roles, "
                            f"{len(function.parameters)} in the header")
        arguments = []
        for (name, role, direction, length), p in zip(entries, function.parameters):
            role = role or default_role(name, p.type)
            direction = direction or default_direction(name, role, p.type)
            if role not in ROLES:
                raise RoleError(f"{function.name}: unknown role {role} of {name}")
            length = length or (LENGTHS.get(name) if "*" in p.type else None)
            arguments.append(Argument(name, p, role, direction, length))
        signature = Signature(function.name, category, arguments)
        adjust(signature)
        signature.transfers = pair_transfers(signature)
        return signature


def adjust(s):
    """Roles that depend on the whole call."""
    neighborhood = "eighbor_" in s.name
    for a in s.arguments:
        if neighborhood and a.length == "comm_size":
            sending = a.name.startswith("s")
            a.length = "neighbors_out" if sending else "neighbors_in"
    if s.category in ("p2p", "io"):
        written = re.search(r"[Rr]ecv|[Ii]?read", s.name) and not s.name.startswith("MPI_Send")
        for b in s.all("buffer"):
            if b.name == "buf":
                b.direction = "out" if written else "in"
    if s.name.startswith(("MPI_Sendrecv_replace", "MPI_Isendrecv_replace")):
        s["buf"].direction = "inout"
    if re.match(r"MPI_I?[Bb]cast", s.name):
        s["buffer"].direction = "inout"
    if s.name in ("MPI_T_cvar_write", "MPI_T_pvar_write"):
        s["buf"].direction = "in"


def load_roles(path=None):
    here = os.path.dirname(os.path.abspath(__file__))
    return Roles(path or os.path.join(here, "mpi_roles.txt"))
