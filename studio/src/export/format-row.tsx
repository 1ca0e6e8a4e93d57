import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { Icon } from "../components/icon.tsx";
import { session } from "../state/session.ts";
import type { Offer } from "./files/offers.ts";
import { type Scope, take } from "./files/take.ts";
import type { RunAgain } from "./types.ts";

export interface FormatRowProps {
  readonly offer: Offer;
  readonly scope: Scope;
  readonly onRunAgain: ((change: RunAgain) => void) | undefined;
}

type State =
  | { readonly at: "idle" | "saved" }
  | { readonly at: "busy"; readonly words: string }
  | { readonly at: "failed"; readonly sentence: string };

/** A format, and what it takes to have it: a download, or another run of the job. */
export function FormatRow({ offer, scope, onRunAgain }: FormatRowProps) {
  const { title, about, way } = offer;
  const state = useSignal<State>({ at: "idle" });
  const controller = useRef(new AbortController());
  useEffect(() => () => controller.current.abort(), []);
  const download = async (): Promise<void> => {
    const { signal } = controller.current;
    if (!session.value) return;
    state.value = { at: "busy", words: "Preparing…" };
    try {
      await take(session.value.client, offer, scope, signal, (done, all) => {
        if (all > 1) state.value = { at: "busy", words: `${done} of ${all}` };
      });
      state.value = { at: "saved" };
    } catch (error) {
      if (!signal.aborted)
        state.value = { at: "failed", sentence: error instanceof Error ? error.message : String(error) };
    }
  };
  const { value: now } = state;
  return (
    <li class="format-row" data-way={way.kind}>
      <div>
        <h3>{title}</h3>
        <p>{about}</p>
        {now.at === "failed" && (
          <p class="format-row-failure" role="alert">
            {now.sentence}
          </p>
        )}
      </div>
      {way.kind === "again" ? (
        <Again onRunAgain={onRunAgain && (() => onRunAgain(way.change))} />
      ) : way.kind === "empty" ? (
        <p class="format-row-state">No objects</p>
      ) : (
        <Button aria-label={`Download ${title}`} busy={now.at === "busy"} onClick={() => void download()}>
          <Icon name={now.at === "saved" ? "check" : "download"} size={18} />
          <span aria-live="polite">
            {now.at === "busy" ? now.words : now.at === "saved" ? "Saved" : "Download"}
          </span>
        </Button>
      )}
    </li>
  );
}

function Again({ onRunAgain }: { readonly onRunAgain: (() => void) | undefined }) {
  if (onRunAgain === undefined) return <p class="format-row-state">Not requested for this job</p>;
  return (
    <Button look="quiet" onClick={onRunAgain}>
      Run again to include it
    </Button>
  );
}
