import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { Renderer } from "../render/renderer.ts";
import { Select } from "../components/controls/field.tsx";
import { Loading } from "../components/layout/notice.tsx";
import { useLoaded } from "../state/requests.ts";
import { api, isVisitor } from "../state/session.ts";
import type { Verdict } from "../workspace/rules/review.ts";
import { Archive, Everything, FormatRow } from "./downloads.tsx";
import { uploadsOf } from "./code/exported-job.ts";
import { CutOutOptions, USUAL_CUT_OUT } from "./cut-out-options.tsx";
import { DatasetOptions, usable } from "./dataset-options.tsx";
import { loadEntry, shownOnly, type Subject } from "./files/entry.ts";
import { againWith, offersOf } from "./files/offers.ts";
import type { ExportOptions, Scope } from "./files/scope.ts";
import { type Extent, ScopeChoice } from "./scope-choice.tsx";
import type { ExportDialogProps } from "./types.ts";
import { Unnamed } from "./unnamed.tsx";
import "./files-tab.css";

/** The entry's files, by format; of one picture, of the accepted ones or of all. */
export function FilesTab({
  jobId,
  isOneJob,
  exportedJob,
  units,
  pictures,
  prompts,
  classes: exported,
  onExported,
  current,
  clip,
  onRunAgain,
}: Omit<ExportDialogProps, "onClose">) {
  const named = useSignal(0);
  const loaded = useLoaded(
    async (signal) => {
      const [{ assets }, entry] = await Promise.all([
        isOneJob ? api.value.retrieveJobResult({ jobId }, { signal }) : { assets: [] },
        loadEntry(pictures, { exported, prompts }, signal),
      ]);
      return { keys: assets.map(({ key }) => key), ...entry };
    },
    // Another browser may give numbers to classes meanwhile.
    [jobId, named.value, exported.join("\n")],
  );
  // Of a failed picture there is no export.
  const canBeOne = pictures.some(({ taskId, isMissing }) => taskId === current && isMissing !== true);
  const extent = useSignal<Extent>(canBeOne ? "one" : "all");
  const isShownOnly = useSignal(true);
  const hasRejected = useSignal(false);
  const options = useSignal<ExportOptions>({
    tolerance: 0,
    hasImages: false,
    split: null,
    cutOut: USUAL_CUT_OUT,
  });
  const renderer = useMemo(() => new Renderer(), []);
  useEffect(() => () => renderer.close(), []);
  if (loaded.value.value === undefined) return <Loading of={loaded} what="Loading formats" />;
  const { keys, subjects: all, classes } = loaded.value.value;
  const judged = (wanted: Verdict) => all.filter(({ verdict }) => verdict === wanted);
  const accepted = judged("accepted");
  const rejected = judged("rejected");
  const chosen: readonly Subject[] = {
    all: hasRejected.value ? all : all.filter((subject) => !rejected.includes(subject)),
    one: all.filter(({ taskId }) => taskId === current),
    accepted,
  }[extent.value];
  const hidden = chosen.flatMap(({ masks }) => masks).filter(({ isShown }) => !isShown).length;
  const subjects = isShownOnly.value ? chosen.map(shownOnly) : chosen;
  const { type, tasks } = exportedJob.request;
  const taskIds = type === "video" ? tasks : chosen.map(({ taskId }) => taskId);
  const offers = offersOf({
    type,
    taskIds,
    keys,
    masks: subjects.reduce((sum, { masks }) => sum + masks.length, 0),
    hasOriginals: subjects.every(({ masks, hasOriginal }) => masks.length === 0 || hasOriginal),
  });
  const scope: Scope = {
    jobId,
    subjects,
    classes,
    nameable: clip === undefined ? subjects : [clip],
    options: usable(options.value, subjects),
    names: uploadsOf(exportedJob).filter(({ taskId }) => taskIds.includes(taskId)),
  };
  return (
    <div class="files-tab">
      {type === "image" && (
        <ScopeChoice
          pictures={all.length}
          accepted={accepted.length}
          rejected={rejected.length}
          hasRejected={hasRejected}
          canBeOne={canBeOne}
          extent={extent}
          hidden={hidden}
          isShownOnly={isShownOnly}
        />
      )}
      {type === "image" && <DatasetOptions subjects={subjects} options={options} />}
      <Unnamed subjects={scope.nameable} classes={classes} onNamed={() => (named.value += 1)} />
      <ul class="files-tab-formats">
        {offers.map((offer) => (
          <FormatRow
            key={offer.id}
            offer={offer}
            scope={scope}
            renderer={renderer}
            onExported={onExported}
            units={units}
            onRunAgain={onRunAgain && ((change) => onRunAgain(againWith(exportedJob.request, change)))}
          >
            {offer.id === "cutout" && (
              <CutOutOptions subjects={subjects} options={options} renderer={renderer} />
            )}
            {offer.id === "yolo" && <Outlines options={options} />}
            {HAS_SIZES.has(offer.id) && <WithoutSize subjects={subjects} />}
          </FormatRow>
        ))}
      </ul>
      {type === "image" && (
        <Everything offers={offers} scope={scope} renderer={renderer} onExported={onExported} />
      )}
      {type === "video" && !isVisitor.value && <Archive jobId={jobId} />}
    </div>
  );
}

/** Tolerances of simplified outlines, in pixels. */
const TOLERANCES = [0, 1, 2, 4].map(
  (pixels) => [pixels, pixels === 0 ? "exact" : `within ${pixels} px, fewer points`] as const,
);

/** Choice of the outlines' precision: with fewer points they are easier to edit. */
const Outlines = ({ options }: { readonly options: Signal<ExportOptions> }) => (
  <label class="format-row-choice">
    Outlines
    <Select
      options={TOLERANCES}
      chosen={options.value.tolerance}
      onChoose={(tolerance) => (options.value = { ...options.value, tolerance })}
    />
  </label>
);

/** Formats that have the size of each picture. */
const HAS_SIZES: ReadonlySet<string> = new Set(["coco", "semantic", "voc"]);

/** Says how many pictures a format leaves out, because nothing tells their size. */
function WithoutSize({ subjects }: { readonly subjects: readonly Subject[] }) {
  const count = subjects.filter(({ anyMask, hasOriginal }) => anyMask === null && !hasOriginal).length;
  if (count === 0) return null;
  return (
    <p>
      {count === 1 ? "A picture" : `${count} pictures`} without objects {count === 1 ? "is" : "are"} left out:
      open
      {count === 1 ? " its file" : " their files"} first, because the format has each picture’s size.
    </p>
  );
}
