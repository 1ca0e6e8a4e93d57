/**
 * Reads FlatBuffers tables by field number, enough for TensorFlow Lite's schema.
 * The layout is that of FlatBuffers' internals document: a table starts with the distance back to its vtable, which
 * holds, after two sizes, the offset of each field within the table; 0 marks an absent field.
 */

const VTABLE_HEADER_BYTES = 4;
const LENGTH_BYTES = 4;

/** One table of a FlatBuffers file. A field's address is its id in the schema, in declaration order. */
export class Table {
  readonly #view: DataView;
  readonly #position: number;

  private constructor(view: DataView, position: number) {
    this.#view = view;
    this.#position = position;
  }

  /** The root table of a file. */
  static root(bytes: Uint8Array): Table {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return new Table(view, view.getUint32(0, true));
  }

  int8(field: number): number {
    const at = this.#locate(field);
    return at === undefined ? 0 : this.#view.getInt8(at);
  }

  int32(field: number, fallback = 0): number {
    const at = this.#locate(field);
    return at === undefined ? fallback : this.#view.getInt32(at, true);
  }

  text(field: number): string {
    return new TextDecoder().decode(this.bytes(field));
  }

  child(field: number): Table | undefined {
    const at = this.#locate(field);
    return at === undefined ? undefined : new Table(this.#view, this.#follow(at));
  }

  children(field: number): Table[] {
    return this.#items(field, 4, (at) => new Table(this.#view, this.#follow(at)));
  }

  int32s(field: number): number[] {
    return this.#items(field, 4, (at) => this.#view.getInt32(at, true));
  }

  float32s(field: number): number[] {
    return this.#items(field, 4, (at) => this.#view.getFloat32(at, true));
  }

  int64s(field: number): number[] {
    return this.#items(field, 8, (at) => Number(this.#view.getBigInt64(at, true)));
  }

  /** A copy of a vector of bytes, aligned for typed views; empty if the field is absent. */
  bytes(field: number): Uint8Array<ArrayBuffer> {
    const at = this.#locate(field);
    if (at === undefined) return new Uint8Array(0);
    const vector = this.#follow(at);
    const start = this.#view.byteOffset + vector + LENGTH_BYTES;
    return new Uint8Array(new Uint8Array(this.#view.buffer, start, this.#view.getUint32(vector, true)));
  }

  #locate(field: number): number | undefined {
    const vtable = this.#position - this.#view.getInt32(this.#position, true);
    const entry = VTABLE_HEADER_BYTES + 2 * field;
    const offset =
      entry < this.#view.getUint16(vtable, true) ? this.#view.getUint16(vtable + entry, true) : 0;
    return offset === 0 ? undefined : this.#position + offset;
  }

  /** References are relative to their own position. */
  #follow(at: number): number {
    return at + this.#view.getUint32(at, true);
  }

  #items<T>(field: number, stride: number, read: (at: number) => T): T[] {
    const at = this.#locate(field);
    if (at === undefined) return [];
    const vector = this.#follow(at);
    return Array.from({ length: this.#view.getUint32(vector, true) }, (_, i) =>
      read(vector + LENGTH_BYTES + i * stride),
    );
  }
}
