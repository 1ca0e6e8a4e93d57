import type { Device } from "./device.ts";
import type { HeldTensor } from "./messages.ts";

/** Results that stay in the device's thread until the last who uses them lets go: `using features = …`, by the graph's roles. */
export class Held implements Disposable {
  readonly tensors: Readonly<Record<string, HeldTensor>>;
  readonly #device: Device;
  #uses = 1;

  /** Whoever makes it uses it. */
  constructor(device: Device, tensors: Readonly<Record<string, HeldTensor>>) {
    this.#device = device;
    this.tensors = tensors;
  }

  /** Bytes of the device's thread. */
  get size(): number {
    return Object.values(this.tensors).reduce((sum, { size }) => sum + size, 0);
  }

  /** One more that uses them, and has to let go. */
  share(): this {
    this.#uses += 1;
    return this;
  }

  [Symbol.dispose](): void {
    this.#uses -= 1;
    if (this.#uses === 0) this.#device.release(Object.values(this.tensors));
  }
}

/** All of several, or none: where one can't be had, the others are let go. @throws whatever the first of those failed with */
export async function allHeld(asked: readonly Promise<Held>[]): Promise<Held[]> {
  const outcomes = await Promise.allSettled(asked);
  const had = outcomes.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const failed = outcomes.find((one) => one.status === "rejected");
  if (failed === undefined) return had;
  for (const held of had) held[Symbol.dispose]();
  throw failed.reason;
}
