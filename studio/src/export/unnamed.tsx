import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { Button } from "../components/controls/button.tsx";
import { counted } from "../text/format.ts";
import { LONGEST_LABEL } from "../workspace/rules/instances.ts";
import type { Classes } from "./files/classes.ts";
import type { Nameable } from "./types.ts";

/** Returns the objects of some pictures, or of a clip, that have no class yet. */
export const unnamedIn = (subjects: readonly Nameable[]) =>
  subjects.flatMap((subject) =>
    subject.masks.flatMap(({ object, label, title }) => (label === null ? [{ subject, object, title }] : [])),
  );

interface UnnamedProps {
  readonly subjects: readonly Nameable[];
  readonly classes: Classes;
  /** Called when the objects have their names. */
  readonly onNamed: () => void;
}

/** Asks for the class of pointed objects without one: one class for all, or one for each. */
export function Unnamed({ subjects, classes, onNamed }: UnnamedProps) {
  const listId = useId();
  const common = useSignal("");
  const own = useSignal<ReadonlyMap<string, string>>(new Map());
  const unnamed = unnamedIn(subjects);
  if (unnamed.length === 0) return null;
  const nameFor = (key: string): string =>
    (own.value.get(key)?.trim() || common.value.trim()).replaceAll(/\s+/g, " ");
  const keyed = unnamed.map((each) => ({ ...each, key: `${each.subject.taskId} ${each.object}` }));
  const isComplete = keyed.every(({ key }) => nameFor(key) !== "");
  const save = (event: Event): void => {
    event.preventDefault();
    if (!isComplete) return;
    for (const { key, subject, object } of keyed) subject.nameObjects([object], nameFor(key));
    onNamed();
  };
  const field = (value: string, onInput: (text: string) => void, attributes: Record<string, string>) => (
    <input
      class="input"
      autocomplete="off"
      list={listId}
      maxLength={LONGEST_LABEL}
      value={value}
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
      {...attributes}
    />
  );
  return (
    <form class="unnamed" aria-label="Objects without a class" onSubmit={save}>
      <h3>{counted(unnamed.length, "object")} without a class</h3>
      <p>
        {unnamed.length === 1 ? "It was" : "They were"} found by a point or a box. Name{" "}
        {unnamed.length === 1 ? "it" : "them"} to export COCO, YOLO and other formats with classes.
      </p>
      <datalist id={listId}>
        {classes.names
          .filter((name) => name !== "")
          .map((name) => (
            <option key={name} value={name} />
          ))}
      </datalist>
      <div class="unnamed-all">
        {field(common.value, (text) => (common.value = text), {
          "aria-label": unnamed.length === 1 ? "Class" : "Class of all",
          placeholder: "Class",
        })}
        <Button type="submit" variant="main" disabled={!isComplete}>
          {unnamed.length === 1 ? "Name it" : "Name them"}
        </Button>
      </div>
      {unnamed.length > 1 && (
        <details>
          <summary>Name each</summary>
          <ul>
            {keyed.map(({ key, subject, title }) => (
              <li key={key}>
                <span class="cut">
                  {subject.name}, {title}
                </span>
                {field(own.value.get(key) ?? "", (text) => (own.value = new Map(own.value).set(key, text)), {
                  "aria-label": `Class of ${title} in ${subject.name}`,
                  placeholder: common.value || "Class",
                })}
              </li>
            ))}
          </ul>
        </details>
      )}
    </form>
  );
}
