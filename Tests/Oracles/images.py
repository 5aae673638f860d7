#!/usr/bin/env python3
"""Writes expected/images.json: small synthetic JPEG and PNG files with the pixels that they must decode to.

JPEG pixels are Pillow's (libjpeg-turbo), also those at 1/2, 1/4 and 1/8. PNG pixels follow from the samples that are written, by the rules that
the decoder states: the high byte of 16 bits, gray below 8 bits scaled to 255, alpha dropped without blending;
where Pillow has the same rule, the script checks that it agrees.

Needs: numpy, pillow.  Run: python3 Tests/Oracles/images.py
"""
import base64
import io
import json
import pathlib
import struct
import zlib

import numpy as np
from PIL import Image

WIDTH, HEIGHT = 37, 29
random = np.random.default_rng(2)


def scene(channels=3):
    """Smooth ramps, a sharp edge and some noise, so that every part of a codec has work."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    planes = []
    for channel in range(channels):
        plane = 128 + 100 * np.sin(x / (4 + channel)) * np.cos(y / (5 - channel))
        plane[:, WIDTH // 2 :] = 255 - plane[:, WIDTH // 2 :]
        plane += random.normal(0, 8, plane.shape)
        planes.append(np.clip(plane, 0, 255))
    return np.rint(np.stack(planes, -1)).astype(np.uint8)


def encoded(data):
    return base64.b64encode(bytes(data)).decode()


cases = []


def add(name, kind, data, rgb, orientation=1):
    rgb = np.ascontiguousarray(rgb, np.uint8)
    cases.append({
        "name": name, "format": kind, "bytes": encoded(data), "width": rgb.shape[1], "height": rgb.shape[0],
        "orientation": orientation, "rgb": encoded(rgb.tobytes())})


def add_jpeg(name, image, orientation=1, **options):
    out = io.BytesIO()
    image.save(out, "JPEG", **options)
    data = out.getvalue()
    add(name, "JPEG", data, np.asarray(Image.open(io.BytesIO(data)).convert("RGB")), orientation)


color = Image.fromarray(scene())
for label, subsampling in (("4:4:4", 0), ("4:2:2", 1), ("4:2:0", 2)):
    for progressive in (False, True):
        kind = "progressive" if progressive else "baseline"
        add_jpeg(f"{kind} {label}", color, subsampling=subsampling, progressive=progressive, quality=85)
add_jpeg("lowest quality", color, quality=1)
add_jpeg("highest quality with optimised tables", color, quality=100, subsampling=0, optimize=True)
add_jpeg("restart markers", color, quality=80, restart_marker_blocks=2)
add_jpeg("gray", color.convert("L"), quality=90)
add_jpeg("progressive gray", color.convert("L"), quality=60, progressive=True)
add_jpeg("CMYK", Image.fromarray(scene(4), "CMYK"), quality=92)
add_jpeg("RGB without conversion", color, quality=90, keep_rgb=True)
add_jpeg("one pixel", color.crop((0, 0, 1, 1)), quality=90)
add_jpeg("one row", color.crop((0, 0, WIDTH, 1)), quality=90)
add_jpeg("comment and profile", color, quality=75, comment=b"x" * 500, icc_profile=b"y" * 70000)
for orientation in range(1, 9):
    exif = Image.Exif()
    exif[0x0112] = orientation
    add_jpeg(f"orientation {orientation}", color.crop((0, 0, 16, 8)), orientation, exif=exif.tobytes(), quality=50)
little = b"Exif\0\0II*\0\x08\0\0\0" + struct.pack("<HHHIHHI", 1, 0x0112, 3, 1, 6, 0, 0)
add_jpeg("little-endian orientation 6", color.crop((0, 0, 8, 16)), 6, exif=little, quality=50)


def chunk(kind, data):
    body = kind + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))


def filtered(rows, pixel_bytes):
    """Filters each row with the next of the five types."""
    out, before = bytearray(), None
    for index, row in enumerate(rows):
        row = np.frombuffer(row, np.uint8).astype(int)
        above = np.zeros_like(row) if before is None else before
        left = np.concatenate([np.zeros(pixel_bytes, int), row])[: len(row)]
        corner = np.concatenate([np.zeros(pixel_bytes, int), above])[: len(row)]
        estimate = left + above - corner
        a, b, c = abs(estimate - left), abs(estimate - above), abs(estimate - corner)
        paeth = np.where((a <= b) & (a <= c), left, np.where(b <= c, above, corner))
        kind = index % 5
        guess = [np.zeros_like(row), left, above, (left + above) // 2, paeth][kind]
        out.append(kind)
        out += ((row - guess) % 256).astype(np.uint8).tobytes()
        before = row
    return bytes(out)


def png(samples, color_type, depth, interlaced, extra=b""):
    """A PNG of samples [height, width, channels]."""
    def rows(part):
        for row in part:
            flat = row.reshape(-1)
            if depth == 16:
                yield flat.astype(">u2").tobytes()
            elif depth == 8:
                yield flat.astype(np.uint8).tobytes()
            else:
                bits = ((flat[:, None] >> np.arange(depth - 1, -1, -1)) & 1).astype(np.uint8)
                yield np.packbits(bits.reshape(-1)).tobytes()
    pixel_bytes = max(1, samples.shape[2] * depth // 8)
    if interlaced:
        passes = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)]
        parts = [samples[y::dy, x::dx] for y, x, dy, dx in passes]
        data = b"".join(filtered(rows(part), pixel_bytes) for part in parts if part.size)
    else:
        data = filtered(rows(samples), pixel_bytes)
    header = struct.pack(">IIBBBBB", samples.shape[1], samples.shape[0], depth, color_type, 0, 0, int(interlaced))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + extra + chunk(b"IDAT", zlib.compress(data, 9))
            + chunk(b"IEND", b""))


CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
KINDS = {0: "gray", 2: "color", 3: "palette", 4: "gray and alpha", 6: "color and alpha"}
palette = random.integers(0, 256, (256, 3), np.uint8)
for color_type, depths in ((0, (1, 2, 4, 8, 16)), (2, (8, 16)), (3, (1, 2, 4, 8)), (4, (8, 16)), (6, (8, 16))):
    for depth in depths:
        for interlaced in (False, True):
            top = 1 << depth
            samples = random.integers(0, top, (11, 13, CHANNELS[color_type]), np.uint32)
            extra = b""
            if color_type == 3:
                extra = chunk(b"PLTE", palette[:top].tobytes()) + chunk(b"tRNS", bytes([0, 128]))
                rgb = palette[samples[..., 0]]
            else:
                levels = samples >> 8 if depth == 16 else samples * 255 // (top - 1)
                rgb = levels[..., :3] if color_type in (2, 6) else np.repeat(levels[..., :1], 3, -1)
                # A gamma and a transparent color, both of which decoding leaves alone.
                extra = chunk(b"gAMA", struct.pack(">I", 100000))
                if color_type in (0, 2):
                    extra += chunk(b"tRNS", b"\0\1" * CHANNELS[color_type])
            data = png(samples, color_type, depth, interlaced, extra)
            image = Image.open(io.BytesIO(data))
            if not (color_type in (0, 4) and depth == 16):
                seen = image.convert("RGBA" if color_type in (4, 6) else "RGB")
                assert (np.asarray(seen)[..., :3] == rgb).all(), (color_type, depth)
            title = f"{KINDS[color_type]}, {depth} bits{', interlaced' if interlaced else ''}"
            add(title, "PNG", data, rgb)
add("one pixel", "PNG", png(np.full((1, 1, 3), 7, np.uint32), 2, 8, True), np.full((1, 1, 3), 7))

source = scene()
encodings = []
for quality in (1, 50, 90, 95, 96, 100):
    for label, subsampling in (("full", 0), ("quarter", 2)):
        out = io.BytesIO()
        Image.fromarray(source).save(out, "JPEG", quality=quality, subsampling=subsampling)
        pixels = np.asarray(Image.open(out).convert("RGB"))
        encodings.append({"quality": quality, "chroma": label, "rgb": encoded(pixels.tobytes())})

reductions = []


def add_reductions(name, image, **options):
    """The pixels of a JPEG of odd sides at each smaller scale, which Pillow calls a draft."""
    out = io.BytesIO()
    image.save(out, "JPEG", **options)
    pixels = {}
    for reduction in (2, 4, 8):
        smaller = Image.open(io.BytesIO(out.getvalue()))
        smaller.draft(smaller.mode, (image.width // reduction, image.height // reduction))
        rgb = np.asarray(smaller.convert("RGB"))
        assert rgb.shape[:2] == (-(-image.height // reduction), -(-image.width // reduction)), (name, rgb.shape)
        pixels[reduction] = encoded(rgb.tobytes())
    reductions.append({
        "name": name, "bytes": encoded(out.getvalue()), "width": image.width, "height": image.height,
        "rgb": pixels})


WIDTH, HEIGHT = 131, 93
large = Image.fromarray(scene())
for label, subsampling in (("4:4:4", 0), ("4:2:2", 1), ("4:2:0", 2)):
    for progressive in (False, True):
        kind = "progressive" if progressive else "baseline"
        add_reductions(f"{kind} {label}", large, subsampling=subsampling, progressive=progressive, quality=75)
add_reductions("gray", large.convert("L"), quality=75)
add_reductions("progressive gray", large.convert("L"), quality=75, progressive=True)
add_reductions("CMYK", Image.fromarray(scene(4), "CMYK"), quality=75)

target = pathlib.Path(__file__).parent / "expected" / "images.json"
target.write_text(json.dumps({
    "decodings": cases,
    "source": {"width": source.shape[1], "height": source.shape[0], "rgb": encoded(source.tobytes())},
    "encodings": encodings,
    "reductions": reductions,
}, separators=(",", ":")) + "\n")
print(target, target.stat().st_size, "bytes,", len(cases), "files")
