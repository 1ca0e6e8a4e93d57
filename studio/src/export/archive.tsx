import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { Icon } from "../components/icon.tsx";
import { session } from "../state/session.ts";

type State =
  | { readonly at: "idle" | "packing" }
  | { readonly at: "ready"; readonly url: string }
  | { readonly at: "failed"; readonly sentence: string };

/** Everything as the service packs it: a zip that is built when it is asked for. */
export function Archive({ jobId }: { readonly jobId: string }) {
  const state = useSignal<State>({ at: "idle" });
  const controller = useRef(new AbortController());
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => () => controller.current.abort(), []);
  const pack = async (): Promise<void> => {
    const { signal } = controller.current;
    if (!session.value) return;
    state.value = { at: "packing" };
    try {
      const { downloadUrl } = await session.value.client.archive(jobId, { signal });
      state.value = { at: "ready", url: downloadUrl };
    } catch (error) {
      if (!signal.aborted)
        state.value = { at: "failed", sentence: error instanceof Error ? error.message : String(error) };
    }
  };
  const { value: now } = state;
  const url = now.at === "ready" ? now.url : null;
  useEffect(() => {
    if (url !== null) link.current?.click();
  }, [url]);
  return (
    <section class="archive" aria-label="Everything">
      <div>
        <h3>Everything as a ZIP file</h3>
        <p aria-live="polite">
          {now.at === "packing"
            ? "The service is packing the job’s files. The download starts automatically."
            : now.at === "ready"
              ? "The download has started."
              : "All of this job’s files, with a manifest."}
        </p>
        {now.at === "failed" && (
          <p class="format-row-failure" role="alert">
            {now.sentence}
          </p>
        )}
      </div>
      {url === null ? (
        <Button look="main" busy={now.at === "packing"} onClick={() => void pack()}>
          <Icon name="download" size={18} />
          {now.at === "packing" ? "Packing…" : "Download ZIP"}
        </Button>
      ) : (
        <a ref={link} class="button button-plain" href={url} download={`${jobId}.zip`}>
          <Icon name="check" size={18} />
          Download again
        </a>
      )}
    </section>
  );
}
