interface Event {
  readonly at: number;
  /** Events of the same time happen in the order in which they were planned. */
  readonly order: number;
  readonly happen: () => void;
}

const isBefore = (a: Event, b: Event): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

/** Simulated time, in milliseconds: it jumps from one planned event to the next. */
export class Clock {
  now: number;
  #planned = 0;
  /** A binary heap, the earliest event at its root. */
  readonly #heap: Event[] = [];

  constructor(now: number) {
    this.now = now;
  }

  /** Plans an event for a time that has not passed. */
  at(time: number, happen: () => void): void {
    this.#planned += 1;
    this.#rise({ at: Math.max(time, this.now), order: this.#planned, happen });
  }

  /** Plans an event `ms` from now. */
  in(ms: number, happen: () => void): void {
    this.at(this.now + ms, happen);
  }

  /** Runs all events planned until `end`, including those that they plan in turn. */
  runUntil(end: number): void {
    for (let [first] = this.#heap; first !== undefined && first.at <= end; [first] = this.#heap) {
      this.#dropFirst();
      this.now = first.at;
      first.happen();
    }
    this.now = end;
  }

  #rise(event: Event): void {
    const heap = this.#heap;
    let index = heap.length;
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || !isBefore(event, parent)) break;
      heap[index] = parent;
      index = above;
    }
    heap[index] = event;
  }

  #dropFirst(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      const [left, right] = [heap[2 * index + 1], heap[2 * index + 2]];
      if (left === undefined) break;
      const isRight = right !== undefined && isBefore(right, left);
      const child = isRight ? right : left;
      if (!isBefore(child, last)) break;
      heap[index] = child;
      index = 2 * index + (isRight ? 2 : 1);
    }
    heap[index] = last;
  }
}
