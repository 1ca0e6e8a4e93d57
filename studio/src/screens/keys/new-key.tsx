import { useSignal } from "@preact/signals";
import { Field } from "../../components/field.tsx";
import { FormDialog } from "../../components/form-dialog.tsx";
import { api } from "../../state/session.ts";

const LONGEST_NAME = 100;

export interface NewKeyProps {
  readonly onMade: (label: string, secret: string) => void;
  readonly onClose: () => void;
}

/** Asks for a name and makes a key. */
export function NewKey({ onMade, onClose }: NewKeyProps) {
  const label = useSignal("");
  const problem = useSignal<string | null>(null);
  const make = async (): Promise<void> => {
    const name = label.value.trim();
    if (name === "") {
      problem.value = "Enter a name for the key.";
      return;
    }
    const { secret } = await api.value.createApiKey({ label: name });
    // A first answer that was lost had it: the key is in the list, and can only be revoked.
    if (secret === undefined)
      throw new Error(
        "The key was created, but its secret was lost on the way. Revoke it and create another.",
      );
    onMade(name, secret);
  };
  return (
    <FormDialog title="New API key" submit="Create key" onSubmit={make} onClose={onClose}>
      <Field label="Name" hint="What will use it, such as “nightly batch”." problem={problem.value}>
        {(attributes) => (
          <input
            {...attributes}
            class="input"
            autofocus
            autocomplete="off"
            maxLength={LONGEST_NAME}
            value={label.value}
            onInput={(event) => {
              label.value = event.currentTarget.value;
              problem.value = null;
            }}
          />
        )}
      </Field>
    </FormDialog>
  );
}
