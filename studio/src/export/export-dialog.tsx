import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { CreateJobRequest } from "segmentation-client";
import { Button, Icon } from "../components/controls/button.tsx";
import { CodeTab } from "./code-tab.tsx";
import { FilesTab } from "./files-tab.tsx";
import { isVisitor } from "../state/session.ts";
import { Tabs } from "./tabs.tsx";
import type { ExportDialogProps } from "./types.ts";
import "./export-dialog.css";

const TABS = [
  { name: "files", title: "Files" },
  { name: "code", title: "Code" },
] as const;

/** Exports a job that succeeded: its files in each format, and the same job as code. A dialog, open while it is drawn. */
export function ExportDialog({ exportedJob, onClose, onRunAgain, ...rest }: ExportDialogProps) {
  const runAgain = onRunAgain && {
    onRunAgain: (request: CreateJobRequest) => {
      // Its results come while a person does something else.
      onClose();
      onRunAgain(request);
    },
  };
  const files = { ...rest, ...(!isVisitor.value && runAgain) };
  const dialog = useRef<HTMLDialogElement>(null);
  const tab = useSignal<"files" | "code">("files");
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      class="export"
      aria-labelledby="export-title"
      onClose={onClose}
      onClick={({ target, currentTarget }) => {
        // Only the area around the dialog's content is the dialog itself.
        if (target === currentTarget) currentTarget.close();
      }}
    >
      <div class="export-sheet">
        <header class="export-head">
          <h2 id="export-title">Export</h2>
          <Button variant="quiet" aria-label="Close" onClick={() => dialog.current?.close()}>
            <Icon name="close" />
          </Button>
        </header>
        {isVisitor.value ? (
          <FilesTab exportedJob={exportedJob} {...files} />
        ) : (
          <Tabs label="Export as" tabs={TABS} chosen={tab.value} onChoose={(name) => (tab.value = name)}>
            {tab.value === "files" ? (
              <FilesTab exportedJob={exportedJob} {...files} />
            ) : (
              <CodeTab exportedJob={exportedJob} />
            )}
          </Tabs>
        )}
      </div>
    </dialog>
  );
}
