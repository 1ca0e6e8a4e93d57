export function fail(what: string): never {
  throw new Error(`Not a whole zip: ${what}.`);
}

/** Refuses an archive in which two values that must be equal are not. */
export function unequal(what: string, found: unknown, expected: unknown): void {
  if (found !== expected) fail(`${what} is ${String(found)}, and not ${String(expected)}`);
}

/** A position in an archive, from which its little-endian numbers are read one after the other. */
export class ZipBytes {
  readonly #archive: Buffer;
  at: number;

  constructor(archive: Uint8Array, at: number) {
    this.#archive = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
    this.at = at;
  }

  u16(): number {
    return this.take(2).readUInt16LE();
  }

  u32(): number {
    return this.take(4).readUInt32LE();
  }

  /** The next bytes. @throws Error if the archive ends before them */
  take(length: number): Buffer {
    const bytes = this.#archive.subarray(this.at, this.at + length);
    if (bytes.length < length) fail(`it ends within the ${length} bytes from ${this.at}`);
    this.at += length;
    return bytes;
  }

  expect(what: string, signature: number): void {
    unequal(what, this.u32().toString(16), signature.toString(16));
  }
}
