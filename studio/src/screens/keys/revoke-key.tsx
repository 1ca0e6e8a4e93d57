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
    confirm="Revoke key"
    onClose={onClose}
    onConfirm={async () => {
      await api.value.revokeApiKey({ keyId: apiKey.keyId });
      onRevoked();
    }}
  >
    <p>
      The service stops accepting <code>{apiKey.prefix}…</code> immediately. This can’t be undone: programs
      that use it will need another key. Jobs that they started keep running.
    </p>
    {isKeyOfThisTab(apiKey) && (
      <p class="dialog-warning">This tab is signed in with this key. You will need another way to sign in.</p>
    )}
  </ConfirmDialog>
);
