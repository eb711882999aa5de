"""Meshes become assets, whose contact is asked about: preprocess_dataset.py FOLDER_OF_MESHES OUT"""
import sys

import abut
import abut_preprocess


def tell(event):
    if event.status:
        print(f"{event.finished} of {event.count}: {event.object}: {event.status}")


made = abut_preprocess.preprocess(sys.argv[1], sys.argv[2], only=["00[15]*"], tets=[300], quads=[400], progress=tell)
for failed in made.failed:
    print(f"{failed.name}: {failed.reason}")

assets = {object.name: abut.load(object.asset) for object in made.objects}
for name, asset in assets.items():
    mass = asset.mass
    print(f"{name}: {mass.volume * 1e6:.1f} cm^3, {len(asset.surface.triangles)} triangles, "
          f"{len(asset.volume.tetrahedra)} tetrahedra, {len(asset.points.areas)} points")
A, B = list(assets.values())[:2]
print(f"distance of the two, side by side: {abut.separation(A, B, [0.5, 0.5, 0.5, 0.5, 0.1, 0.2, 0.3]).distance:.4f} m")
