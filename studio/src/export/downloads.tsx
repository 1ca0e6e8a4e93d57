import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { SegmentationClient } from "segmentation-client";
import type { Renderer } from "../render/renderer.ts";
import { Button, Icon } from "../components/controls/button.tsx";
import { RunAgainDialog } from "../components/dialogs/run-again-dialog.tsx";
import { useLoaded } from "../state/requests.ts";
import { client } from "../state/session.ts";
import { bytesIn, counted } from "../text/format.ts";
import { problemSentence } from "../text/problem-words.ts";
import { isOfDataset } from "./files/dataset.ts";
import { prepare, type Prepared } from "./files/download.ts";
import type { Making, Scope } from "./files/scope.ts";
import { HAS_CLASSES, type Offer } from "./files/offers.ts";
import { save } from "./files/save.ts";
import type { RunAgain } from "./types.ts";
import { unnamedIn } from "./unnamed.tsx";

/** Progress of a download; `words` say it. */
interface State {
  readonly at: "idle" | "busy" | "done" | "failed";
  readonly words: string;
}

/** A download that a button starts. It ends with the component. */
function useDownload(act: (client: SegmentationClient, signal: AbortSignal) => Promise<string>): {
  readonly state: Signal<State>;
  readonly start: () => void;
} {
  const state = useSignal<State>({ at: "idle", words: "" });
  const controller = useRef(new AbortController());
  useEffect(() => () => controller.current.abort(), []);
  const run = async (): Promise<void> => {
    const { signal } = controller.current;
    state.value = { at: "busy", words: "Preparing…" };
    try {
      state.value = { at: "done", words: await act(client.value, signal) };
    } catch (error) {
      if (!signal.aborted) state.value = { at: "failed", words: problemSentence(error) };
    }
  };
  return { state, start: () => void run() };
}

/** Files that a download prepares and saves. */
interface Exported {
  readonly scope: Scope;
  readonly renderer: Renderer;
  /** Called with the classes of saved files. */
  readonly onExported: (classes: readonly string[]) => void;
}

/** A download of these formats' files. @param ready the prepared download, if there is one */
function useFiles(
  offers: readonly Offer[],
  { scope, renderer, onExported }: Exported,
  ready: Prepared | null = null,
) {
  const download = useDownload(async (of, signal) => {
    const onDone = (done: number, all: number): void => {
      if (all > 1) download.state.value = { at: "busy", words: `${done} of ${all}` };
    };
    const prepared = ready ?? (await prepare(offers, scope, { client: of, renderer, signal, onDone }));
    await save(prepared);
    if (offers.some(hasClasses)) onExported(scope.classes.names);
    return `Saved, ${bytesIn(prepared.bytes)}`;
  });
  return download;
}

const Failure = ({ state: { at, words } }: { readonly state: State }) =>
  at === "failed" ? (
    <p class="format-row-failure" role="alert">
      {words}
    </p>
  ) : null;

interface FormatRowProps extends Exported {
  readonly offer: Offer;
  /** Units of another run of the job. */
  readonly units: number;
  readonly onRunAgain: ((change: RunAgain) => void) | undefined;
  /** Choices for files that are made here. */
  readonly children?: ComponentChildren;
}

/** Key of a prepared download, which a different choice prepares again. */
const nameOf = ({ id }: Offer, { subjects, options }: Scope): string =>
  JSON.stringify([
    subjects.map(({ taskId, masks }) => [taskId, masks.map(({ object, label }) => [object, label])]),
    isOfDataset(id) && options,
    id === "cutout" && options.cutOut,
  ]);

const hasClasses = ({ way }: Offer): boolean => way.kind === "made" && HAS_CLASSES.has(way.format);

/** Tells whether a format can't be made yet, because it has classes and some objects have none. */
const needsNames = (offer: Offer, { nameable }: Scope): boolean =>
  hasClasses(offer) && unnamedIn(nameable).length > 0;

