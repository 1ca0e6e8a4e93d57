import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { Instance } from "../../../workspace/rules/instances.ts";

/** State that the selection depends on. */
interface Selectable {
  /** All objects of the open picture, in the order of the list. */
  readonly listed: ReadonlySignal<readonly Instance[]>;
  /** The object that was clicked in the picture. */
  readonly clicked: ReadonlySignal<Instance | null>;
}

/** The selected objects of the open picture: several of the list, or the one that was clicked in the picture. */
export class Selecting {
  readonly #many = signal<readonly string[]>([]);
  #last: string | null = null;
  readonly #selectable: Selectable;

  constructor(selectable: Selectable) {
    this.#selectable = selectable;
  }

  readonly instances = computed((): readonly Instance[] => {
    const { listed, clicked } = this.#selectable;
    const many = listed.value.filter(({ object }) => this.#many.value.includes(object));
    return many.length > 0 || clicked.value === null ? many : [clicked.value];
  });

  readonly objects = computed(() => this.instances.value.map(({ object }) => object));

  /** Selects an object in addition to the others, or no longer. */
  toggle({ object }: Instance): void {
    const before = this.objects.peek();
    this.#many.value = before.includes(object)
      ? before.filter((each) => each !== object)
      : [...before, object];
    this.#last = object;
  }

  /** Selects the objects of the list from the one that was selected last to this one. */
  extendTo({ object }: Instance): void {
    const all = this.#selectable.listed.peek().map((each) => each.object);
    const from = all.indexOf(this.#last ?? this.objects.peek()[0] ?? object);
    const [start, end] = [from, all.indexOf(object)].toSorted((a, b) => a - b);
    this.#many.value = [
      ...new Set([...this.#many.peek(), ...all.slice(Math.max(0, start ?? 0), (end ?? 0) + 1)]),
    ];
  }

  /** Selects none of the list. */
  clear(): void {
    this.#many.value = [];
    this.#last = null;
  }
}
