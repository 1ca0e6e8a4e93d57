import { Button } from "../../../components/controls/button.tsx";
import { useShortcuts } from "../../../state/use-shortcuts.ts";
import { judged, nextToReview, type Verdict } from "../../../workspace/rules/review.ts";
import type { ViewState } from "../state/view-state.ts";
import "./review.css";

/** The keys of a review. */
const KEYS: Readonly<Record<string, Verdict | "next">> = { a: "accepted", x: "rejected", n: "next" };

/** The longest note that the service keeps. */
const LONGEST_NOTE = 2_000;

/** Verdict on the open picture of a batch, and the way to the next one. */
export function Review({ viewState }: { readonly viewState: ViewState }) {
  const { workspace } = viewState;
  const picture = workspace.openPicture.value;
  const key = picture?.key ?? null;
  const verdicts = workspace.verdicts.value;
  const verdict = key === null ? undefined : verdicts.get(key);
  const reviewed = workspace.pictures.value.filter((each) => verdicts.has(each.key)).length;
  const goOn = (): void => {
    const next = nextToReview(viewState.reviewed.value, key, workspace.verdicts.value);
    // After the last one, all are looked at.
    if (next === null) workspace.open(null);
    else workspace.openKey.value = next;
  };
  const goBack = (): void => {
    const { value: keys } = viewState.reviewed;
    const before = keys.at(key === null ? -1 : Math.max(0, keys.indexOf(key)) - 1);
    if (before !== undefined) workspace.openKey.value = before;
  };
  const judge = (said: Verdict): void => {
    if (key === null) return;
    const isTakenBack = verdict === said;
    workspace.verdicts.value = judged(verdicts, [key], said);
    if (!isTakenBack) goOn();
  };
  const writeNote = (text: string): void => {
    if (key === null) return;
    const notes = new Map(workspace.notes.value);
    if (text === "") notes.delete(key);
    else notes.set(key, text);
    workspace.notes.value = notes;
  };
  useShortcuts((letter, { ctrlKey, metaKey, shiftKey }) => {
    const act = KEYS[letter];
    if (act === undefined || ctrlKey || metaKey) return false;
    if (act === "next" && shiftKey) goBack();
    else if (act === "next") goOn();
    else judge(act);
    return true;
  });
  return (
    <div class="review" role="group" aria-label="Review">
      <p role="status">
        <span class="unseen">{picture?.name}. </span>
        {reviewed} of {workspace.pictures.value.length} reviewed
      </p>
      <input
        class="input review-note"
        aria-label={`Note on ${picture?.name}`}
        placeholder="Note"
        maxLength={LONGEST_NOTE}
        value={(key !== null && workspace.notes.value.get(key)) || ""}
        onChange={({ currentTarget }) => writeNote(currentTarget.value.trim())}
      />
      <Button variant="quiet" title="Shift N" onClick={goBack}>
        Previous
      </Button>
      <Button aria-pressed={verdict === "accepted"} title="A" onClick={() => judge("accepted")}>
        Accept
      </Button>
      <Button
        aria-pressed={verdict === "rejected"}
        title="X: left out of exports"
        onClick={() => judge("rejected")}
      >
        Reject
      </Button>
      <Button variant="quiet" title="N" onClick={goOn}>
        Next
      </Button>
    </div>
  );
}