/** A format with its source: a download, or another run of the job. */
export function FormatRow({ offer, units, onRunAgain, children, ...exported }: FormatRowProps) {
  const { scope, renderer } = exported;
  const { title, about, way } = offer;
  const isAsking = useSignal(false);
  // A file of one picture is made at once, so its size is known.
  const isNameless = needsNames(offer, scope);
  const what =
    way.kind === "made" && !isNameless && scope.subjects.length === 1 ? nameOf(offer, scope) : null;
  const loaded = useLoaded(
    async (signal) => {
      const making: Making = { client: client.value, renderer, signal, onDone: () => {} };
      return what === null ? null : { what, prepared: await prepare([offer], scope, making) };
    },
    [what],
  );
  const ready = loaded.value.value?.what === what ? (loaded.value.value?.prepared ?? null) : null;
  const { state, start } = useFiles([offer], exported, ready);
  const { at, words } = state.value;
  const progress = at === "busy" || at === "done" ? words : null;
  const label = [`Download ${title}`, ...(progress === null ? [] : [progress])].join(": ");
  return (
    <li class="format-row" data-way={way.kind}>
      <div>
        <h3>
          {title}
          {ready !== null && <small class="format-row-size">{bytesIn(ready.bytes)}</small>}
        </h3>
        <p>{about}</p>
        {way.kind === "made" && children}
        <Failure state={state.value} />
      </div>
      {way.kind === "empty" ? (
        <p class="format-row-state">No objects</p>
      ) : isNameless ? (
        <p class="format-row-state">Name objects first</p>
      ) : way.kind !== "again" ? (
        <Button aria-label={label} busy={at === "busy"} onClick={start}>
          <Icon name={at === "done" ? "check" : "download"} size={18} />
          <span aria-live="polite">{progress ?? "Download"}</span>
        </Button>
      ) : onRunAgain === undefined ? (
        <p class="format-row-state">Not requested for this job</p>
      ) : (
        <Button variant="quiet" onClick={() => (isAsking.value = true)}>
          Run again to include it, {counted(units, "unit")}
        </Button>
      )}
      {isAsking.value && way.kind === "again" && onRunAgain !== undefined && (
        <RunAgainDialog
          units={units}
          onConfirm={() => onRunAgain(way.change)}
          onClose={() => (isAsking.value = false)}
        />
      )}
    </li>
  );
}

interface EverythingProps extends Exported {
  readonly offers: readonly Offer[];
}

/** All available formats in one ZIP file: the shown objects, by the names of files and objects. */
export function Everything({ offers, ...exported }: EverythingProps) {
  const available = offers.filter(({ way }) => way.kind === "made" || way.kind === "there");
  const wanted = available.filter((offer) => !needsNames(offer, exported.scope));
  const isPartial = wanted.length < available.length;
  const { state, start } = useFiles(wanted, exported);
  const { at, words } = state.value;
  return (
    <section class="archive" aria-label="Everything">
      <div>
        <h3>Everything as a ZIP file</h3>
        <p>
          All formats with a download above, by the names of pictures and objects.
          {isPartial && " Name the objects to have the formats with classes, too."}
        </p>
        <Failure state={state.value} />
      </div>
      <Button variant="main" busy={at === "busy"} onClick={start}>
        <Icon name={at === "done" ? "check" : "download"} size={18} />
        <span aria-live="polite">{at === "busy" || at === "done" ? words : "Download ZIP"}</span>
      </Button>
    </section>
  );
}

const ARCHIVE_WORDS: Partial<Record<State["at"], string>> = {
  busy: "The service is packing the job’s files. The download starts automatically.",
  done: "The download has started.",
};

/** Everything as the service packs it: a zip that is built on request. */
export function Archive({ jobId }: { readonly jobId: string }) {
  const url = useSignal<string | null>(null);
  const link = useRef<HTMLAnchorElement>(null);
  const { state, start } = useDownload(async (of, signal) => {
    url.value = (await of.archive(jobId, { signal })).downloadUrl;
    return "";
  });
  useEffect(() => {
    if (url.value !== null) link.current?.click();
  }, [url.value]);
  const { at } = state.value;
  return (
    <section class="archive" aria-label="Everything">
      <div>
        <h3>Everything as a ZIP file</h3>
        <p aria-live="polite">{ARCHIVE_WORDS[at] ?? "All of this job’s files, with a manifest."}</p>
        <Failure state={state.value} />
      </div>
      {url.value === null ? (
        <Button variant="main" busy={at === "busy"} onClick={start}>
          <Icon name="download" size={18} />
          {at === "busy" ? "Packing…" : "Download ZIP"}
        </Button>
      ) : (
        <a ref={link} class="button button-plain" href={url.value} download={`${jobId}.zip`}>
          <Icon name="check" size={18} />
          Download again
        </a>
      )}
    </section>
  );
}
