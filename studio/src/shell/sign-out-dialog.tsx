import { ConfirmDialog } from "../components/dialogs/dialogs.tsx";
import { signOut } from "../sign-in/sign-in.ts";

interface SignOutDialogProps {
  /** Data that signing out deletes. */
  readonly lost: readonly string[];
  readonly onClose: () => void;
}

/** Asks before a sign-out that deletes something. */
export const SignOutDialog = ({ lost, onClose }: SignOutDialogProps) => (
  <ConfirmDialog
    title="Sign out?"
    confirm="Sign out and delete"
    cancel="Stay signed in"
    onConfirm={signOut}
    onClose={onClose}
  >
    <p>This is only in this browser, and signing out deletes it:</p>
    <ul>
      {lost.map((each) => (
        <li key={each}>{each}</li>
      ))}
    </ul>
  </ConfirmDialog>
);
