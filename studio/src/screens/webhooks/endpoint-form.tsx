import { useSignal } from "@preact/signals";
import { Field } from "../../components/field.tsx";
import { FormDialog } from "../../components/form-dialog.tsx";
import { api } from "../../state/session.ts";
import { type Endpoint, EVENTS, type EventType } from "./delivery-words.ts";

/** As the contract bounds them. */
const LONGEST_URL = 2_048;
const LONGEST_DESCRIPTION = 200;

export interface EndpointFormProps {
  /** The endpoint to change; null for a new one. */
  readonly endpoint: Endpoint | null;
  readonly onClose: () => void;
  /** Called with the endpoint as it is now, and with the secret of a new one. */
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
  const choose = (type: EventType, isChosen: boolean): void => {
    chosen.value = isChosen ? [...chosen.value, type] : chosen.value.filter((each) => each !== type);
  };
  return (
    <FormDialog
      title={endpoint === null ? "New endpoint" : "Edit endpoint"}
      submit={endpoint === null ? "Create endpoint" : "Save"}
      onSubmit={save}
      onClose={onClose}
    >
      <Field label="URL" hint="A public https URL." problem={problem.value}>
        {(attributes) => (
          <input
            {...attributes}
            class="input"
            type="url"
            inputMode="url"
            autofocus
            autocomplete="off"
            maxLength={LONGEST_URL}
            placeholder="https://example.com/webhooks/segmentation"
            value={url.value}
            onInput={(event) => {
              url.value = event.currentTarget.value;
              problem.value = null;
            }}
          />
        )}
      </Field>
      <Field label="Description" hint="Only you see this.">
        {(attributes) => (
          <input
            {...attributes}
            class="input"
            autocomplete="off"
            maxLength={LONGEST_DESCRIPTION}
            value={description.value}
            onInput={(event) => {
              description.value = event.currentTarget.value;
            }}
          />
        )}
      </Field>
      <fieldset class="endpoint-events">
        <legend>Events</legend>
        <label>
          <input
            type="checkbox"
            checked={isAll.value}
            onChange={(event) => {
              isAll.value = event.currentTarget.checked;
            }}
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
