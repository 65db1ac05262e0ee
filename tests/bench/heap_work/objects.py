# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of many kinds: a search tree, dictionaries, JSON, split lines, byte strings of some KiB."""
import json


class Node:
    def __init__(self, key, value):
        self.key, self.value, self.left, self.right = key, value, None, None


def insert(node, key, value):
    while True:
        side = "left" if key < node.key else "right"
        below = getattr(node, side)
        if below is None:
            setattr(node, side, Node(key, value))
            return
        node = below


x = 12345
root = Node(0, "")
words = {}
for i in range(60000):
    x = (x * 1103515245 + 12345) % 2147483648
    insert(root, x, "v%d" % x)
    words.setdefault("w%d" % (x % 5000), []).append(x)
text = json.dumps(words)
again = json.loads(text)
lines = "\n".join("%s %d" % (k, len(v)) for k, v in sorted(again.items()))
parts = [p.split(" ") for p in lines.split("\n")]
rows = [bytes(600 + i % 3000) for i in range(30000)]
rows = [r + b"x" * 700 for r in rows[::2]]
print(len(text), len(parts), len(rows))
