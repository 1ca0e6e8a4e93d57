import { open } from "node:fs/promises";

/** An index of what is where in the file stands at its beginning; what writers put before it is short. */
const HEAD_BYTES = 65_536;

/** RFC 9559, section 5.1.1: in the SeekHead, a SeekID of four bytes that names Cues. */
const POINTER_TO_CUES = Buffer.from([0x53, 0xab, 0x84, 0x1c, 0x53, 0xbb, 0x6b]);

/** Whether a Matroska file says where its index of key frames is. Without one, FFmpeg reads all that lies before a time. */
export async function hasCues(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead).includes(POINTER_TO_CUES);
  } finally {
    await file.close();
  }
}
