import type { ComponentChildren } from "preact";
import { useSignal } from "@preact/signals";
import { Choose } from "../add-files/choose.tsx";
import { type Picture, taskIdOf } from "../../../workspace/rules/picture.ts";
import { reopen } from "../../../workspace/jobs/open-job.ts";
import { isVisitor } from "../../../state/session.ts";
import type { Workspace } from "../../../workspace/workspace.ts";

interface AbsentProps {
  readonly workspace: Workspace;
  readonly picture: Picture;
  /** The browser has the file and can't show it. */
  readonly isUnshowable: boolean;
  readonly hasMasks: boolean;
}

/** Placeholder for a picture that can't be shown, with the reason and the way out. */
export function Absent({ workspace, picture, isUnshowable, hasMasks }: AbsentProps) {
  const problem = useSignal<string | null>(null);
  const openAgain = async ([file]: readonly File[]): Promise<void> => {
    if (file === undefined) return;
    const [mask] = workspace.instances.value.get(picture.key) ?? [];
    const bitmap = await createImageBitmap(file).catch(() => null);
    const isAnother =
      mask !== undefined && bitmap !== null && (bitmap.width !== mask.width || bitmap.height !== mask.height);
    bitmap?.close();
    if (isAnother) {
      problem.value = `${file.name} has a different size, so it is a different picture.`;
      return;
    }
    await reopen(workspace, picture, file);
  };
  // Why it failed is said already.
  if (isUnshowable && workspace.taskOf(picture)?.status === "failed") return null;
  if (isUnshowable)
    return (
      <Words isLow={hasMasks} title="This browser can’t show the file">
        The service may be able to read it.
      </Words>
    );
  if (workspace.hasOriginal(picture)) return null;
  if (isVisitor.value)
    return (
      <Words isLow={hasMasks} title="The link doesn’t show the picture">
        It shows what was found in it.
      </Words>
    );
  if (picture.address !== null && taskIdOf(picture) === null)
    return (
      <Words isLow={hasMasks} title={picture.name}>
        The service fetches it from {picture.address.host} and draws a preview. It can’t be shown before that.
      </Words>
    );
  if (workspace.found.value === null && workspace.jobIds.value.length === 0) return null;
  return (
    <Words isLow={hasMasks} title="The picture isn’t in this browser">
      {/* Without an answer to the question for its files, nothing is known. */}
      {workspace.kept.value !== null && "The service no longer has its file. "}
      {problem.value ?? "Open the file again to see it under its masks."}
      <Choose onFiles={(files) => void openAgain(files)}>Open file</Choose>
    </Words>
  );
}

interface WordsProps {
  readonly title: string;
  /** Beside the masks, so as not to cover them. */
  readonly isLow: boolean;
  readonly children: ComponentChildren;
}

const Words = ({ title, isLow, children }: WordsProps) => (
  <div class="stage-absent" data-low={isLow}>
    <strong>{title}</strong>
    {children}
  </div>
);
