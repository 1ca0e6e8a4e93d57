import { useSignal } from "@preact/signals";
import type { TargetedSubmitEvent } from "preact";
import { SegmentationError } from "segmentation-client";
import { Button } from "../../components/button.tsx";
import { Field } from "../../components/field.tsx";
import { signInByKey } from "../../sign-in/sign-in.ts";

/** What the API keys of every deployment look like: docs/authentication.md. */
const KEY_PATTERN = /^sk_live_[0-9A-Za-z]{46}$/;

/** Signs in by an API key. */
export function KeyForm({ open }: { readonly open: boolean }) {
  const key = useSignal("");
  const problem = useSignal<string | null>(null);
  const busy = useSignal(false);
  const submit = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const text = key.value.trim();
    if (!KEY_PATTERN.test(text)) {
      problem.value = "An API key starts with sk_live_ and has 54 characters.";
      return;
    }
    busy.value = true;
    try {
      await signInByKey(text);
    } catch (error) {
      problem.value =
        error instanceof SegmentationError && error.status === 401
          ? "The service doesn’t recognize this key. It may have been revoked."
          : error instanceof Error
            ? error.message
            : String(error);
    } finally {
      busy.value = false;
    }
  };
  return (
    <details class="key-form" open={open}>
      <summary>Use an API key</summary>
      <form onSubmit={(event) => void submit(event)}>
        <Field label="API key" problem={problem.value} hint="Kept for this tab only.">
          {(attributes) => (
            <input
              {...attributes}
              class="input"
              type="password"
              autocomplete="off"
              spellcheck={false}
              value={key.value}
              onInput={(event) => {
                key.value = event.currentTarget.value;
                problem.value = null;
              }}
            />
          )}
        </Field>
        <Button type="submit" busy={busy.value}>
          Open the studio
        </Button>
      </form>
    </details>
  );
}
