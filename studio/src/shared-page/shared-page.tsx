import { effect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { ErrorBoundary } from "preact-iso";
import { useEffect, useMemo } from "preact/hooks";
import { SegmentationError } from "segmentation-client";
import { Loading, Problem } from "../components/layout/notice.tsx";
import { Page } from "../components/layout/page.tsx";
import { Batch } from "../screens/segment/batch/batch.tsx";
import { ExportButton } from "../screens/segment/inspector/export-button.tsx";
import { ShowHow } from "../screens/segment/inspector/show-how.tsx";
import { Instances } from "../screens/segment/inspector/instances.tsx";
import { ViewState } from "../screens/segment/state/view-state.ts";
import { Stage } from "../screens/segment/stage/stage.tsx";
import { Strip } from "../screens/segment/batch/strip.tsx";
import { Brand } from "../shell/brand.tsx";
import { config } from "../state/config.ts";
import { useLoaded } from "../state/requests.ts";
import { session } from "../state/session.ts";
import { fullTime, relativeTime } from "../text/format.ts";
import { showAnnotations } from "../workspace/annotations/keep.ts";
import { until } from "../workspace/service/once-online.ts";
import { Inputs } from "../workspace/service/shared-inputs.ts";
import { openShared } from "../workspace/jobs/open-job.ts";
import { Owner } from "../workspace/service/owner.ts";
import type { Workspace } from "../workspace/workspace.ts";
import "../screens/segment/workbench/workbench.css";
import "../screens/segment/inspector/inspector.css";
import "../shell/shell.css";
import "./shared-page.css";

interface SharedPageProps {
  readonly jobId: string;
}

/** Page of a shared result for people with the link, who can view and download it. */
export function SharedPage({ jobId }: SharedPageProps) {
  if (!session.value)
    return (
      <Frame>
        <Page title="This link is incomplete">
          <p>Its last part, after the #, is missing. Ask whoever sent it to you for the whole link.</p>
        </Page>
      </Frame>
    );
  return <Shared jobId={jobId} />;
}

function Shared({ jobId }: SharedPageProps) {
  const owner = useMemo(() => new Owner("link"), []);
  const loaded = useLoaded(async () => await Inputs.open(owner, jobId));
  const { value: inputs } = loaded.value;
  const { value: error } = loaded.error;
  if (error instanceof SegmentationError && (error.status === 401 || error.status === 404))
    return (
      <Frame>
        <Page title="This link has ended">
          <p>
            It has expired, was revoked, or was not copied as a whole. Ask whoever sent it to you for a new
            one.
          </p>
        </Page>
      </Frame>
    );
  return (
    <Frame endsAt={inputs?.share.expiresAt}>
      {inputs === undefined ? (
        <Loading of={loaded} what="Loading the result" />
      ) : (
        <Result key={inputs.share.createdAt} owner={owner} inputs={inputs} />
      )}
    </Frame>
  );
}

interface FrameProps {
  readonly endsAt?: string | undefined;
  readonly children: ComponentChildren;
}

const Frame = ({ endsAt, children }: FrameProps) => (
  <div class="shell">
    <header class="shell-bar shared-bar">
      <Brand />
      {endsAt !== undefined && (
        <p title={fullTime(endsAt)}>Shared with you; the link ends {relativeTime(endsAt, Date.now())}.</p>
      )}
    </header>
    <main class="shell-content" tabIndex={-1}>
      {children}
    </main>
  </div>
);

interface ResultProps {
  readonly owner: Owner;
  readonly inputs: Inputs;
}

function Result({ owner, inputs }: ResultProps) {
  const workspace = useMemo(() => openShared(owner, inputs), [inputs]);
  const viewState = useMemo(() => new ViewState(workspace), [workspace]);
  useEffect(() => viewState.attach(), [viewState]);
  useEffect(() => {
    if (inputs.share.showAnnotations) void showChanges(workspace, inputs.share.jobId);
  }, [workspace]);
  useEffect(
    () =>
      effect(() => {
        const open = workspace.isOverview.value ? null : workspace.openPicture.value;
        if (open !== null) void showOriginal(workspace, open.key);
      }),
    [workspace],
  );
  useEffect(
    () =>
      effect(() => {
        const what = workspace.prompts.value.join(", ");
        document.title = [
          what.length > 60 ? `${Array.from(what).slice(0, 60).join("")}…` : what || "Shared result",
          config.value.name,
        ].join(" · ");
      }),
    [workspace],
  );
  const { problem, type, pictures, isOverview, found, prompts } = workspace;
  const isImage = type.value === "image";
  return (
    <div class="workbench" data-type={type.value}>
      <h1 class="unseen">Shared result</h1>
      <ErrorBoundary>
        {isOverview.value ? <Batch viewState={viewState} /> : <Stage viewState={viewState} />}
        {isImage && pictures.value.length > 1 && !isOverview.value && (
          <Strip viewState={viewState} onGiven={null} />
        )}
        <aside class="inspector" aria-label="Result">
          {problem.value !== null && (
            <Problem error={problem.value.error} onRetry={() => location.reload()} />
          )}
          {prompts.value.length > 0 && (
            <section class="shared-prompts">
              <h2>Prompts</h2>
              <ul>
                {prompts.value.map((prompt) => (
                  <li key={prompt}>{prompt}</li>
                ))}
              </ul>
            </section>
          )}
          <ExportButton viewState={viewState} />
          {isImage && (found.value !== null || viewState.instances.value.length > 0) && (
            <ShowHow viewState={viewState} />
          )}
          {isImage && !isOverview.value && <Instances viewState={viewState} />}
        </aside>
      </ErrorBoundary>
    </div>
  );
}

/** Shows what people have changed, once the result is there. */
async function showChanges(workspace: Workspace, jobId: string): Promise<void> {
  try {
    await until(workspace.opening, (isOpening) => !isOpening);
    await showAnnotations(workspace, jobId);
  } catch (error) {
    workspace.problem.value = { error, of: "opening" };
  }
}

/** Fetches the file of the open picture, if the link shows it. */
async function showOriginal(workspace: Workspace, key: string): Promise<void> {
  const picture = workspace.picture(key);
  if (picture === undefined || picture.file !== null) return;
  try {
    const file = await workspace.original(picture);
    if (file !== null) workspace.change(key, { file });
  } catch (error) {
    workspace.problem.value = { error, of: "masks" };
  }
}
