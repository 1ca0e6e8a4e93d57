import { useComputed } from "@preact/signals";
import { MaskOpacity, Slider } from "../../../components/controls/slider.tsx";
import type { ViewState } from "../state/view-state.ts";

/** Controls of the masks: lowest confidence, opacity and colors. */
export function ShowHow({ viewState }: { readonly viewState: ViewState }) {
  const { workspace } = viewState;
  const least = useComputed(() => Math.max(viewState.least.value, viewState.lowest.value));
  const isShown = useComputed(() => {
    const { value: open } = workspace.openPicture;
    const pictures = workspace.isOverview.value ? workspace.pictures.value : open === null ? [] : [open];
    return viewState.counting.areConfident(pictures);
  });
  const shown = isShown.value.filter(Boolean).length;
  const prompts = workspace.found.value?.prompts ?? [];
  return (
    <section class="show-how">
      {isShown.value.length > 0 && (
        <Slider
          label="Lowest confidence to show"
          valueText={`${Math.round(least.value * 100)}%, ${shown} of ${isShown.value.length}`}
          value={least.value}
          min={viewState.lowest.value}
          onInput={(value) => viewState.showFrom(null, value)}
        />
      )}
      {isShown.value.length > 0 && prompts.length > 1 && (
        <details class="show-how-prompts">
          <summary class="fine">For each prompt</summary>
          {prompts.map((prompt) => (
            <Least key={prompt} prompt={prompt} viewState={viewState} />
          ))}
        </details>
      )}
      {!workspace.isOverview.value && <MaskOpacity opacity={viewState.opacity} />}
      {!workspace.isOverview.value && (
        <label class="check">
          <input
            type="checkbox"
            checked={viewState.hasNames.value}
            onChange={({ currentTarget }) => (viewState.hasNames.value = currentTarget.checked)}
          />
          Names on the picture
        </label>
      )}
      {(workspace.isOverview.value || viewState.instances.value.length > 1) && (
        <label class="check">
          <input
            type="checkbox"
            checked={viewState.isByObject.value}
            onChange={({ currentTarget }) =>
              (viewState.colouring.value = currentTarget.checked ? "object" : "label")
            }
          />
          A color for each object
        </label>
      )}
    </section>
  );
}

/** Lowest confidence of a prompt's objects. */
function Least({ prompt, viewState }: { readonly prompt: string; readonly viewState: ViewState }) {
  const { least, leasts } = viewState.filter.value;
  const own = leasts.get(prompt);
  return (
    <Slider
      label={prompt}
      valueText={own === undefined ? "same as all" : `${Math.round(own * 100)}%`}
      value={Math.max(own ?? least, viewState.lowest.value)}
      min={viewState.lowest.value}
      onInput={(chosen) => viewState.showFrom(prompt, chosen)}
    />
  );
}
