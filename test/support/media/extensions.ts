/** The usual file extension of each content type that may be uploaded. */
export const USUAL_EXTENSIONS: readonly (readonly [contentType: string, extension: string])[] = [
  ["image/png", "png"],
  ["image/jpeg", "jpg"],
  ["image/webp", "webp"],
  ["image/gif", "gif"],
  ["image/avif", "avif"],
  ["image/heic", "heic"],
  ["image/tiff", "tiff"],
  ["image/bmp", "bmp"],
  ["video/mp4", "mp4"],
  ["video/quicktime", "mov"],
  ["video/webm", "webm"],
  ["video/x-matroska", "mkv"],
  ["video/x-msvideo", "avi"],
  ["application/octet-stream", "bin"],
];
