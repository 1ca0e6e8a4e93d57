/** The containers that clips are read from, by the names of FFmpeg's demuxers. */
export const CONTAINERS = ["mov", "matroska", "avi"] as const;
export type Container = (typeof CONTAINERS)[number];
