import type { Signal } from "@preact/signals";
import { useAction, useLoaded } from "../state/requests.ts";
import { useObjectUrl } from "../components/hooks/use-object-url.ts";
import { Button } from "../components/controls/button.tsx";
import { Select } from "../components/controls/field.tsx";
import type { Renderer } from "../render/renderer.ts";
import type { CutOutStyle } from "../render/types.ts";
import type { Subject } from "./files/entry.ts";
import type { ExportOptions } from "./files/scope.ts";
import "./cut-out-options.css";

/** Default options of cut-outs. */
export const USUAL_CUT_OUT: CutOutStyle = { isFeathered: true, isWhole: false, background: null };

const EDGES = [
  [true, "soft, by a pixel"],
  [false, "hard"],
] as const;
const SIZES = [
  [false, "of the object"],
  [true, "of the picture"],
] as const;

interface CutOutOptionsProps {
  /** Pictures with the masks to export. */
  readonly subjects: readonly Subject[];
  readonly options: Signal<ExportOptions>;
  readonly renderer: Renderer;
}

/** Choices for cut-outs, with the first of them on a checkerboard. */
export function CutOutOptions({ subjects, options, renderer }: CutOutOptionsProps) {
  const { value: all } = options;
  const { cutOut: style } = all;
  const change = (changed: Partial<CutOutStyle>) =>
    (options.value = { ...options.value, cutOut: { ...options.value.cutOut, ...changed } });
  const subject = subjects.find(({ masks }) => masks.length > 0);
  const [mask] = subject?.masks ?? [];
  const loaded = useLoaded(
    async (signal) => {
      const original = (await subject?.original()) ?? null;
      if (original === null || mask === undefined) return null;
      const [file = null] = await renderer.files(
        { type: "cut-outs", original, masks: [mask.png], style },
        signal,
      );
      return file;
    },
    [subject?.taskId, mask?.png, JSON.stringify(style)],
  );
  const first = loaded.value.value ?? null;
  const url = useObjectUrl(first);
  const copying = useAction();
  const copy = async (): Promise<void> => {
    if (first !== null) await navigator.clipboard.write([new ClipboardItem({ [first.type]: first })]);
  };
  return (
    <div class="cut-out-options">
      <div class="cut-out-choices">
        <label class="format-row-choice">
          Edges
          <Select
            options={EDGES.map(([value, name]) => [Number(value), name] as const)}
            chosen={Number(style.isFeathered)}
            onChoose={(value) => change({ isFeathered: value === 1 })}
          />
        </label>
        <label class="format-row-choice">
          Size
          <Select
            options={SIZES.map(([value, name]) => [Number(value), name] as const)}
            chosen={Number(style.isWhole)}
            onChoose={(value) => change({ isWhole: value === 1 })}
          />
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={style.background !== null}
            onChange={({ currentTarget: { checked } }) => change({ background: checked ? "#ffffff" : null })}
          />
          Background
        </label>
        {style.background !== null && (
          <input
            type="color"
            aria-label="Background color"
            value={style.background}
            onInput={({ currentTarget }) => change({ background: currentTarget.value })}
          />
        )}
      </div>
      {url !== null && mask !== undefined && (
        <figure>
          <img src={url} alt={`Cut-out of ${mask.title}`} />
          <Button variant="quiet" busy={copying.busy.value} onClick={() => void copying.run(copy)}>
            Copy
          </Button>
          {copying.error.value !== null && <p role="alert">This browser can’t copy pictures. Download it.</p>}
        </figure>
      )}
    </div>
  );
}
