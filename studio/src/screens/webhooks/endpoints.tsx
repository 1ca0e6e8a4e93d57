import { useSignal } from "@preact/signals";
import { Button } from "../../components/button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Icon } from "../../components/icon.tsx";
import { Page } from "../../components/page.tsx";
import { Problem } from "../../components/problem.tsx";
import { Table } from "../../components/table.tsx";
import { Waiting } from "../../components/waiting.tsx";
import { useLoaded } from "../../state/loaded.ts";
import { api } from "../../state/session.ts";
import { type Endpoint, eventsText } from "./delivery-words.ts";
import { EndpointForm } from "./endpoint-form.tsx";
import { EndpointState } from "./endpoint-state.tsx";
import { type NewSecret, SigningSecret } from "./signing-secret.tsx";

/** The account's webhook endpoints. */
export function Endpoints() {
  const { value, error, reload } = useLoaded(
    async (signal) => await api.value.listWebhookEndpoints({}, { signal }),
  );
  const isAdding = useSignal(false);
  const secret = useSignal<NewSecret | null>(null);
  const add = (
    <Button
      look="main"
      onClick={() => {
        isAdding.value = true;
      }}
    >
      <Icon name="plus" />
      New endpoint
    </Button>
  );
  const endpoints = value.value?.items;
  return (
    <Page
      title="Webhooks"
      lead="The service notifies your server when a job or an archive is ready, so that it doesn’t have to poll."
      actions={endpoints !== undefined && endpoints.length > 0 && add}
    >
      {error.value !== null && <Problem error={error.value} onRetry={reload} />}
      {endpoints === undefined && error.value === null && <Waiting what="Loading endpoints" />}
      {endpoints?.length === 0 && (
        <EmptyState title="No endpoints yet" action={add}>
          An endpoint is a URL of your server. Each request to it is signed with a secret that you get here,
          so that your server can verify that it comes from this service.
        </EmptyState>
      )}
      {endpoints !== undefined && endpoints.length > 0 && (
        <Table label="Endpoints" columns={[{ name: "Endpoint" }, { name: "Events" }, { name: "Status" }]}>
          {endpoints.map((endpoint) => (
            <Row key={endpoint.endpointId} endpoint={endpoint} />
          ))}
        </Table>
      )}
      {isAdding.value && (
        <EndpointForm
          endpoint={null}
          onClose={() => {
            isAdding.value = false;
          }}
          onDone={(endpoint, made) => {
            isAdding.value = false;
            if (made !== null) secret.value = { url: endpoint.url, secret: made };
            reload();
          }}
        />
      )}
      <SigningSecret secret={secret} />
    </Page>
  );
}

const Row = ({ endpoint }: { readonly endpoint: Endpoint }) => (
  <tr class="endpoint-row">
    <td>
      <a class="endpoint-row-link" href={`/studio/webhooks/${endpoint.endpointId}`}>
        {endpoint.url}
      </a>
      {endpoint.description !== null && <div class="table-faint">{endpoint.description}</div>}
    </td>
    <td class="table-faint">{eventsText(endpoint.events)}</td>
    <td>
      <EndpointState endpoint={endpoint} />
    </td>
  </tr>
);
