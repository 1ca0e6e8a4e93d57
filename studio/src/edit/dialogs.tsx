import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { FormDialog } from "../components/dialogs/dialogs.tsx";
import { Field } from "../components/controls/field.tsx";
import { type Instance, LONGEST_LABEL, nameOf } from "../workspace/rules/instances.ts";
import type { Edit } from "../workspace/rules/edit-history.ts";
import "./dialogs.css";

interface RenameDialogProps {
  /** Displayed name of the object now, or of several. */
  readonly name: string;
  /** Its name without its number; null if it has none. */
  readonly label: string | null;
  /** Classes to complete the name from. */
  readonly classes: readonly string[];
  /** Further hint on the new name. */
  readonly hint?: string | undefined;
  readonly onRename: (label: string) => void;
  readonly onClose: () => void;
}

/** Gives an object another name. */
export function RenameDialog({
  name,
  label: before,
  classes,
  hint = "",
  onRename,
  onClose,
}: RenameDialogProps) {
  const text = useSignal(before ?? "");
  const problem = useSignal<string | null>(null);
  const listId = useId();
  const rename = (): void => {
    const label = text.value.trim().replaceAll(/\s+/g, " ");
    if (label === "") return void (problem.value = "Enter a name.");
    onRename(label);
    onClose();
  };
  return (
    <FormDialog title={`Rename ${name}`} submit="Rename" onSubmit={rename} onClose={onClose}>
      <Field
        label="Name"
        hint={`Objects with the same name are numbered; in COCO and YOLO they are one class. ${hint}`}
        problem={problem.value}
      >
        {(attributes) => (
          <input
            class="input"
            autocomplete="off"
            list={listId}
            maxLength={LONGEST_LABEL}
            autofocus
            {...attributes}
            value={text.value}
            onInput={({ currentTarget }) => {
              text.value = currentTarget.value;
              problem.value = null;
            }}
          />
        )}
      </Field>
      <datalist id={listId}>
        {classes.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </FormDialog>
  );
}

interface MergeDialogProps {
  readonly instance: Instance;
  readonly onEdit: (edit: Edit) => void;
  readonly onClose: () => void;
  /** The other objects of the picture. */
  readonly others: readonly Instance[];
}

/** Makes one object of several. */
export function MergeDialog({ instance, others, onEdit, onClose }: MergeDialogProps) {
  const chosen = useSignal<readonly string[]>([]);
  const merge = (): void => {
    if (chosen.value.length === 0) throw new Error("Choose at least one object.");
    onEdit({ type: "merge", objects: [instance.object, ...chosen.value] });
    onClose();
  };
  return (
    <FormDialog title={`Merge ${nameOf(instance)} with`} submit="Merge" onSubmit={merge} onClose={onClose}>
      <fieldset class="merge">
        <legend class="unseen">Objects that become part of {nameOf(instance)}</legend>
        {others.map((other) => (
          <label key={other.object} class="check">
            <input
              type="checkbox"
              checked={chosen.value.includes(other.object)}
              onChange={({ currentTarget: { checked } }) =>
                (chosen.value = checked
                  ? [...chosen.value, other.object]
                  : chosen.value.filter((object) => object !== other.object))
              }
            />
            {nameOf(other)}
          </label>
        ))}
      </fieldset>
    </FormDialog>
  );
}
