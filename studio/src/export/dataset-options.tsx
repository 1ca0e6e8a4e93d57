import type { Signal } from "@preact/signals";
import { Select } from "../components/controls/field.tsx";
import type { Subject } from "./files/entry.ts";
import type { ExportOptions } from "./files/scope.ts";

/** Shares of the pictures for validation. */
const SHARES = [0.1, 0.2, 0.3].map((share) => [share, `${Math.round(share * 100)}%`] as const);

const USUAL_SPLIT = { share: 0.2, seed: 1 };

const canSplit = (subjects: readonly Subject[]): boolean => subjects.length > 1;
const haveFiles = (subjects: readonly Subject[]): boolean => subjects.every(({ hasOriginal }) => hasOriginal);

/** Returns the options that are possible for these pictures. */
export const usable = (options: ExportOptions, subjects: readonly Subject[]): ExportOptions => ({
  ...options,
  hasImages: options.hasImages && haveFiles(subjects),
  split: canSplit(subjects) ? options.split : null,
});

interface DatasetOptionsProps {
  readonly subjects: readonly Subject[];
  readonly options: Signal<ExportOptions>;
}

/** Options of the formats for training: with the pictures themselves, and split for validation. */
export function DatasetOptions({ subjects, options }: DatasetOptionsProps) {
  const { hasImages, split } = options.value;
  const change = (changed: Partial<ExportOptions>) => (options.value = { ...options.value, ...changed });
  const missing = subjects.filter(({ hasOriginal }) => !hasOriginal).length;
  return (
    <fieldset class="dataset-options">
      <legend class="unseen">For training</legend>
      <label class="check">
        <input
          type="checkbox"
          checked={hasImages && missing === 0}
          disabled={missing > 0}
          onChange={({ currentTarget }) => change({ hasImages: currentTarget.checked })}
        />
        With the pictures
      </label>
      {canSplit(subjects) && (
        <label class="check">
          <input
            type="checkbox"
            checked={split !== null}
            onChange={({ currentTarget }) => change({ split: currentTarget.checked ? USUAL_SPLIT : null })}
          />
          Split into train and val
        </label>
      )}
      {canSplit(subjects) && split !== null && (
        <>
          <label class="format-row-choice">
            For val
            <Select
              options={SHARES}
              chosen={split.share}
              onChoose={(share) => change({ split: { ...split, share } })}
            />
          </label>
          <label class="format-row-choice">
            Seed
            <input
              class="input input-seed"
              type="number"
              min={0}
              max={999_999}
              value={split.seed}
              onInput={({ currentTarget: { valueAsNumber: seed } }) =>
                change({ split: { ...split, seed: Number.isNaN(seed) ? 0 : seed } })
              }
            />
          </label>
        </>
      )}
      <p>
        {missing === 0
          ? `For COCO, YOLO, semantic masks and Pascal VOC.${canSplit(subjects) ? " A split has pictures of each class in both parts." : ""}`
          : `${missing === 1 ? "A picture is" : `${missing} pictures are`} not in this browser, so that the ZIP file can’t have the pictures.`}
      </p>
    </fieldset>
  );
}
