import { Button } from "../../../components/controls/button.tsx";
import { useShortcuts } from "../../../state/use-shortcuts.ts";
import { judged, nextToReview, type Verdict } from "../../../workspace/rules/review.ts";
import type { ViewState } from "../state/view-state.ts";
import "./review.css";

/** The keys of a review. */
const KEYS: Readonly<Record<string, Verdict | "next">> = { a: "accepted", x: "rejected", n: "next" };

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
  const judge = (said: Verdict): void => {
    if (key === null) return;
    const isTakenBack = verdict === said;
    workspace.verdicts.value = judged(verdicts, key, said);
    if (!isTakenBack) goOn();
  };
  useShortcuts((letter, { ctrlKey, metaKey }) => {
    const act = KEYS[letter];
    if (act === undefined || ctrlKey || metaKey) return false;
    if (act === "next") goOn();
    else judge(act);
    return true;
  });
  return (
    <div class="review" role="group" aria-label="Review">
      <p role="status">
        <span class="unseen">{picture?.name}. </span>
        {reviewed} of {workspace.pictures.value.length} reviewed
      </p>
      <Button aria-pressed={verdict === "accepted"} title="A" onClick={() => judge("accepted")}>
        Accept
      </Button>
      <Button aria-pressed={verdict === "rejected"} title="X" onClick={() => judge("rejected")}>
        Reject
      </Button>
      <Button variant="quiet" title="N" onClick={goOn}>
        Next
      </Button>
    </div>
  );
}
