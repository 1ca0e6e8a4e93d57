import type { Signal } from "@preact/signals";

/** Extent of an export: the open picture, all that were accepted, or all of the entry but those that were rejected. */
export type Extent = "one" | "accepted" | "all";

interface ScopeChoiceProps {
  /** Number of the entry's pictures. */
  readonly pictures: number;
  /** Number of accepted pictures. */
  readonly accepted: number;
  /** Number of rejected pictures. */
  readonly rejected: number;
  /** True if all pictures include the rejected ones. */
  readonly hasRejected: Signal<boolean>;
  readonly canBeOne: boolean;
  readonly extent: Signal<Extent>;
  /** Number of hidden objects in the chosen pictures. */
  readonly hidden: number;
  /** True if hidden objects are left out. */
  readonly isShownOnly: Signal<boolean>;
}

/** Choice of the pictures and objects to export; nothing where there is no choice. */
export function ScopeChoice(props: ScopeChoiceProps) {
  const { pictures, accepted, rejected, hasRejected, canBeOne, extent, hidden, isShownOnly } = props;
  const all = hasRejected.value ? pictures : pictures - rejected;
  const hasExtents = (canBeOne || accepted > 0) && pictures > 1;
  const canHaveRejected = extent.value === "all" && rejected > 0;
  if (!hasExtents && !canHaveRejected && hidden === 0) return null;
  const choice = (value: Extent, title: string) => (
    <label>
      <input
        type="radio"
        name="export-extent"
        checked={extent.value === value}
        onChange={() => (extent.value = value)}
      />
      <span>{title}</span>
    </label>
  );
  return (
    <div class="scope">
      {hasExtents && (
        <fieldset class="scope-extent">
          <legend class="unseen">Which pictures</legend>
          {canBeOne && choice("one", "This picture")}
          {accepted > 0 && choice("accepted", `${accepted} accepted`)}
          {choice("all", all === 1 ? "1 picture" : `All ${all} pictures`)}
        </fieldset>
      )}
      {canHaveRejected && (
        <label class="check">
          <input
            type="checkbox"
            checked={!hasRejected.value}
            onChange={({ currentTarget }) => (hasRejected.value = !currentTarget.checked)}
          />
          Exclude {rejected === 1 ? "the rejected picture" : `the ${rejected} rejected pictures`}
        </label>
      )}
      {hidden > 0 && (
        <label class="check">
          <input
            type="checkbox"
            checked={isShownOnly.value}
            onChange={({ currentTarget }) => (isShownOnly.value = currentTarget.checked)}
          />
          Exclude {hidden === 1 ? "the hidden object" : `the ${hidden} hidden objects`}
        </label>
      )}
    </div>
  );
}
