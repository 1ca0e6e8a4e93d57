import { useRoute } from "preact-iso";
import { useSignal } from "@preact/signals";
import { Button, Icon } from "../../components/controls/button.tsx";
import { EmptyState, Page } from "../../components/layout/page.tsx";
import { Loading } from "../../components/layout/notice.tsx";
import { Table } from "../../components/layout/table.tsx";
import { useLoaded } from "../../state/requests.ts";
import { api } from "../../state/session.ts";
import { EndpointScreen } from "./endpoint-screen.tsx";
import { type Endpoint, eventsText } from "./delivery-words.ts";
import { EndpointForm, EndpointState, type NewSecret, SigningSecret } from "./endpoint.tsx";
import "./webhooks.css";

/** The account's webhook endpoints, or one of them with its deliveries. */
export default function Webhooks() {
  const { endpointId } = useRoute().params;
  return endpointId === undefined ? (
    <Endpoints />
  ) : (
    <EndpointScreen key={endpointId} endpointId={endpointId} />
  );
}

/** The account's webhook endpoints. */
function Endpoints() {
  const loaded = useLoaded(async (signal) => await api.value.listWebhookEndpoints({}, { signal }));
  const isAdding = useSignal(false);
  const secret = useSignal<NewSecret | null>(null);
  const add = (
    <Button variant="main" onClick={() => (isAdding.value = true)}>
      <Icon name="plus" />
      New endpoint
    </Button>
  );
  const endpoints = loaded.value.value?.items;
  return (
    <Page
      title="Webhooks"
      lead="The service notifies your server when a job or an archive is ready, so that it doesn’t have to poll."
      actions={endpoints !== undefined && endpoints.length > 0 && add}
    >
      <Loading of={loaded} what="Loading endpoints" />
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
          onClose={() => (isAdding.value = false)}
          onDone={(endpoint, made) => {
            isAdding.value = false;
            if (made !== null) secret.value = { url: endpoint.url, secret: made };
            loaded.reload();
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
      <a class="row-link" href={`/studio/webhooks/${endpoint.endpointId}`}>
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
