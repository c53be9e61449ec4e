#!/usr/bin/env python3
"""Reads a saved `standard` filter of u64 keys and answers for keys: docs/SAVED-FORM.md in 60 lines, without a library.

usage: read_standard.py FILE < KEYS      one decimal key a line; prints `yes` or `no` for each
"""
import struct
import sys
import zlib

WORD = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
MULTIPLIER = 0xF1357AEA2E62A9C5


def mix64(z, between=0):
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9 + between) & WORD
    z = (z ^ z >> 27) * 0x94D049BB133111EB & WORD
    return z ^ z >> 31


class Standard:
    def __init__(self, data):
        if data[:8] != b"\x89AMQ\r\n\x1a\n":
            raise ValueError("no saved filter")
        head = struct.unpack_from("<HH4B5QHHI", data, 8)
        version, variant, scheme, reduction, integers, _bytes = head[:6]
        key_seed, seed, self.inserted, _planned, length, params, state, zero = head[6:]
        if (version, variant, params, state, zero) != (1, 1, 2, 0, 0):
            raise ValueError("not a standard filter of version 1")
        if (scheme, reduction, integers) != (9, 3, 16):
            raise ValueError("only multiplicative, multiply-shift and mixer are read here")
        self.m, self.k = struct.unpack_from("<2Q", data, 64)
        if not (1 <= self.m <= 1 << 48 and 1 <= self.k <= 64):
            raise ValueError("parameters out of range")
        if length != (self.m + 7) // 8 or len(data) != 80 + length + 4:
            raise ValueError("cut off, or too long")
        if zlib.crc32(data[:-4]) != struct.unpack("<I", data[-4:])[0]:
            raise ValueError("damaged")
        self.bits = data[80:-4]
        start = mix64(key_seed ^ int.from_bytes(b"mixer..1", "little"))
        self.before, self.between = (mix64(start + i * GOLDEN & WORD) for i in (1, 2))
        self.add, self.multiply = mix64(seed ^ mix64(1)), mix64(seed ^ mix64(4)) | 1

    def __contains__(self, key):
        digest = mix64(key + self.before & WORD, self.between)
        product = (digest ^ self.add) * self.multiply
        word = (product ^ product >> 64) & WORD
        for _ in range(self.k):
            at = word * self.m >> 64
            if not self.bits[at >> 3] >> (at & 7) & 1:
                return False
            word = word * MULTIPLIER & WORD
        return True


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as file:
        bloom = Standard(file.read())
    for line in sys.stdin:
        print("yes" if int(line) in bloom else "no")
