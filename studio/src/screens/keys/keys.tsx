import { useSignal } from "@preact/signals";
import { Button, Icon } from "../../components/controls/button.tsx";
import { EmptyState, Page } from "../../components/layout/page.tsx";
import { Loading } from "../../components/layout/notice.tsx";
import { ConfirmDialog, FormDialog, SecretDialog } from "../../components/dialogs/dialogs.tsx";
import { useLoaded } from "../../state/requests.ts";
import { api } from "../../state/session.ts";
import { TextField } from "../../components/controls/field.tsx";
import { type ApiKey, isKeyOfThisTab, KeyTable } from "./key-table.tsx";

/** Introduction above the list. */
type Open =
  | { readonly dialog: "new" }
  | { readonly dialog: "secret"; readonly label: string; readonly secret: string }
  | { readonly dialog: "revoke"; readonly key: ApiKey }
  | null;

/** The account's API keys: make one, see them, revoke one. */
export default function Keys() {
  const loaded = useLoaded(async (signal) => await api.value.listApiKeys({}, { signal }));
  const open = useSignal<Open>(null);
  const close = () => (open.value = null);
  const make = (
    <Button variant="main" onClick={() => (open.value = { dialog: "new" })}>
      <Icon name="plus" />
      New key
    </Button>
  );
  const keys = loaded.value.value?.items;
  const live = keys?.filter(({ revoked }) => !revoked) ?? [];
  const revoked = keys?.filter((key) => key.revoked) ?? [];
  const revoking = open.value?.dialog === "revoke" ? open.value.key : null;
  const revoke = (key: ApiKey) => (open.value = { dialog: "revoke", key });
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
      <Loading of={loaded} what="Loading keys" />
      {keys !== undefined && live.length === 0 && (
        <EmptyState title="No keys yet" action={make}>
          Create one for each program, so that you can revoke it separately. A key is shown only once, when it
          is created.
        </EmptyState>
      )}
      {live.length > 0 && <KeyTable label="Keys" keys={live} onRevoke={revoke} />}
      {revoked.length > 0 && (
        <details class="page-more">
          <summary>Revoked keys ({revoked.length})</summary>
          <KeyTable label="Revoked keys" keys={revoked} />
        </details>
      )}
      {open.value?.dialog === "new" && (
        <NewKey
          onClose={close}
          onMade={(label, secret) => {
            open.value = { dialog: "secret", label, secret };
            loaded.reload();
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
      {revoking !== null && (
        <ConfirmDialog
          title={`Revoke “${revoking.label}”?`}
          confirm="Revoke key"
          onClose={close}
          onConfirm={async () => {
            await api.value.revokeApiKey({ keyId: revoking.keyId });
            loaded.reload();
          }}
        >
          <p>
            The service stops accepting <code>{revoking.prefix}…</code> immediately. This can’t be undone:
            programs that use it will need another key. Jobs that they started keep running.
          </p>
          {isKeyOfThisTab(revoking) && (
            <p class="dialog-warning">
              This tab is signed in with this key. You will need another way to sign in.
            </p>
          )}
        </ConfirmDialog>
      )}
    </Page>
  );
}

const LONGEST_NAME = 100;

interface NewKeyProps {
  readonly onMade: (label: string, secret: string) => void;
  readonly onClose: () => void;
}

/** Asks for a name and makes a key. */
function NewKey({ onMade, onClose }: NewKeyProps) {
  const label = useSignal("");
  const problem = useSignal<string | null>(null);
  const make = async (): Promise<void> => {
    const name = label.value.trim();
    if (name === "") {
      problem.value = "Enter a name for the key.";
      return;
    }
    const { secret } = await api.value.createApiKey({ label: name });
    // A first answer that was lost had it: the key is in the list, and can only be revoked.
    if (secret === undefined)
      throw new Error(
        "The key was created, but its secret was lost on the way. Revoke it and create another.",
      );
    onMade(name, secret);
  };
  return (
    <FormDialog title="New API key" submit="Create key" onSubmit={make} onClose={onClose}>
      <TextField
        label="Name"
        hint="What will use it, such as “nightly batch”."
        text={label}
        problem={problem}
        maxLength={LONGEST_NAME}
        autofocus
      />
    </FormDialog>
  );
}
