"""Numbers of the functions in QMPI's interface, from the frozen list in function_numbers.txt.

On an MPI whose mpi.h declares QMPI_Functions_enum (MPICH) its numbers count; what it lacks, and
everything on other MPIs, has the number of the list.
"""

import os

FIRST_OUTSIDE_ENUM = 1000
FIRST_DISPLACED = 1500  # in the list below 1000, yet unknown to this MPICH's enum


def frozen_numbers():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "function_numbers.txt")
    numbers = {}
    with open(path, encoding="ascii") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                number, name = line.split()
                if name in numbers or int(number) in numbers.values():
                    raise ValueError(f"{path}: {name} or {number} is there twice")
                numbers[name] = int(number)
    return numbers


def numbers_for(mpi):
    """{function name: number} of all functions of this MPI, and the list of names without one."""
    frozen = frozen_numbers()
    numbers, unknown = {}, []
    for f in mpi.functions:
        if f.name in mpi.qmpi_numbers:
            numbers[f.name] = mpi.qmpi_numbers[f.name]
        elif f.name not in frozen:
            unknown.append(f.name)
        elif mpi.qmpi_numbers and frozen[f.name] < FIRST_OUTSIDE_ENUM:
            numbers[f.name] = FIRST_DISPLACED + frozen[f.name]
        else:
            numbers[f.name] = frozen[f.name]
    return numbers, unknown


class Rows:
    """Where a function stands in the layer's tables: numbers below 1000 first, then the others."""

    def __init__(self, mpi):
        self.numbers, self.unnumbered = numbers_for(mpi)
        below = [n for n in self.numbers.values() if n < FIRST_OUTSIDE_ENUM]
        above = [n for n in self.numbers.values() if n >= FIRST_OUTSIDE_ENUM]
        frozen = [n for n in frozen_numbers().values() if n < FIRST_OUTSIDE_ENUM]
        self.below = max(below + frozen) + 1
        self.count = self.below + max(above) - FIRST_OUTSIDE_ENUM + 1

    def of(self, name):
        number = self.numbers[name]
        if number < FIRST_OUTSIDE_ENUM:
            return number
        return self.below + number - FIRST_OUTSIDE_ENUM
