import type { Device } from "./device.ts";
import type { HeldTensor } from "./messages.ts";

/** Results by the graph's roles. They stay in the device's thread until their last user releases them: `using features = …`. */
export class Held implements Disposable {
  readonly tensors: Readonly<Record<string, HeldTensor>>;
  readonly #device: Device;
  #uses = 1;

  /** The maker is the first user. */
  constructor(device: Device, tensors: Readonly<Record<string, HeldTensor>>) {
    this.#device = device;
    this.tensors = tensors;
  }

  /** Bytes that they take in the device's thread. */
  get size(): number {
    return Object.values(this.tensors).reduce((sum, { size }) => sum + size, 0);
  }

  /** Adds a user, who has to release them too. */
  share(): this {
    this.#uses += 1;
    return this;
  }

  [Symbol.dispose](): void {
    this.#uses -= 1;
    if (this.#uses === 0) this.#device.release(Object.values(this.tensors));
  }
}
