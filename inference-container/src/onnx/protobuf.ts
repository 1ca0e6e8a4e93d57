/** Writes protocol buffers: varints, fixed 32-bit floats and length-delimited fields of the wire format. */

/** An encoded field; a message is the concatenation of its fields. */
export type Field = Uint8Array;

const WIRE_VARINT = 0;
const WIRE_BYTES = 2;
const WIRE_FLOAT32 = 5;

/** An int64, enum or bool field; `value` is a non-negative safe integer or a small negative one. */
export function integer(field: number, value: number): Field {
  return Uint8Array.from([
    ...varint(BigInt(field * 8 + WIRE_VARINT)),
    ...varint(BigInt.asUintN(64, BigInt(value))),
  ]);
}

export function float32(field: number, value: number): Field {
  const payload = new Uint8Array(Float32Array.of(value).buffer);
  return Uint8Array.from([...varint(BigInt(field * 8 + WIRE_FLOAT32)), ...payload]);
}

export function bytes(field: number, value: Uint8Array): Field {
  const head = [...varint(BigInt(field * 8 + WIRE_BYTES)), ...varint(BigInt(value.length))];
  return join([Uint8Array.from(head), value]);
}

export function text(field: number, value: string): Field {
  return bytes(field, new TextEncoder().encode(value));
}

export function message(field: number, fields: readonly Field[]): Field {
  return bytes(field, join(fields));
}

/** Concatenates encoded fields into a message's body. */
export function join(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function varint(value: bigint): number[] {
  const digits: number[] = [];
  let rest = value;
  for (; rest > 0x7fn; rest >>= 7n) digits.push(Number(rest & 0x7fn) | 0x80);
  digits.push(Number(rest));
  return digits;
}
