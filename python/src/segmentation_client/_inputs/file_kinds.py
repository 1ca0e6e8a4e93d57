"""Kinds of files by their first bytes. The table is that of masks/src/file-kinds.ts, and tested with the same files."""

from __future__ import annotations

import re

HEAD_BYTES = 1024
"""The number of leading bytes `content_type_of_head` looks at."""

UNKNOWN_TYPE = "application/octet-stream"

_SIGNATURES: list[tuple[bytes, str]] = [
    (rb"\xff\xd8\xff", "image/jpeg"),
    (rb"\x89PNG\r\n\x1a\n", "image/png"),
    (rb"GIF8[79]a", "image/gif"),
    (rb"RIFF.{4}WEBP", "image/webp"),
    (rb"\0\0\0\x0cjP {2}.{8}ftypmjp2", "video/mj2"),
    (rb"(?:\0\0\0\x0cjP {2}|\xff\x4f\xff\x51)", "image/jp2"),
    (rb"(?:\0\0\0\x0cJXL |\xff\x0a)", "image/jxl"),
    (rb"II\xbc[\0\x01]", "image/jxr"),
    (rb"II\*\0.{4}CR", "image/x-canon-cr2"),
    (rb"II.{4}HEAPCCDR", "image/x-canon-crw"),
    (rb"(?:IIR[OS]|MMOR)", "image/x-olympus-orf"),
    (rb"IIU\0", "image/x-panasonic-rw2"),
    (rb"FUJIFILMCCD-RAW", "image/x-fuji-raf"),
    (rb"FOVb", "image/x-sigma-x3f"),
    (rb"\0MRM", "image/x-minolta-mrw"),
    (rb"(?:II[*+]\0|MM\0[*+])", "image/tiff"),
    (rb"BM.{4}\0{4}", "image/bmp"),
    (rb"\0\0\x01\0[^\0]\0", "image/x-icon"),
    (rb"icns", "image/icns"),
    (rb"8BPS", "image/vnd.adobe.photoshop"),
    (rb"gimp xcf", "image/x-xcf"),
    (rb"v/1\x01", "image/x-exr"),
    (rb"#\?(?:RADIANCE|RGBE)", "image/vnd.radiance"),
    (rb"P[1-7][ \t\r\n#]", "image/x-portable-anymap"),
    (rb"P[Ff][\r\n]", "image/x-portable-floatmap"),
    (rb"DDS ", "image/vnd-ms.dds"),
    (rb"\xabKTX [12]", "image/ktx2"),
    (rb"qoif", "image/qoi"),
    (rb"FLIF", "image/flif"),
    (rb"BPG\xfb", "image/bpg"),
    (rb"[\x8a\x8b][MJ]NG\r\n", "image/x-mng"),
    (rb"SIMPLE {2}=", "image/fits"),
    (rb"AT&TFORM", "image/vnd.djvu"),
    (rb"\xd7\xcd\xc6\x9a", "image/wmf"),
    (rb"\x01\0\0\0.{36} EMF", "image/emf"),
    (rb"\x0a[\0-\x05]\x01[\x01\x02\x04\x08]", "image/x-pcx"),
    (rb"(?i)[^\w<]*<(?:(?:svg:)?svg|(?:\?xml|!--|!DOCTYPE)[\s\S]*<(?:svg:)?svg|!DOCTYPE svg)", "image/svg+xml"),
    (rb"\x1a\x45\xdf\xa3.{0,64}\x42\x82\x84webm", "video/webm"),
    (rb"\x1a\x45\xdf\xa3", "video/x-matroska"),
    (rb"RIFF.{4}AVI ", "video/x-msvideo"),
    (rb".{4}(?:moov|mdat|free|skip|wide|pnot)", "video/quicktime"),
    (rb".{4}styp", "video/mp4"),
    (rb"(?:G.{187}G.{187}G|.{4}G.{191}G)", "video/mp2t"),
    (rb"\0\0\x01[\xba\xb3]", "video/mpeg"),
    (rb"FLV\x01", "video/x-flv"),
    (rb"OggS", "video/ogg"),
    (rb"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "video/x-ms-asf"),
    (rb"\.RMF", "video/vnd.rn-realvideo"),
    (rb"DKIF", "video/x-ivf"),
    (rb"\x06\x0e\x2b\x34\x02\x05\x01\x01", "video/mxf"),
    (rb".\0[\x02\x03\x0a\x0b]\0{5}.{4}(?!\0\0)..(?!\0\0)..[\x08\x0f\x10\x18\x20][\0-\x3f]", "image/x-tga"),
    (rb".\x01[\x01\x09].{4}[\x0f\x10\x18\x20].{4}(?!\0\0)..(?!\0\0)..[\x08\x10][\0-\x3f]", "image/x-tga"),
]
"""The first match counts."""

_BRANDS: list[tuple[bytes, str]] = [
    (rb"avi[fs]", "image/avif"),
    (rb"(?:hei[cmsx]|hev[cmsx]|mi[fa][12f]|msf1)", "image/heic"),
    (rb"(?:avc[is]|vvi[cs]|evb[is]|jpeg|jpgs|j2k[is])", "image/heif"),
    (rb"crx ", "image/x-canon-cr3"),
    (rb"(?:iso[\da-cm]|mp[47]\d|avc[1-4]|av01|hvc1|hev1|M4[ABPV] |M4V[HP]|mmp4|[fF]4[abpv] |3g[\da-z]{2}|dash|msdh|msix|cmf[\da-z]|piff|MSNV|ND[SX][CHMPS]|XAVC|qt {2})", "video/mp4"),
]
"""Brands of ISO base media files, in order of preference: pictures also name the brand of their container."""


def content_type_of_head(head: bytes) -> str:
    """The MIME type of a picture or a video; `application/octet-stream` if the bytes belong to neither."""
    if head[4:8] == b"ftyp":
        return _of_brands(head)
    return next((kind for signature, kind in _SIGNATURES if re.match(signature, head, re.DOTALL)), UNKNOWN_TYPE)


def _of_brands(head: bytes) -> str:
    major = head[8:12]
    if major == b"qt  ":
        return "video/quicktime"
    size = min(int.from_bytes(head[:4], "big"), len(head))
    brands = [major, *(head[at : at + 4] for at in range(16, size - 3, 4))]
    found = (kind for brand, kind in _BRANDS if any(re.fullmatch(brand, each) for each in brands))
    return next(found, UNKNOWN_TYPE)
