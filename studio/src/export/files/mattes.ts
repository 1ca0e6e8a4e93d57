import { decodeRle, writeGreyPng } from "@segmentation/masks";
import { uniqueNames, type VideoResult } from "segmentation-client";
import type { ExportFile, Making } from "./scope.ts";

const WHITE = 255;

/** Returns a folder's name for each object: its class and its place among those of the class. */
function foldersOf(tracks: VideoResult["tracks"]): ReadonlyMap<number, string> {
  const counts = new Map<string, number>();
  const names = tracks.map(({ objectId, label, prompt }) => {
    const name = label ?? prompt ?? "object";
    const count = 1 + (counts.get(name) ?? 0);
    counts.set(name, count);
    return [`${objectId}`, `${name}-${count}`] as const;
  });
  return new Map([...uniqueNames(new Map(names))].map(([id, name]) => [Number(id), name]));
}

/** Draws luma mattes: a PNG for each processed frame, of all objects and of each. @throws the signal's reason */
export async function drawMattes(
  { masksJson: { width, height, frames }, tracks }: Pick<VideoResult, "masksJson" | "tracks">,
  { signal, onDone }: Pick<Making, "signal" | "onDone">,
): Promise<ExportFile[]> {
  const folders = foldersOf(tracks);
  const files: ExportFile[] = [];
  for (const [i, { frameIdx, objects }] of frames.entries()) {
    signal.throwIfAborted();
    const all = new Uint8Array(width * height);
    const own = new Map([...folders.keys()].map((id) => [id, new Uint8Array(width * height)] as const));
    for (const { objectId, rle } of objects)
      for (const [at, isSet] of decodeRle(rle).data.entries())
        if (isSet) for (const rows of [all, own.get(objectId)]) if (rows !== undefined) rows[at] = WHITE;
    const wanted = [
      ["all", all] as const,
      ...[...own].map(([id, rows]) => [folders.get(id) ?? "", rows] as const),
    ];
    for (const [folder, rows] of wanted) {
      const content = await writeGreyPng({ width, height, bits: 8, rows });
      files.push({ path: `mattes/${folder}/${String(frameIdx).padStart(6, "0")}.png`, content });
    }
    onDone(i + 1, frames.length);
  }
  return files;
}
