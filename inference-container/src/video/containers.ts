/** The containers that clips are read from, by FFmpeg's demuxer names. */
export const CONTAINERS = ["mov", "matroska", "avi"] as const;
export type Container = (typeof CONTAINERS)[number];
