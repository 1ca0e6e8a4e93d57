/** A Durable Object's one alarm, and its time. */
export class ObjectAlarm {
  readonly #storage: DurableObjectStorage;
  /** Undefined until it is known. */
  #setFor: number | null | undefined;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** Reads the alarm's time. An object's constructor blocks everything else until then. */
  async load(): Promise<void> {
    const setFor = await this.#storage.getAlarm();
    if (this.#setFor === undefined) this.#setFor = setFor;
  }

  /** The time that the alarm is set for, epoch milliseconds; null if it is not set, or has gone off. */
  get setFor(): number | null {
    return this.#setFor ?? null;
  }

  wentOff(): void {
    this.#setFor = null;
  }

  /** Sets the alarm. Does not change a due alarm: the platform may lose an alarm that is set for the past while one runs. */
  async set(at: number): Promise<void> {
    if (at === this.#setFor && at <= Date.now()) return;
    this.#setFor = at;
    await this.#storage.setAlarm(at);
  }

  async delete(): Promise<void> {
    this.#setFor = null;
    await this.#storage.deleteAlarm();
  }
}
