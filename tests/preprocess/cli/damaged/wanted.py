"""What is to become of a damaged mesh."""

import dataclasses

ASSET, REFUSAL, EITHER = "an asset", "a refusal", "an asset or a refusal"
# What may be said of a surface that is no boundary of a solid.
NO_SOLID = r"could not be closed|encloses no volume|outlines no solid|no surface of a solid|is flat"


@dataclasses.dataclass
class Wanted:
    what: str = ASSET
    reason: str = NO_SOLID     # a pattern: right reasons of a refusal
    warning: str = ""          # a pattern: one of the warnings of an asset
    solid: object = None       # the mesh that an asset's surface should be
    within: float = 0.006      # how far each may be from the other, of the diagonal
    volume: float = None       # m^3, of an asset that is no thin shell
    spread: float = 0.03       # share by which it may differ
    mild: bool = True          # mended without a wrap, and without parts that are told as lost
    input: object = None       # the damaged mesh, which an asset stays near to


def refused(reason):
    return Wanted(REFUSAL, reason)


def like(solid, **changes):
    """An asset of the undamaged mesh."""
    volume, _ = solid.volume_and_centre()
    return Wanted(solid=solid, volume=abs(volume), **changes)
