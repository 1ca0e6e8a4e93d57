import { distinctPrompts } from "@segmentation/masks";
import { computed, type ReadonlySignal } from "@preact/signals";
import { classesOf } from "../../../export/files/classes.ts";
import { asSpelled } from "../../../workspace/rules/prompts.ts";
import { promptsOf } from "../../../workspace/rules/searches.ts";
import type { Workspace } from "../../../workspace/workspace.ts";

/** State that the classes depend on. */
interface Classified {
  readonly workspace: Pick<Workspace, "classes" | "searches" | "pictures" | "instances" | "drawn">;
  /** The prompts, and the names that people gave. */
  readonly labels: ReadonlySignal<readonly string[]>;
}

/** The classes of an entry. */
export class ClassList {
  readonly #classified: Classified;

  constructor(classified: Classified) {
    this.#classified = classified;
  }

  /** Their names, in the order of their numbers: the same whichever picture is open. */
  readonly names = computed((): readonly string[] => {
    const { workspace, labels } = this.#classified;
    const found = workspace.pictures.value.flatMap(({ key }) => workspace.instances.value.get(key) ?? []);
    return distinctPrompts([
      ...workspace.classes.value.filter((name) => name !== ""),
      ...labels.value,
      ...[...found, ...workspace.drawn.value.values()].flatMap(({ label }) => label ?? []),
    ]);
  });

  /** Takes a name in: it has a number from then on. Returns it as the class is spelled. */
  take(name: string): string {
    const { workspace, labels } = this.#classified;
    const label = asSpelled(this.names.peek(), name);
    const { classes, searches } = workspace;
    const prompts = [...promptsOf(searches.peek()), ...labels.peek()];
    classes.value = classesOf({ exported: classes.peek(), prompts, labels: [label] }).names;
    return label;
  }
}
