import { type Signal, useComputed, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { SegmentationError } from "segmentation-client";
import { lazyPart } from "../../../components/lazy/lazy-part.tsx";
import { Problem } from "../../../components/layout/notice.tsx";
import { Page } from "../../../components/layout/page.tsx";
import type { Given } from "../../../workspace/rules/inspect-file.ts";
import { addressesIn } from "../../../workspace/rules/picture.ts";
import { droppedFiles } from "../add-files/dropped-files.ts";
import type { Workspace } from "../../../workspace/workspace.ts";
import { Empty } from "../add-files/empty.tsx";
import "./workbench.css";

const loadPanels = async () => (await import("./workbench-panels.tsx")).WorkbenchPanels;
const WorkbenchPanels = lazyPart(loadPanels);

interface WorkbenchProps {
  readonly workspace: Workspace;
  /** Begins a new workspace with the given files. */
  readonly onNew: (given: readonly Given[]) => void;
}

/** Workbench of the segment screen: takes files, and shows its panels once there are some. */
export function Workbench({ workspace, onNew }: WorkbenchProps) {
  // It is needed as soon as something is given, and then there may be no network.
  useEffect(() => void loadPanels().catch(() => undefined), []);
  const isOver = useSignal(false);
  const canAdd = useComputed(
    () => workspace.jobIds.value.length === 0 && workspace.going.value.at === "idle",
  );
  const add = (given: readonly Given[]): void => void workspace.add(given);
  const isEmpty =
    workspace.pictures.value.length === 0 && !workspace.opening.value && workspace.problem.value === null;
  const isLost = workspace.pictures.value.length === 0 && workspace.problem.value?.of === "opening";
  return (
    <DropTarget
      onGiven={canAdd.value ? add : workspace.going.value.at === "idle" ? onNew : null}
      isOver={isOver}
    >
      <div class="workbench" data-over={isOver.value} data-type={workspace.type.value}>
        <h1 class="unseen">Segment</h1>
        {isLost ? (
          <Lost error={workspace.problem.value?.error} />
        ) : isEmpty ? (
          <Empty workspace={workspace} onGiven={add} />
        ) : (
          <WorkbenchPanels workspace={workspace} onNew={onNew} onGiven={canAdd.value ? add : null} />
        )}
      </div>
    </DropTarget>
  );
}

/** Notice in place of a job that can't be opened. */
const Lost = ({ error }: { readonly error: unknown }) =>
  error instanceof SegmentationError && error.status === 404 ? (
    <Page title="Job not found">
      <p>
        It was deleted, has expired, or belongs to another account. Go to <a href="/studio/jobs">all jobs</a>,
        or <a href="/studio">start a new one</a>.
      </p>
    </Page>
  ) : (
    <section class="empty" aria-label="Job">
      <div class="empty-middle">
        <Problem error={error} onRetry={() => location.reload()} />
        <p>
          <a href="/studio/jobs">All jobs</a>, or <a href="/studio">start a new one</a>.
        </p>
      </div>
    </section>
  );

interface DropTargetProps {
  /** Called with files dropped or pasted anywhere on the page; null if none are accepted now. */
  readonly onGiven: ((given: readonly Given[]) => void) | null;
  /** True while a file that can be dropped is over the page. */
  readonly isOver: Signal<boolean>;
  readonly children: ComponentChildren;
}

const isText = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;

/** Returns the addresses in a drop or in the clipboard. */
const addressesOf = (data: DataTransfer | null): readonly URL[] =>
  addressesIn(data?.getData("text/uri-list") || data?.getData("text/plain") || "") ?? [];

/** Takes pictures and videos that are dropped on the page, or pasted outside of text fields. */
function DropTarget({ onGiven, isOver, children }: DropTargetProps) {
  useEffect(() => {
    const over = (event: DragEvent): void => {
      // Otherwise a file that is dropped outside its target makes the browser leave the page.
      event.preventDefault();
      isOver.value = onGiven !== null;
    };
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) isOver.value = false;
    };
    const drop = (event: DragEvent): void => {
      event.preventDefault();
      isOver.value = false;
      const { dataTransfer } = event;
      if (onGiven === null || dataTransfer === null) return;
      if (dataTransfer.files.length === 0) onGiven(addressesOf(dataTransfer));
      else void droppedFiles(dataTransfer).then(onGiven);
    };
    const paste = (event: ClipboardEvent): void => {
      const files = [...(event.clipboardData?.files ?? [])];
      const given = files.length > 0 || isText(event.target) ? files : addressesOf(event.clipboardData);
      if (given.length === 0) return;
      event.preventDefault();
      onGiven?.(given);
    };
    const end = new AbortController();
    const { signal } = end;
    addEventListener("dragover", over, { signal });
    addEventListener("dragleave", leave, { signal });
    addEventListener("drop", drop, { signal });
    addEventListener("paste", paste, { signal });
    return () => end.abort();
  }, [onGiven]);
  return <>{children}</>;
}
