import { useSignal } from "@preact/signals";
import { Button } from "../components/controls/button.tsx";
import { CopyField } from "../components/controls/copy-field.tsx";
import { Dialog } from "../components/dialogs/dialog.tsx";
import { Field, Select } from "../components/controls/field.tsx";
import { Loading, Problem } from "../components/layout/notice.tsx";
import { useAction, useLoaded } from "../state/requests.ts";
import { api } from "../state/session.ts";
import { fullTime, relativeTime } from "../text/format.ts";

interface ShareDialogProps {
  readonly jobId: string;
  /** Further jobs whose objects are on the screen. */
  readonly further: readonly string[];
  /** Inputs of the job. */
  readonly what: "picture" | "pictures" | "video";
  /** Changes of objects by people. */
  readonly edits: "none" | "can be shown" | "are not shown";
  readonly onClose: () => void;
}

const HOUR = 3_600;
/** Lifetimes of a link, in seconds. */
const LASTS: readonly (readonly [seconds: number, name: string])[] = [
  [HOUR, "1 hour"],
  [24 * HOUR, "1 day"],
  [7 * 24 * HOUR, "7 days"],
  [30 * 24 * HOUR, "30 days"],
];

/** Makes a link to a result for people without an account, and ends it. */
export function ShareDialog({ jobId, further, what, edits, onClose }: ShareDialogProps) {
  const lasts = useSignal(7 * 24 * HOUR);
  const showInputs = useSignal(true);
  const showAnnotations = useSignal(false);
  const link = useSignal<string | null>(null);
  const action = useAction();
  const shared = useLoaded(async (signal) => await shareOf(jobId, signal));
  const { value: share } = shared.value;
  const create = async (): Promise<void> => {
    const made = await api.value.createShare({
      jobId,
      further: [...further],
      expiresIn: lasts.value,
      showInputs: showInputs.value,
      showAnnotations: showAnnotations.value,
    });
    if (made.url === null) throw new Error("This service has no page that shows a shared result.");
    shared.value.value = made.share;
    link.value = made.url;
  };
  const revoke = async (): Promise<void> => {
    await api.value.revokeShare({ jobId });
    shared.value.value = null;
    link.value = null;
  };
  const isShared = share !== undefined && share !== null;
  const busy = action.busy.value;
  return (
    <Dialog
      title="Share a link"
      onClose={busy ? undefined : onClose}
      actions={
        <>
          {link.value === null && share !== undefined && (
            <Button variant="main" busy={busy} onClick={() => void action.run(create)}>
              {isShared ? "Create a new link" : "Create link"}
            </Button>
          )}
          {isShared && (
            <Button variant="danger" busy={busy} onClick={() => void action.run(revoke)}>
              Revoke link
            </Button>
          )}
          <Button variant="quiet" disabled={busy} onClick={onClose}>
            {link.value === null ? "Cancel" : "Done"}
          </Button>
        </>
      }
    >
      {share === undefined ? (
        <Loading of={shared} what="Loading" />
      ) : link.value !== null && share !== null ? (
        <>
          <CopyField label="Link" value={link.value} />
          <p class="dialog-text" title={fullTime(share.expiresAt)}>
            Whoever has it sees the result. It ends {relativeTime(share.expiresAt, Date.now())}, and is shown
            only now: copy it.
          </p>
        </>
      ) : (
        <form
          class="dialog-form"
          onSubmit={(event) => {
            event.preventDefault();
            void action.run(create);
          }}
        >
          {share !== null && (
            <p class="dialog-warning" title={fullTime(share.expiresAt)}>
              This result is shared; the link ends {relativeTime(share.expiresAt, Date.now())}. A new link
              replaces it.
            </p>
          )}
          <div class="dialog-text">
            <p>
              Anyone with the link sees the prompts, the masks and the downloads of this result without an
              account, and nothing else of yours. You can revoke it at any time.
            </p>
            {edits !== "none" && !showAnnotations.value && (
              <p>The link shows the objects as the service found them, without what people changed.</p>
            )}
          </div>
          <Field label="Ends after" hint="Deleting the result ends it, too.">
            {(attributes) => (
              <Select
                {...attributes}
                options={LASTS}
                chosen={lasts.value}
                onChoose={(seconds) => (lasts.value = seconds)}
              />
            )}
          </Field>
          <label class="dialog-check">
            <input
              type="checkbox"
              checked={showInputs.value}
              onChange={({ currentTarget }) => (showInputs.value = currentTarget.checked)}
            />
            <span>
              Show the {what}, too
              <small>
                As uploaded: a file’s metadata may name the place where it was taken. Without it, the link
                shows masks alone.
              </small>
            </span>
          </label>
          {edits === "can be shown" && (
            <label class="dialog-check">
              <input
                type="checkbox"
                checked={showAnnotations.value}
                onChange={({ currentTarget }) => (showAnnotations.value = currentTarget.checked)}
              />
              <span>
                Show what people changed, too
                <small>
                  Classes, hidden and deleted objects, edited masks. Programs can read the names of files and
                  the notes by the link.
                </small>
              </span>
            </label>
          )}
        </form>
      )}
      {action.error.value !== null && <Problem error={action.error.value} />}
    </Dialog>
  );
}

/** Fetches the share of a job; null if there is none. @throws SegmentationError */
async function shareOf(jobId: string, signal: AbortSignal) {
  const { items } = await api.value.listShares({}, { signal });
  return items.find((share) => share.jobId === jobId) ?? null;
}
