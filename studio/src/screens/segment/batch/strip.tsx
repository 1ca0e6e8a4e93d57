import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../../../components/controls/button.tsx";
import { useNear } from "../../../components/hooks/use-near.ts";
import { useLoaded } from "../../../state/requests.ts";
import { isCanceled } from "../../../text/task-problems.ts";
import type { Given } from "../../../workspace/rules/inspect-file.ts";
import { type Picture, taskIdOf } from "../../../workspace/rules/picture.ts";
import { counted } from "../../../text/format.ts";
import type { Workspace } from "../../../workspace/workspace.ts";
import { Choose } from "../add-files/choose.tsx";
import type { ViewState } from "../state/view-state.ts";
import { useObjectUrl } from "../../../components/hooks/use-object-url.ts";
import "./strip.css";

interface StripProps {
  readonly viewState: ViewState;
  /** Adds further pictures; null if there is already a job. */
  readonly onGiven: ((given: readonly Given[]) => void) | null;
}

/** The pictures of a workspace, small, with how many objects each has. */
export function Strip({ viewState, onGiven }: StripProps) {
  const { workspace } = viewState;
  const open = workspace.openPicture.value?.key;
  const list = useRef<HTMLUListElement>(null);
  const isFollowed = useRef(false);
  useEffect(() => {
    // The focus goes with the arrow keys, and stays here when a picture is taken out.
    if (isFollowed.current) list.current?.querySelector<HTMLElement>("[aria-current=true]")?.focus();
    isFollowed.current = false;
  }, [open, workspace.pictures.value.length]);
  const step = (event: KeyboardEvent): void => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const pictures = workspace.pictures.value;
    const next = pictures[pictures.findIndex(({ key }) => key === open) + by];
    if (by === 0 || next === undefined) return;
    event.preventDefault();
    workspace.openKey.value = next.key;
    isFollowed.current = true;
  };
  return (
    <nav class="strip" aria-label="Pictures">
      <ul ref={list} onKeyDown={step}>
        <li>
          <button type="button" class="strip-all" onClick={() => workspace.open(null)}>
            All {workspace.pictures.value.length}
          </button>
        </li>
        {workspace.pictures.value.map((picture) => (
          <Thumbnail
            key={picture.key}
            workspace={workspace}
            picture={picture}
            isOpen={picture.key === open}
            onRemove={
              onGiven === null || workspace.pictures.value.length < 2
                ? null
                : () => {
                    isFollowed.current = true;
                    workspace.remove(picture.key);
                  }
            }
          />
        ))}
        {onGiven !== null && (
          <li class="strip-add">
            <Choose variant="quiet" many onFiles={onGiven}>
              <Icon name="plus" />
              <span class="unseen">Add pictures</span>
            </Choose>
          </li>
        )}
      </ul>
    </nav>
  );
}

interface ThumbnailProps {
  readonly workspace: Workspace;
  readonly picture: Picture;
  readonly isOpen: boolean;
  /** Takes it out; null if that is no longer possible. */
  readonly onRemove: (() => void) | null;
}

function Thumbnail({ workspace, picture, isOpen, onRemove }: ThumbnailProps) {
  const item = useRef<HTMLLIElement>(null);
  const isNear = useNear(item, "0px 50%").value;
  const original = useLoaded(
    async (signal) =>
      await workspace.runner.thumbnails.do(async () =>
        isNear && !signal.aborted ? await workspace.original(picture) : null,
      ),
    [isNear],
  );
  const url = useObjectUrl(picture.file ?? original.value.value ?? null);
  // A HEIC, say, which this browser can't decode.
  const [isUnshowable, setUnshowable] = useState(false);
  const state = stateOf(workspace, picture);
  useEffect(() => {
    if (isOpen) item.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [isOpen]);
  return (
    <li ref={item} class="strip-item">
      <button
        type="button"
        class="strip-picture"
        aria-current={isOpen}
        tabIndex={isOpen ? 0 : -1}
        title={picture.name}
        onClick={() => (workspace.openKey.value = picture.key)}
      >
        {url === null || isUnshowable ? (
          <Icon name="picture" />
        ) : (
          <img src={url} alt="" loading="lazy" decoding="async" onError={() => setUnshowable(true)} />
        )}
        <span class="unseen">
          {picture.name} {state.words}
        </span>
        {state.mark !== "" && (
          <span class="strip-mark" data-tone={state.tone} aria-hidden="true">
            {state.mark}
          </span>
        )}
      </button>
      {onRemove !== null && (
        <button
          type="button"
          class="strip-out"
          aria-label={`Remove ${picture.name}`}
          tabIndex={isOpen ? 0 : -1}
          onClick={onRemove}
        >
          <Icon name="close" size={14} />
        </button>
      )}
    </li>
  );
}

/** Returns the state of a picture, as a mark and in words. */
function stateOf(
  workspace: Workspace,
  picture: Picture,
): { mark: string; words: string; tone: "plain" | "danger" | "going" } {
  const { sending } = picture;
  if (sending.at === "failed") return { mark: "!", words: "could not be uploaded", tone: "danger" };
  if (sending.at === "sending") return { mark: "↑", words: "uploading", tone: "going" };
  const task = workspace.taskOf(picture);
  const isDone = workspace.isDone(picture);
  if (task?.status === "failed" && !isDone && isCanceled(task.error))
    return { mark: "–", words: "canceled", tone: "plain" };
  if (task?.status === "failed" && !isDone) return { mark: "!", words: "failed", tone: "danger" };
  const verdict = workspace.verdicts.value.get(picture.key);
  if (verdict === "accepted") return { mark: "✓", words: "accepted", tone: "going" };
  if (verdict === "rejected") return { mark: "✕", words: "rejected", tone: "danger" };
  const taskId = taskIdOf(picture);
  const count = taskId === null ? undefined : workspace.found.value?.confidences.get(taskId)?.length;
  if (count !== undefined) return { mark: String(count), words: counted(count, "object"), tone: "plain" };
  if (task?.status === "success") return { mark: "✓", words: "done", tone: "going" };
  return { mark: "", words: "", tone: "plain" };
}
