import { counted } from "../../text/format.ts";
import { ConfirmDialog } from "./dialogs.tsx";

interface RunAgainDialogProps {
  /** Its units; null if they are not known in advance. */
  readonly units: number | null;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before a job is run once more. */
export const RunAgainDialog = ({ units, onConfirm, onClose }: RunAgainDialogProps) => (
  <ConfirmDialog
    title="Run it again?"
    confirm="Run again"
    cancel="Cancel"
    isDangerous={false}
    onConfirm={onConfirm}
    onClose={onClose}
  >
    This is another job for the same files, and costs{" "}
    {units === null ? "a unit per processed frame" : counted(units, "unit")}. What is on the screen stays
    among your jobs.
  </ConfirmDialog>
);
