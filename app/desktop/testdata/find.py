"""Finds things in a window by role and name, as a screen reader would.

find.py ROLE NAME [SECONDS]   waits for a showing thing whose name holds NAME and
                              prints "x y width height"; exit code 1 when none came
find.py --text [SECONDS]      prints all text that shows
"""
import sys
import time

import pyatspi


def walk(node):
    yield node
    for i in range(node.childCount):
        child = node.getChildAtIndex(i)
        if child is not None:
            yield from walk(child)


def apps():
    desktop = pyatspi.Registry.getDesktop(0)
    return [a for a in (desktop.getChildAtIndex(i) for i in range(desktop.childCount)) if a is not None]


def showing(node):
    return node.getState().contains(pyatspi.STATE_SHOWING)


def find(role, name):
    for a in apps():
        for n in walk(a):
            try:
                if n.getRoleName() == role and name in n.name and showing(n):
                    box = n.queryComponent().getExtents(pyatspi.DESKTOP_COORDS)
                    if box.width > 0 and box.height > 0:
                        return f"{box.x} {box.y} {box.width} {box.height}"
            except Exception:  # a node may go while it is looked at
                continue
    return None


def text():
    lines = []
    for a in apps():
        for n in walk(a):
            try:
                if showing(n) and n.name:
                    lines.append(f"{n.getRoleName()}: {n.name}")
            except Exception:
                continue
    return "\n".join(lines)


def main():
    if sys.argv[1] == "--text":
        print(text())
        return 0
    role, name = sys.argv[1], sys.argv[2]
    end = time.monotonic() + float(sys.argv[3] if len(sys.argv) > 3 else 10)
    while True:
        try:
            found = find(role, name)
        except Exception:
            found = None
        if found:
            print(found)
            return 0
        if time.monotonic() > end:
            return 1
        time.sleep(0.1)


sys.exit(main())
