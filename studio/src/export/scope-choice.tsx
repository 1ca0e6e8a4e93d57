import type { Signal } from "@preact/signals";

/** Whether the picture that is looked at is taken away, or all of the job. */
export type Extent = "one" | "all";

export interface ScopeChoiceProps {
  /** How many pictures the job has. */
  readonly pictures: number;
  readonly canBeOne: boolean;
  readonly extent: Signal<Extent>;
  /** How many masks are hidden. */
  readonly hidden: number;
  /** Whether hidden masks are left out. */
  readonly isShownOnly: Signal<boolean>;
}

/** Which pictures and masks to take away; nothing where there is no choice. */
export function ScopeChoice({ pictures, canBeOne, extent, hidden, isShownOnly }: ScopeChoiceProps) {
  const hasExtents = canBeOne && pictures > 1;
  if (!hasExtents && hidden === 0) return null;
  const choice = (value: Extent, title: string) => (
    <label>
      <input
        type="radio"
        name="export-extent"
        checked={extent.value === value}
        onChange={() => {
          extent.value = value;
        }}
      />
      <span>{title}</span>
    </label>
  );
  return (
    <div class="scope">
      {hasExtents && (
        <fieldset class="scope-extent">
          <legend class="unseen">Which pictures</legend>
          {choice("one", "This picture")}
          {choice("all", `All ${pictures} pictures`)}
        </fieldset>
      )}
      {hidden > 0 && (
        <label class="scope-hidden">
          <input
            type="checkbox"
            checked={isShownOnly.value}
            onChange={({ currentTarget }) => {
              isShownOnly.value = currentTarget.checked;
            }}
          />
          Exclude {hidden === 1 ? "the hidden object" : `the ${hidden} hidden objects`}
        </label>
      )}
    </div>
  );
}
