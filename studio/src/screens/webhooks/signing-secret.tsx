import type { Signal } from "@preact/signals";
import { SecretDialog } from "../../components/secret-dialog.tsx";

export interface NewSecret {
  readonly url: string;
  readonly secret: string;
  /** Whether there was one before, which stays valid for a day. */
  readonly isRotated?: boolean;
}

/** Shows an endpoint's new secret, if there is one, until it is kept. */
export function SigningSecret({ secret }: { readonly secret: Signal<NewSecret | null> }) {
  if (secret.value === null) return null;
  const { url, secret: text, isRotated = false } = secret.value;
  return (
    <SecretDialog
      title="The endpoint’s signing secret"
      label="Secret"
      secret={text}
      onKept={() => {
        secret.value = null;
      }}
    >
      <p>
        This secret is shown only once. Give it to the server at <code class="endpoint-url">{url}</code>,
        which verifies each request with it. If you lose it, rotate it.
      </p>
      {isRotated && <p>The previous secret keeps signing for 24 hours, alongside the new one.</p>}
    </SecretDialog>
  );
}
