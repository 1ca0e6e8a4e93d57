// oxlint-disable no-control-regex -- bytes of files are no text
/** Detects a file's kind by its first bytes, as each format's own specification describes. */

export interface FileKind {
  /** Its MIME type. A picture's or a video's begins with `image/` or `video/`. */
  readonly contentType: string;
  /** The usual name of the format. */
  readonly name: string;
}

/** The number of leading bytes `fileKindOf` looks at. */
export const HEAD_BYTES = 1_024;

/** The pictures that the service reads. */
export const READABLE_PICTURES: ReadonlySet<string> = new Set([
  "image/jpeg",
  "image/png",
  "image/webp",
  "image/gif",
  "image/avif",
]);

type Row = readonly [contentType: string, name: string, signature: RegExp];

/** Signatures over the bytes as Latin-1 text; the first that fits counts. */
const SIGNATURES: readonly Row[] = [
  ["image/jpeg", "JPEG", /^\xff\xd8\xff/],
  ["image/png", "PNG", /^\x89PNG\r\n\x1a\n/],
  ["image/gif", "GIF", /^GIF8[79]a/],
  ["image/webp", "WebP", /^RIFF.{4}WEBP/s],
  ["video/mj2", "Motion JPEG 2000", /^\0\0\0\x0cjP {2}.{8}ftypmjp2/s],
  ["image/jp2", "JPEG 2000", /^(?:\0\0\0\x0cjP {2}|\xff\x4f\xff\x51)/],
  ["image/jxl", "JPEG XL", /^(?:\0\0\0\x0cJXL |\xff\x0a)/],
  ["image/jxr", "JPEG XR", /^II\xbc[\0\x01]/],
  ["image/x-canon-cr2", "Canon CR2", /^II\*\0.{4}CR/s],
  ["image/x-canon-crw", "Canon CRW", /^II.{4}HEAPCCDR/s],
  ["image/x-olympus-orf", "Olympus ORF", /^(?:IIR[OS]|MMOR)/],
  ["image/x-panasonic-rw2", "Panasonic RW2", /^IIU\0/],
  ["image/x-fuji-raf", "Fujifilm RAF", /^FUJIFILMCCD-RAW/],
  ["image/x-sigma-x3f", "Sigma X3F", /^FOVb/],
  ["image/x-minolta-mrw", "Minolta MRW", /^\0MRM/],
  ["image/tiff", "TIFF", /^(?:II[*+]\0|MM\0[*+])/],
  ["image/bmp", "BMP", /^BM.{4}\0{4}/s],
  ["image/x-icon", "ICO", /^\0\0\x01\0[^\0]\0/],
  ["image/icns", "ICNS", /^icns/],
  ["image/vnd.adobe.photoshop", "Photoshop", /^8BPS/],
  ["image/x-xcf", "GIMP", /^gimp xcf/],
  ["image/x-exr", "OpenEXR", /^v\/1\x01/],
  ["image/vnd.radiance", "Radiance HDR", /^#\?(?:RADIANCE|RGBE)/],
  ["image/x-portable-anymap", "PNM", /^P[1-7][ \t\r\n#]/],
  ["image/x-portable-floatmap", "PFM", /^P[Ff][\r\n]/],
  ["image/vnd-ms.dds", "DDS", /^DDS /],
  ["image/ktx2", "KTX", /^\xabKTX [12]/],
  ["image/qoi", "QOI", /^qoif/],
  ["image/flif", "FLIF", /^FLIF/],
  ["image/bpg", "BPG", /^BPG\xfb/],
  ["image/x-mng", "MNG", /^[\x8a\x8b][MJ]NG\r\n/],
  ["image/fits", "FITS", /^SIMPLE {2}=/],
  ["image/vnd.djvu", "DjVu", /^AT&TFORM/],
  ["image/wmf", "WMF", /^\xd7\xcd\xc6\x9a/],
  ["image/emf", "EMF", /^\x01\0\0\0.{36} EMF/s],
  ["image/x-pcx", "PCX", /^\x0a[\0-\x05]\x01[\x01\x02\x04\x08]/],
  ["image/svg+xml", "SVG", /^[^\w<]*<(?:(?:svg:)?svg|(?:\?xml|!--|!DOCTYPE)[^]*<(?:svg:)?svg|!DOCTYPE svg)/i],
  ["application/pdf", "PDF", /^%PDF-/],
  ["application/postscript", "PostScript", /^(?:%!PS|\xc5\xd0\xd3\xc6)/],
  ["application/dicom", "DICOM", /^.{128}DICM/s],
  ["video/webm", "WebM", /^\x1a\x45\xdf\xa3.{0,64}\x42\x82\x84webm/s],
  ["video/x-matroska", "Matroska", /^\x1a\x45\xdf\xa3/],
  ["video/x-msvideo", "AVI", /^RIFF.{4}AVI /s],
  ["video/quicktime", "QuickTime", /^.{4}(?:moov|mdat|free|skip|wide|pnot)/s],
  ["video/mp4", "MP4", /^.{4}styp/s],
  ["video/mp2t", "MPEG transport stream", /^(?:G.{187}G.{187}G|.{4}G.{191}G)/s],
  ["video/mpeg", "MPEG", /^\0\0\x01[\xba\xb3]/],
  ["video/x-flv", "FLV", /^FLV\x01/],
  ["video/ogg", "Ogg", /^OggS/],
  ["video/x-ms-asf", "Windows Media", /^\x30\x26\xb2\x75\x8e\x66\xcf\x11/],
  ["video/vnd.rn-realvideo", "RealMedia", /^\.RMF/],
  ["video/x-ivf", "IVF", /^DKIF/],
  ["video/mxf", "MXF", /^\x06\x0e\x2b\x34\x02\x05\x01\x01/],
  // TGA has no magic number, but its header's fields have values that other files hardly have. Uncompressed or
  // run-length encoded.
  [
    "image/x-tga",
    "TGA",
    /^.\0[\x02\x03\x0a\x0b]\0{5}.{4}(?!\0\0)..(?!\0\0)..[\x08\x0f\x10\x18\x20][\0-\x3f]/s,
  ],
  [
    "image/x-tga",
    "TGA",
    /^.\x01[\x01\x09].{4}[\x0f\x10\x18\x20].{4}(?!\0\0)..(?!\0\0)..[\x08\x10][\0-\x3f]/s,
  ],
];

/**
 * Brands of ISO base media files (ISO/IEC 14496-12), in order of preference: pictures also name the brand of their
 * container. Only the major brand identifies QuickTime.
 */
const BRANDS: readonly Row[] = [
  ["image/avif", "AVIF", /^avi[fs]$/],
  ["image/heic", "HEIC", /^(?:hei[cmsx]|hev[cmsx]|mi[fa][12f]|msf1)$/],
  ["image/heif", "HEIF", /^(?:avc[is]|vvi[cs]|evb[is]|jpeg|jpgs|j2k[is])$/],
  ["image/x-canon-cr3", "Canon CR3", /^crx $/],
  [
    "video/mp4",
    "MP4",
    /^(?:iso[\da-cm]|mp[47]\d|avc[1-4]|av01|hvc1|hev1|M4[ABPV] |M4V[HP]|mmp4|[fF]4[abpv] |3g[\da-z]{2}|dash|msdh|msix|cmf[\da-z]|piff|MSNV|ND[SX][CHMPS]|XAVC|qt {2})$/,
  ],
];

/** The kind of a file, by its first `HEAD_BYTES` bytes or all of them; undefined if they belong to no known format. */
export function fileKindOf(head: Uint8Array): FileKind | undefined {
  const text = String.fromCharCode(...head.subarray(0, HEAD_BYTES));
  const row = text.startsWith("ftyp", 4)
    ? ofBrands(text)
    : SIGNATURES.find(([, , signature]) => signature.test(text));
  return row && { contentType: row[0], name: row[1] };
}

/** The `ftyp` box has its size, a major brand, a version, and compatible brands. */
function ofBrands(text: string): Row | undefined {
  const major = text.slice(8, 12);
  if (major === "qt  ") return ["video/quicktime", "QuickTime", /^/];
  const size = [0, 1, 2, 3].reduce((sum, at) => 256 * sum + text.charCodeAt(at), 0);
  const brands = [major, ...(text.slice(16, size).match(/[^]{4}/g) ?? [])];
  return BRANDS.find(([, , brand]) => brands.some((each) => brand.test(each)));
}
