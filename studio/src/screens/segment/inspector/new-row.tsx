import { type Instance, nameOf } from "../../../workspace/rules/instances.ts";
import { numberOf } from "../../../workspace/masks/objects.ts";
import { lastOf } from "../../../workspace/rules/pointed-objects.ts";
import type { ViewState } from "../state/view-state.ts";

/** An object of the list that only this page has: new, or being saved. */
export function NewRow({
  instance,
  viewState,
}: {
  readonly instance: Instance;
  readonly viewState: ViewState;
}) {
  const { workspace, selecting, highlighted } = viewState;
  const number = numberOf(workspace, instance.object);
  const pointed = workspace.pointed.value.find((object) => object.number === number);
  const isSaving = pointed !== undefined && lastOf(pointed).state !== "new";
  return (
    <li
      class="instances-row"
      data-lit={highlighted.value === instance.id}
      data-selected={selecting.objects.value.includes(instance.object)}
      onPointerEnter={() => (highlighted.value = instance.id)}
      onPointerLeave={() => (highlighted.value = null)}
    >
      <span class="instances-toggle">
        <span class="instances-swatch" style={{ background: viewState.colour(instance).css }} />
        <span class="instances-name cut">
          {nameOf(instance)} <em class="instances-difference">{isSaving ? "saving…" : "new"}</em>
        </span>
        <span class="instances-confidence">{Math.round(instance.confidence * 100)}%</span>
      </span>
    </li>
  );
}
