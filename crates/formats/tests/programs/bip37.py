"""python-bitcoinlib: reads a filterload payload, asks for "item 0" to "item ITEMS - 1", adds "one more", writes it again.

Usage: bip37.py HEX ITEMS
"""
import sys

from bitcoin.bloom import CBloomFilter

payload = bytes.fromhex(sys.argv[1])
read = CBloomFilter.deserialize(payload)
print("found", sum(read.contains(b"item %d" % index) for index in range(int(sys.argv[2]))))
print("again", read.serialize().hex())
read.insert(b"one more")
print("more", read.serialize().hex())
