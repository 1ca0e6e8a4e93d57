import { useSignal } from "@preact/signals";
import { Button } from "../components/controls/button.tsx";
import { Select } from "../components/controls/field.tsx";
import { counted } from "../text/format.ts";
import type { Verdict } from "../workspace/rules/review.ts";
import { sureOf } from "./filter.ts";
import type { GalleryItem } from "./items.ts";

interface SelectedProps {
  readonly count: number;
  readonly onJudge: (verdict: Verdict) => void;
  readonly onClear: () => void;
}

/** Actions on the selected pictures. */
export const Selected = ({ count, onJudge, onClear }: SelectedProps) => (
  <div class="gallery-selected" role="group" aria-label="Selected pictures">
    <p role="status">{counted(count, "picture")} selected</p>
    <Button onClick={() => onJudge("accepted")}>Accept selected</Button>
    <Button title="They are left out of exports" onClick={() => onJudge("rejected")}>
      Reject selected
    </Button>
    <Button variant="quiet" onClick={onClear}>
      Deselect
    </Button>
  </div>
);

/** Confidences from which on pictures can be accepted at once. */
const SURE = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95].map((least) => [least, `${Math.round(least * 100)}%`] as const);
const USUALLY_SURE = 0.8;

/** Accepts the pictures without a verdict whose objects are all sure. */
export function AcceptSure({
  items,
  onAccept,
}: {
  readonly items: readonly GalleryItem[];
  readonly onAccept: (keys: readonly string[]) => void;
}) {
  const least = useSignal(USUALLY_SURE);
  const sure = sureOf(items, least.value);
  if (sureOf(items, 0).length === 0) return null;
  return (
    <div class="gallery-label fine">
      <Button disabled={sure.length === 0} onClick={() => onAccept(sure.map(({ key }) => key))}>
        Accept {sure.length}
      </Button>
      <label class="gallery-label">
        with all objects from
        <Select options={SURE} chosen={least.value} onChoose={(chosen) => (least.value = chosen)} />
      </label>
    </div>
  );
}
