import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { type Instance, toggled } from "../../../workspace/rules/instances.ts";

/** State that the selection depends on. */
interface Selectable {
  /** All objects of the open picture, in the order of the list. */
  readonly listed: ReadonlySignal<readonly Instance[]>;
  /** The object that was clicked in the picture. */
  readonly clicked: ReadonlySignal<Instance | null>;
  /** Called when the clicked object is no longer selected, or is one of the list's. */
  readonly unclick: () => void;
}

/** The selected objects of the open picture: several of the list, or the one that was clicked in the picture. */
export class Selecting {
  readonly #many = signal<readonly string[]>([]);
  #last: string | null = null;
  readonly #selectable: Selectable;

  constructor(selectable: Selectable) {
    this.#selectable = selectable;
  }

  readonly #listed = computed(() =>
    this.#selectable.listed.value.filter(({ object }) => this.#many.value.includes(object)),
  );

  readonly instances = computed((): readonly Instance[] => {
    const { value: clicked } = this.#selectable.clicked;
    return this.#listed.value.length > 0 || clicked === null ? this.#listed.value : [clicked];
  });

  /** Masks of the selected objects of the list. */
  readonly masks = computed(() => this.#listed.value.map(({ id }) => id));

  readonly objects = computed(() => this.instances.value.map(({ object }) => object));

  /** Selects objects in addition to the others; if all of them are selected, no longer. */
  toggle(instances: readonly Instance[]): void {
    const before = new Set(this.objects.peek());
    this.#many.value = [
      ...toggled(
        before,
        instances.map(({ object }) => object),
      ),
    ];
    this.#last = instances.at(-1)?.object ?? null;
    this.#selectable.unclick();
  }

  /** Selects the objects of masks in addition to the others; if all of them are selected, no longer. */
  toggleMasks(masks: readonly string[]): void {
    this.toggle(this.#selectable.listed.peek().filter(({ id }) => masks.includes(id)));
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

  /** Selects none. */
  clear(): void {
    this.#many.value = [];
    this.#last = null;
    this.#selectable.unclick();
  }
}
