import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { SegmentationClient } from "segmentation-client";
import { Button, Icon } from "../components/button.tsx";
import { RunAgainDialog } from "../components/run-again-dialog.tsx";
import { client } from "../state/session.ts";
import { counted } from "../text/format.ts";
import { problemSentence } from "../text/problem-words.ts";
import type { Scope } from "./files/download.ts";
import type { Offer } from "./files/offers.ts";
import type { RunAgain } from "./types.ts";

/** How far a download is; `words` say it. */
interface State {
  readonly at: "idle" | "busy" | "done" | "failed";
  readonly words: string;
}

/** A download that a button starts. It ends with the component. */
function useDownload(act: (client: SegmentationClient, signal: AbortSignal) => Promise<void>): {
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
      await act(client.value, signal);
      state.value = { at: "done", words: "Saved" };
    } catch (error) {
      if (!signal.aborted) state.value = { at: "failed", words: problemSentence(error) };
    }
  };
  return { state, start: () => void run() };
}

const Failure = ({ state: { at, words } }: { readonly state: State }) =>
  at === "failed" ? (
    <p class="format-row-failure" role="alert">
      {words}
    </p>
  ) : null;

interface FormatRowProps {
  readonly offer: Offer;
  readonly scope: Scope;
  /** How many units another run of the job takes. */
  readonly units: number;
  readonly onRunAgain: ((change: RunAgain) => void) | undefined;
}

/** A format, and what it takes to have it: a download, or another run of the job. */
export function FormatRow({ offer, scope, units, onRunAgain }: FormatRowProps) {
  const { title, about, way } = offer;
  const isAsking = useSignal(false);
  const { state, start } = useDownload(async (of, signal) => {
    const { download } = await import("./files/download.ts");
    const onDone = (done: number, all: number): void => {
      if (all > 1) state.value = { at: "busy", words: `${done} of ${all}` };
    };
    await download(of, offer, scope, { signal, onDone });
  });
  const { at, words } = state.value;
  return (
    <li class="format-row" data-way={way.kind}>
      <div>
        <h3>{title}</h3>
        <p>{about}</p>
        <Failure state={state.value} />
      </div>
      {way.kind === "empty" ? (
        <p class="format-row-state">No objects</p>
      ) : way.kind !== "again" ? (
        <Button aria-label={`Download ${title}`} busy={at === "busy"} onClick={start}>
          <Icon name={at === "done" ? "check" : "download"} size={18} />
          <span aria-live="polite">{at === "busy" || at === "done" ? words : "Download"}</span>
        </Button>
      ) : onRunAgain === undefined ? (
        <p class="format-row-state">Not requested for this job</p>
      ) : (
        <Button look="quiet" onClick={() => (isAsking.value = true)}>
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

const ARCHIVE_WORDS: Partial<Record<State["at"], string>> = {
  busy: "The service is packing the job’s files. The download starts automatically.",
  done: "The download has started.",
};

/** Everything as the service packs it: a zip that is built when it is asked for. */
export function Archive({ jobId }: { readonly jobId: string }) {
  const url = useSignal<string | null>(null);
  const link = useRef<HTMLAnchorElement>(null);
  const { state, start } = useDownload(async (of, signal) => {
    url.value = (await of.archive(jobId, { signal })).downloadUrl;
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
        <Button look="main" busy={at === "busy"} onClick={start}>
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
