import { useMemo } from "preact/hooks";
import type { Stage } from "./stage/stage.ts";
import { toFrame } from "./view/view.ts";

interface MaskNamesProps {
  readonly stage: Stage;
  /** Names by the keys of masks. */
  readonly names: ReadonlyMap<string, string>;
  /** Keys of the masks whose names are marked. */
  readonly marked: readonly string[];
}

/** Names of objects, each in the middle of its mask. */
export function MaskNames({ stage, names, marked }: MaskNamesProps) {
  const decoded = stage.maskStore.decoded.value;
  const placed = useMemo(
    () =>
      [...names].flatMap(([key, name]) => {
        const core = stage.maskStore.coreOf(key);
        return core === null ? [] : [{ key, name, core }];
      }),
    [names, decoded],
  );
  const view = stage.view.value;
  return (
    <div class="viewer-names" aria-hidden="true">
      {placed.map(({ key, name, core }) => {
        const { x, y } = toFrame(view, core);
        return (
          <span
            key={key}
            data-marked={marked.includes(key)}
            style={{ transform: `translate(${x}px, ${y}px) translate(-50%, -50%)` }}
          >
            {name}
          </span>
        );
      })}
    </div>
  );
}
