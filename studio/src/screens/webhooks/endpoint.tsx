import { type Signal, useSignal } from "@preact/signals";
import { TextField } from "../../components/controls/field.tsx";
import { FormDialog, SecretDialog } from "../../components/dialogs/dialogs.tsx";
import { api } from "../../state/session.ts";
import { StatusBadge } from "../../components/layout/table.tsx";
import { type Endpoint, EVENTS, type EventType } from "./delivery-words.ts";

/** As the contract bounds them. */
const LONGEST_URL = 2_048;
const LONGEST_DESCRIPTION = 200;

interface EndpointFormProps {
  /** The endpoint to change; null for a new one. */
  readonly endpoint: Endpoint | null;
  readonly onClose: () => void;
  /** Called with the endpoint, and with the secret of a new one. */
  readonly onDone: (endpoint: Endpoint, secret: string | null) => void;
}

/** Makes an endpoint, or changes one. */
export function EndpointForm({ endpoint, onClose, onDone }: EndpointFormProps) {
  const url = useSignal(endpoint?.url ?? "");
  const description = useSignal(endpoint?.description ?? "");
  const isAll = useSignal(endpoint?.events === null || endpoint === null);
  const chosen = useSignal<readonly EventType[]>(endpoint?.events ?? EVENTS.map(([type]) => type));
  const problem = useSignal<string | null>(null);
  const save = async (): Promise<void> => {
    if (!URL.canParse(url.value.trim())) {
      problem.value = "Enter the full URL, such as https://example.com/webhooks.";
      return;
    }
    const wanted = {
      url: url.value.trim(),
      description: description.value.trim() || null,
      // Who wants none is still sent tests.
      events: isAll.value ? null : chosen.value.length === 0 ? ["test" as const] : [...chosen.value],
    };
    if (endpoint !== null) {
      onDone(await api.value.updateWebhookEndpoint({ endpointId: endpoint.endpointId, ...wanted }), null);
      return;
    }
    const made = await api.value.createWebhookEndpoint(wanted);
    onDone(made.endpoint, made.secret ?? null);
  };
  const choose = (type: EventType, isChosen: boolean) =>
    (chosen.value = isChosen ? [...chosen.value, type] : chosen.value.filter((each) => each !== type));
  return (
    <FormDialog
      title={endpoint === null ? "New endpoint" : "Edit endpoint"}
      submit={endpoint === null ? "Create endpoint" : "Save"}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField
        label="URL"
        hint="A public https URL."
        text={url}
        problem={problem}
        inputMode="url"
        maxLength={LONGEST_URL}
        placeholder="https://example.com/webhooks/segmentation"
        autofocus
      />
      <TextField
        label="Description"
        hint="Only you see this."
        text={description}
        maxLength={LONGEST_DESCRIPTION}
      />
      <fieldset class="endpoint-events">
        <legend>Events</legend>
        <label>
          <input
            type="checkbox"
            checked={isAll.value}
            onChange={(event) => (isAll.value = event.currentTarget.checked)}
          />
          <span>All events, including future ones</span>
        </label>
        {!isAll.value &&
          EVENTS.map(([type, meaning]) => (
            <label key={type}>
              <input
                type="checkbox"
                checked={chosen.value.includes(type)}
                onChange={(event) => choose(type, event.currentTarget.checked)}
              />
              <span>
                <code>{type}</code>
                <small>{meaning}</small>
              </span>
            </label>
          ))}
      </fieldset>
    </FormDialog>
  );
}

/** State of an endpoint: enabled or disabled. It is a problem only if the service disabled it. */
export function EndpointState({ endpoint: { disabled, disabledReason } }: { readonly endpoint: Endpoint }) {
  if (!disabled) return <StatusBadge tone="good">Enabled</StatusBadge>;
  return <StatusBadge tone={disabledReason === "by_account" ? "off" : "bad"}>Disabled</StatusBadge>;
}

export interface NewSecret {
  readonly url: string;
  readonly secret: string;
  /** True if there was one before, which stays valid for a day. */
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
      onKept={() => (secret.value = null)}
    >
      <p>
        This secret is shown only once. Give it to the server at <code class="endpoint-url">{url}</code>,
        which verifies each request with it. If you lose it, rotate it.
      </p>
      {isRotated && <p>The previous secret keeps signing for 24 hours, alongside the new one.</p>}
    </SecretDialog>
  );
}
