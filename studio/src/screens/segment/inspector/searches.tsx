import { Button } from "../../../components/controls/button.tsx";
import { RelativeTime } from "../../../components/layout/table.tsx";
import { problemSentence } from "../../../text/problem-words.ts";
import { see } from "../../../workspace/jobs/open-job.ts";
import { type Search, thresholdIn } from "../../../workspace/rules/searches.ts";
import { promptsText } from "../../jobs/job-words.ts";
import type { ViewState } from "../state/view-state.ts";
import "./searches.css";

/** Searches of the same pictures, if some are not shown: those for other words are shown together, and of each word the latest. */
export function Searches({ viewState }: { readonly viewState: ViewState }) {
  const { workspace, comparing } = viewState;
  const searches = workspace.searches.value;
  const shown = workspace.shownIds.value;
  if (shown.length === searches.length || searches.length < 2) return null;
  return (
    <section class="searches" aria-label="Searches">
      <h2>Searches</h2>
      <ul>
        {searches.toReversed().map((search) => (
          <li key={search.jobId}>
            <button
              type="button"
              class="searches-search"
              aria-pressed={shown.includes(search.jobId)}
              disabled={workspace.going.value.at !== "idle"}
              onClick={() => see(workspace, search.jobId)}
            >
              <span class="cut">{promptsText(search.prompts)}</span>
              <span class="fine">
                {thresholdText(search)}
                <RelativeTime at={new Date(search.at).toISOString()} />
              </span>
            </button>
            {workspace.type.value === "image" && !shown.includes(search.jobId) && (
              <Button
                variant={search === comparing.search.value ? "plain" : "quiet"}
                aria-pressed={search === comparing.search.value}
                aria-label={`Compare with ${promptsText(search.prompts)}`}
                onClick={() => {
                  // One picture is compared at a time.
                  workspace.open(workspace.openPicture.value?.key ?? null);
                  comparing.toggle(search.jobId);
                }}
              >
                Compare
              </Button>
            )}
          </li>
        ))}
      </ul>
      {comparing.search.value !== null && (
        <p class="searches-compared fine" role="status">
          {comparing.error.value === null
            ? comparing.inWords(viewState.instances)
            : problemSentence(comparing.error.value)}
        </p>
      )}
    </section>
  );
}

function thresholdText({ request }: Search): string {
  const threshold = request === null ? null : thresholdIn(request);
  return threshold === null ? "" : `from ${Math.round(threshold * 100)}% · `;
}
