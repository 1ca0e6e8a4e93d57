import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { api } from "../../state/session.ts";
import { type ApiKey, isKeyOfThisTab } from "./api-key.ts";

export interface RevokeKeyProps {
  readonly apiKey: ApiKey;
  readonly onRevoked: () => void;
  readonly onClose: () => void;
}

/** Asks whether a key shall be revoked; says so if this tab is signed in by it. */
export const RevokeKey = ({ apiKey, onRevoked, onClose }: RevokeKeyProps) => (
  <ConfirmDialog
    title={`Revoke “${apiKey.label}”?`}
    confirm="Revoke the key"
    onClose={onClose}
    onConfirm={async () => {
      await api.value.revokeApiKey({ keyId: apiKey.keyId });
      onRevoked();
    }}
  >
    <p>
      The service refuses <code>{apiKey.prefix}…</code> from its next use on. That cannot be undone: a program
      that uses it needs another key. Jobs that it started go on.
    </p>
    {isKeyOfThisTab(apiKey) && (
      <p class="dialog-warning">This tab is signed in by this key. You will need another way to sign in.</p>
    )}
  </ConfirmDialog>
);
