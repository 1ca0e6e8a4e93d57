import { type FileHandle, open } from "node:fs/promises";
import { taskFailure } from "../../failures.ts";
import type { Container } from "../input-arguments.ts";
import { matroskaHeader } from "./matroska-header.ts";
import { movHeader } from "./mov-header.ts";
import type { Header } from "./tracks.ts";

/** The most video and sound tracks in one file, since each may have large tables. Studio recordings have sixteen of sound. */
const MOST_TRACKS = 20;
/** The most of other kinds: films have dozens of subtitles. */
const MOST_OTHERS = 300;

const FIRST_TRACK = { specifier: "V:0", isEnabled: true, isEncrypted: false, hasAlphaLayer: false, turn: [] };

/**
 * Reads a file's header.
 *
 * @throws TaskFailure named video_unreadable if it has too many tracks, video_encrypted if no video track is clear; the
 *   signal's reason
 */
export async function readHeader(path: string, container: Container, signal: AbortSignal): Promise<Header> {
  await using file = await open(path);
  const read = { mov: movHeader, matroska: matroskaHeader, avi: aviHeader }[container];
  const { videos, ...header } = await read(file, (await file.stat()).size, signal);
  if (videos.length + header.sounds > MOST_TRACKS || header.others > MOST_OTHERS)
    throw taskFailure("video_unreadable", {
      reason: `it has more than ${header.others > MOST_OTHERS ? MOST_OTHERS : MOST_TRACKS} tracks`,
    });
  const clear = videos.filter(({ isEncrypted }) => !isEncrypted);
  if (clear.length === 0 && videos.length > 0) throw taskFailure("video_encrypted");
  // Falls back to FFmpeg's findings for a file whose index can't be read here, because it is packed, for example.
  return { ...header, videos: clear.length > 0 ? clear : [FIRST_TRACK] };
}

/** RIFF's main header: microseconds per frame, and the number of frames. Its size and place are fixed. */
async function aviHeader(file: FileHandle): Promise<Header> {
  const head = Buffer.alloc(52);
  await file.read(head, 0, head.length, 0);
  const seconds = (head.readUInt32LE(32) * head.readUInt32LE(48)) / 1e6;
  const isThere = head.toString("latin1", 24, 28) === "avih" && seconds > 0;
  return { videos: [FIRST_TRACK], sounds: 0, others: 0, seconds: isThere ? seconds : null };
}
