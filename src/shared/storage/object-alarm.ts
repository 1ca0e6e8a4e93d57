/** A Durable Object's one alarm, and for when it is set. */
export class ObjectAlarm {
  readonly #storage: DurableObjectStorage;
  /** Undefined until it is known. */
  #setFor: number | null | undefined;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** Reads for when the alarm is set. An object's constructor blocks everything else until then. */
  async load(): Promise<void> {
    const setFor = await this.#storage.getAlarm();
    if (this.#setFor === undefined) this.#setFor = setFor;
  }

  /** For when the alarm is set, epoch milliseconds; null if it is not set, or has gone off. */
  get setFor(): number | null {
    return this.#setFor ?? null;
  }

  /** Notes that the alarm has gone off. */
  wentOff(): void {
    this.#setFor = null;
  }

  /** Sets the alarm. One that is due stays: the platform may lose an alarm that is set for the past while one runs. */
  async set(at: number): Promise<void> {
    if (at === this.#setFor && at <= Date.now()) return;
    this.#setFor = at;
    await this.#storage.setAlarm(at);
  }

  /** Deletes the alarm. */
  async delete(): Promise<void> {
    this.#setFor = null;
    await this.#storage.deleteAlarm();
  }
}
