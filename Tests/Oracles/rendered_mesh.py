"""A small mesh seen by a pinhole camera, by casting a ray through each sample, in NumPy.

    python rendered_mesh.py

writes expected/rendered_mesh.json. A sample's triangle is the nearest one that its ray meets (Möller and Trumbore
1997), and its color is weighted by where the ray meets it in space. Samples whose ray passes an edge, or meets two
triangles, at less than the renderer's rounding apart are marked as undecided.
"""

import json
from pathlib import Path

import numpy as np

from case_stream import CaseStream

EXPECTED = Path(__file__).parent / "expected"
WIDTH, HEIGHT, FIELD_OF_VIEW, SIDE = 40, 32, 63.0, 4
TRIANGLES = 14


def meet(origins, a, b, c):
    """Distance along rays and weights of the corners, NaN where a ray misses the plane."""
    u, v = b - a, c - a
    p = np.cross(origins, v)
    determinant = p @ u
    with np.errstate(divide="ignore", invalid="ignore"):
        beta = (p @ -a) / determinant
        q = np.cross(-a, u)
        gamma = (origins @ q) / determinant
        distance = (q @ v) / determinant
    return distance, np.stack([1 - beta - gamma, beta, gamma], -1)


def srgb(light):
    return 255 * np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)


def main():
    stream = CaseStream(41)

    def number(low, high):
        return low + (high - low) * stream.below(100_001) / 100_000

    vertices = [[number(-22, 22), number(-18, 18), number(-40, -18)] for _ in range(3 * TRIANGLES)]
    colors = [[number(0, 1) for _ in range(3)] for _ in vertices]
    vertices, colors = np.array(vertices), np.array(colors)
    focal = HEIGHT / 2 / np.tan(np.radians(FIELD_OF_VIEW) / 2)
    points = np.stack([WIDTH / 2 + focal * vertices[:, 0] / -vertices[:, 2],
                       HEIGHT / 2 - focal * vertices[:, 1] / -vertices[:, 2]], -1)

    columns = (np.arange(WIDTH * SIDE) + 0.5) / SIDE
    rows = (np.arange(HEIGHT * SIDE) + 0.5) / SIDE
    x, y = np.meshgrid(columns, rows)
    rays = np.stack([(x - WIDTH / 2) / focal, (HEIGHT / 2 - y) / focal, -np.ones_like(x)], -1).reshape(-1, 3)
    depth = np.full(len(rays), np.inf)
    owner = np.full(len(rays), -1)
    light = np.zeros((len(rays), 3))
    undecided = np.zeros(len(rays), bool)
    for t in range(TRIANGLES):
        corners = slice(3 * t, 3 * t + 3)
        distance, weights = meet(rays, *vertices[corners])
        ahead = np.isfinite(distance) & (distance > 0)
        inside = ahead & (weights >= 0).all(-1)
        # The renderer rounds corners to 1/1024 pixel.
        ends = points[corners]
        near_edge = np.zeros(len(rays), bool)
        for first, second in ((0, 1), (1, 2), (2, 0)):
            along = ends[second] - ends[first]
            offset = np.stack([x.ravel(), y.ravel()], -1) - ends[first]
            share = np.clip(offset @ along / (along @ along), 0, 1)
            near_edge |= np.linalg.norm(offset - share[:, None] * along, axis=-1) < 2e-3
        undecided |= near_edge
        tie = inside & (np.abs(distance - depth) < 1e-3 * distance)
        undecided |= tie
        nearer = inside & (distance < depth)
        depth[nearer], owner[nearer] = distance[nearer], t
        light[nearer] = weights[nearer] @ colors[corners]
    light[owner < 0] = 0.25
    image = light.reshape(HEIGHT, SIDE, WIDTH, SIDE, 3).mean((1, 3))
    mixed = owner.reshape(HEIGHT, SIDE, WIDTH, SIDE)
    doubtful = undecided.reshape(HEIGHT, SIDE, WIDTH, SIDE).any((1, 3))
    EXPECTED.joinpath("rendered_mesh.json").write_text(json.dumps({
        "oracle": f"NumPy {np.__version__}", "width": WIDTH, "height": HEIGHT, "fieldOfView": FIELD_OF_VIEW,
        "vertices": vertices.tolist(), "colors": colors.tolist(), "points": points.round(9).tolist(),
        "owners": owner.tolist(), "undecided": np.flatnonzero(undecided).tolist(),
        "pixels": srgb(image).round(4).ravel().tolist(), "doubtfulPixels": np.flatnonzero(doubtful).tolist(),
    }) + "\n")
    print(f"{(owner >= 0).mean():.3f} covered, {undecided.mean():.4f} undecided, "
          f"{(mixed.max((1, 3)) != mixed.min((1, 3))).mean():.3f} pixels with edges")


if __name__ == "__main__":
    main()
