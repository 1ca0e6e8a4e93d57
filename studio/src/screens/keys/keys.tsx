import { useSignal } from "@preact/signals";
import { Button } from "../../components/button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Icon } from "../../components/icon.tsx";
import { Page } from "../../components/page.tsx";
import { Problem } from "../../components/problem.tsx";
import { SecretDialog } from "../../components/secret-dialog.tsx";
import { Waiting } from "../../components/waiting.tsx";
import { useLoaded } from "../../state/loaded.ts";
import { api } from "../../state/session.ts";
import type { ApiKey } from "./api-key.ts";
import { KeyTable } from "./key-table.tsx";
import { NewKey } from "./new-key.tsx";
import { RevokeKey } from "./revoke-key.tsx";

/** What stands above the list. */
type Open =
  | { readonly dialog: "new" }
  | { readonly dialog: "secret"; readonly label: string; readonly secret: string }
  | { readonly dialog: "revoke"; readonly key: ApiKey }
  | null;

/** The account's API keys: make one, see them, revoke one. */
export default function Keys() {
  const { value, error, reload } = useLoaded(async (signal) => await api.value.listApiKeys({}, { signal }));
  const open = useSignal<Open>(null);
  const close = (): void => {
    open.value = null;
  };
  const make = (
    <Button
      look="main"
      onClick={() => {
        open.value = { dialog: "new" };
      }}
    >
      <Icon name="plus" />
      New key
    </Button>
  );
  const keys = value.value?.items;
  const live = keys?.filter(({ revoked }) => !revoked) ?? [];
  const revoked = keys?.filter((key) => key.revoked) ?? [];
  const revoke = (key: ApiKey): void => {
    open.value = { dialog: "revoke", key };
  };
  return (
    <Page
      title="API keys"
      lead={
        <>
          With a key, a program can do everything that you can do here. See the{" "}
          <a href="/docs">API reference</a>.
        </>
      }
      actions={live.length > 0 && make}
    >
      {error.value !== null && <Problem error={error.value} onRetry={reload} />}
      {keys === undefined && error.value === null && <Waiting what="Loading keys" />}
      {keys !== undefined && live.length === 0 && (
        <EmptyState title="No keys yet" action={make}>
          Create one for each program, so that you can revoke it separately. A key is shown only once, when it
          is created.
        </EmptyState>
      )}
      {live.length > 0 && <KeyTable label="Keys" keys={live} onRevoke={revoke} />}
      {revoked.length > 0 && (
        <details class="keys-revoked">
          <summary>Revoked keys ({revoked.length})</summary>
          <KeyTable label="Revoked keys" keys={revoked} />
        </details>
      )}
      {open.value?.dialog === "new" && (
        <NewKey
          onClose={close}
          onMade={(label, secret) => {
            open.value = { dialog: "secret", label, secret };
            reload();
          }}
        />
      )}
      {open.value?.dialog === "secret" && (
        <SecretDialog
          title={`Your key “${open.value.label}”`}
          label="API key"
          secret={open.value.secret}
          onKept={close}
        >
          <p>
            This key is shown only once. Store it with your program’s secrets, never in a web page or a
            repository. If you lose it, revoke it and create another.
          </p>
        </SecretDialog>
      )}
      {open.value?.dialog === "revoke" && (
        <RevokeKey apiKey={open.value.key} onClose={close} onRevoked={reload} />
      )}
    </Page>
  );
}
