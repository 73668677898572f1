#!/usr/bin/env python3
"""Makes unique symbols of an object weak: weaken_unique.py FROM TO

g++ makes static variables of inline functions unique in the whole process, which objcopy cannot undo. Each that is to
be Frit's own becomes local after this.
"""
import struct
import sys

SYMBOL_TABLE, UNIQUE, WEAK = 2, 10, 2
SYMBOL_SIZE, INFO_OFFSET = 24, 4


def main():
    with open(sys.argv[1], "rb") as file:
        data = bytearray(file.read())
    if data[:6] != b"\x7fELF\x02\x01":
        sys.exit(f"weaken_unique: {sys.argv[1]} is no ELF file of 64 bits")
    table, = struct.unpack_from("<Q", data, 40)
    entry_size, entries = struct.unpack_from("<HH", data, 58)
    # An object of many sections has their number in the first one.
    entries = entries or struct.unpack_from("<Q", data, table + 32)[0]
    for i in range(entries):
        kind, _, _, offset, size = struct.unpack_from("<IQQQQ", data, table + i * entry_size + 4)
        if kind != SYMBOL_TABLE:
            continue
        for at in range(offset + INFO_OFFSET, offset + size, SYMBOL_SIZE):
            if data[at] >> 4 == UNIQUE:
                data[at] = WEAK << 4 | data[at] & 15
    with open(sys.argv[2], "wb") as file:
        file.write(data)


if __name__ == "__main__":
    main()
