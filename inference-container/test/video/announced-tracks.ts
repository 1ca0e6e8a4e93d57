/** Boxes of ISO/IEC 14496-12 that contain others, on the way to a track's tables. */
const PARENTS = new Set(["moov", "trak", "mdia", "minf", "stbl"]);

/** Tables that would contradict the new ones. */
const DROPPED = new Set(["edts", "ctts", "stss", "sdtp", "sgpd", "sbgp"]);

/**
 * Rewrites an MP4 of one track: in a few bytes, its tables announce this many samples of one byte, in this many equal
 * tracks.
 */
export function announcing(mp4: Buffer, samples: number, tracks: number): Buffer {
  const tables: Readonly<Record<string, readonly number[]>> = {
    stsz: [0, 1, samples],
    stts: [0, 1, samples, 1],
    stsc: [0, 1, 1, samples, 1],
    stco: [0, 1, 48],
  };
  const rewritten = (boxes: Buffer): Buffer => {
    const written: Buffer[] = [];
    for (let at = 0; at < boxes.length; at += boxes.readUInt32BE(at)) {
      const type = boxes.toString("latin1", at + 4, at + 8);
      const body = boxes.subarray(at + 8, at + boxes.readUInt32BE(at));
      if (DROPPED.has(type)) continue;
      const table = tables[type];
      const content = table === undefined ? body : words(table);
      const made = box(type, PARENTS.has(type) ? rewritten(body) : content);
      for (let copy = 0; copy < (type === "trak" ? tracks : 1); copy++) written.push(made);
    }
    return Buffer.concat(written);
  };
  return rewritten(mp4);
}

function box(type: string, body: Buffer): Buffer {
  return Buffer.concat([words([body.length + 8]), Buffer.from(type, "latin1"), body]);
}

function words(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, 4 * at);
  return bytes;
}
