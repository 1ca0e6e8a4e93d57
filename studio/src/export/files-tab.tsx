import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { Renderer } from "../render/renderer.ts";
import { Select } from "../components/controls/field.tsx";
import { Loading } from "../components/layout/notice.tsx";
import { useLoaded } from "../state/requests.ts";
import { api, isVisitor } from "../state/session.ts";
import { Archive, Everything, FormatRow } from "./downloads.tsx";
import { uploadsOf } from "./code/exported-job.ts";
import { againWith, offersOf } from "./files/offers.ts";
import type { Scope } from "./files/make.ts";
import type { ExportDialogProps, ExportPicture } from "./types.ts";
import "./files-tab.css";

/** The job's files, by format; of one picture or of all. */
export function FilesTab({
  jobId,
  exportedJob,
  units,
  pictures,
  current,
  hidden = 0,
  onRunAgain,
}: Omit<ExportDialogProps, "onClose">) {
  const stock = useLoaded(
    async (signal) => (await api.value.retrieveJobResult({ jobId }, { signal })).assets,
    [jobId],
  );
  const extent = useSignal<Extent>(current === undefined ? "all" : "one");
  const isShownOnly = useSignal(false);
  const tolerance = useSignal(0);
  const renderer = useMemo(() => new Renderer(), []);
  useEffect(() => () => renderer.close(), []);
  if (stock.value.value === undefined) return <Loading of={stock} what="Loading formats" />;
  const keys = stock.value.value.map(({ key }) => key);
  const accepted = pictures.filter(({ isAccepted }) => isAccepted);
  const chosen: readonly ExportPicture[] = {
    all: pictures,
    one: pictures.filter(({ taskId }) => taskId === current),
    accepted,
  }[extent.value];
  const { type, tasks } = exportedJob.request;
  const taskIds = type === "video" ? tasks : chosen.map(({ taskId }) => taskId);
  const offers = offersOf({
    type,
    taskIds,
    keys,
    masks: chosen.reduce((sum, { count }) => sum + count, 0),
    hasOriginals: chosen.every(({ count, hasOriginal }) => count === 0 || hasOriginal),
  });
  const scope: Scope = {
    jobId,
    pictures: chosen,
    prompts: exportedJob.request.prompts ?? [],
    isShownOnly: isShownOnly.value && hidden > 0,
    tolerance: tolerance.value,
    names: uploadsOf(exportedJob).filter(({ taskId }) => taskIds.includes(taskId)),
  };
  return (
    <div class="files-tab">
      {type === "image" && (
        <ScopeChoice
          pictures={pictures.length}
          accepted={accepted.length}
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
            renderer={renderer}
            units={units}
            onRunAgain={onRunAgain && ((change) => onRunAgain(againWith(exportedJob.request, change)))}
          >
            {offer.id === "yolo" && <Outlines tolerance={tolerance} />}
          </FormatRow>
        ))}
      </ul>
      {type === "image" && <Everything offers={offers} scope={scope} renderer={renderer} />}
      {type === "video" && !isVisitor.value && <Archive jobId={jobId} />}
    </div>
  );
}

/** Tolerances of simplified outlines, in pixels. */
const TOLERANCES = [0, 1, 2, 4].map(
  (pixels) => [pixels, pixels === 0 ? "exact" : `within ${pixels} px, fewer points`] as const,
);

/** Choice of the outlines' precision: with fewer points they are easier to edit. */
const Outlines = ({ tolerance }: { readonly tolerance: Signal<number> }) => (
  <label class="format-row-choice">
    Outlines
    <Select options={TOLERANCES} chosen={tolerance.value} onChoose={(pixels) => (tolerance.value = pixels)} />
  </label>
);

/** Extent of an export: the open picture, all that were accepted, or all of the job. */
type Extent = "one" | "accepted" | "all";

interface ScopeChoiceProps {
  /** Number of the job's pictures. */
  readonly pictures: number;
  /** Number of accepted pictures. */
  readonly accepted: number;
  readonly canBeOne: boolean;
  readonly extent: Signal<Extent>;
  /** Number of hidden masks. */
  readonly hidden: number;
  /** True if hidden masks are left out. */
  readonly isShownOnly: Signal<boolean>;
}

/** Choice of the pictures and masks to export; nothing where there is no choice. */
function ScopeChoice({ pictures, accepted, canBeOne, extent, hidden, isShownOnly }: ScopeChoiceProps) {
  const hasExtents = (canBeOne || accepted > 0) && pictures > 1;
  if (!hasExtents && hidden === 0) return null;
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
          {choice("all", `All ${pictures} pictures`)}
        </fieldset>
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
