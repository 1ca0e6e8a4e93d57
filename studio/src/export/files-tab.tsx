import { useSignal } from "@preact/signals";
import { Problem } from "../components/problem.tsx";
import { Waiting } from "../components/waiting.tsx";
import { useLoaded } from "../state/loaded.ts";
import { api } from "../state/session.ts";
import { Archive } from "./archive.tsx";
import { filesOf } from "./code/order.ts";
import { againWith, offersOf } from "./files/offers.ts";
import { FormatRow } from "./format-row.tsx";
import type { Scope } from "./files/take.ts";
import { type Extent, ScopeChoice } from "./scope-choice.tsx";
import type { ExportDialogProps, ExportPicture } from "./types.ts";
import "./files-tab.css";

/** What there is to take away: the keys of the job's assets, and the pictures whose files this browser has. */
async function stockOf(jobId: string, pictures: readonly ExportPicture[], signal: AbortSignal) {
  const [{ assets }, originals] = await Promise.all([
    api.value.retrieveJobResult({ jobId }, { signal }),
    Promise.all(pictures.map(async ({ original }) => (await original()) !== null)),
  ]);
  return {
    keys: assets.map(({ key }) => key),
    withOriginal: new Set(pictures.filter((_, i) => originals[i] === true).map(({ taskId }) => taskId)),
  };
}

/** The job's files, by format; of one picture or of all. */
export function FilesTab({
  jobId,
  order,
  pictures,
  current,
  hidden = 0,
  onRunAgain,
}: Omit<ExportDialogProps, "onClose">) {
  const {
    value: stock,
    error,
    reload,
  } = useLoaded(async (signal) => await stockOf(jobId, pictures, signal), [jobId]);
  const extent = useSignal<Extent>(current === undefined ? "all" : "one");
  const isShownOnly = useSignal(false);
  if (error.value !== null) return <Problem error={error.value} onRetry={reload} />;
  if (stock.value === undefined) return <Waiting what="Loading formats" />;
  const { keys, withOriginal } = stock.value;
  const chosen = extent.value === "all" ? pictures : pictures.filter(({ taskId }) => taskId === current);
  const { type, tasks } = order.request;
  const taskIds = type === "video" ? tasks : chosen.map(({ taskId }) => taskId);
  const offers = offersOf({
    type,
    taskIds,
    keys,
    masks: chosen.reduce((sum, { count }) => sum + count, 0),
    hasOriginals: chosen.every(({ taskId, count }) => count === 0 || withOriginal.has(taskId)),
  });
  const scope: Scope = {
    jobId,
    pictures: chosen,
    isShownOnly: isShownOnly.value && hidden > 0,
    names: filesOf(order).filter(({ taskId }) => taskIds.includes(taskId)),
  };
  return (
    <div class="files-tab">
      {type === "image" && (
        <ScopeChoice
          pictures={pictures.length}
          canBeOne={current !== undefined}
          extent={extent}
          hidden={hidden}
          isShownOnly={isShownOnly}
        />
      )}
      <ul class="files-tab-formats">
        {offers.map((offer) => (
          <FormatRow
            key={offer.id}
            offer={offer}
            scope={scope}
            onRunAgain={onRunAgain && ((change) => onRunAgain(againWith(order.request, change)))}
          />
        ))}
      </ul>
      {onRunAgain !== undefined && offers.some(({ way }) => way.kind === "again") && (
        <p class="files-tab-note">Running again creates another job at the same cost.</p>
      )}
      <Archive jobId={jobId} />
    </div>
  );
}
