import { useLoaded } from "../../state/loaded.ts";
import { api } from "../../state/session.ts";
import { Page } from "../../components/page.tsx";
import { Problem } from "../../components/problem.tsx";
import { Waiting } from "../../components/waiting.tsx";
import { eventsText, DISABLED } from "./delivery-words.ts";
import { Deliveries } from "./deliveries.tsx";
import { EndpointActions } from "./endpoint-actions.tsx";
import { EndpointState } from "./endpoint-state.tsx";
import { Notice } from "../../components/notice.tsx";

/** One endpoint: how it is, what can be done with it, and what was sent to it. */
export function EndpointScreen({ endpointId }: { readonly endpointId: string }) {
  const { value, error, reload } = useLoaded(
    async (signal) => await api.value.retrieveWebhookEndpoint({ endpointId }, { signal }),
  );
  const endpoint = value.value;
  if (endpoint === undefined)
    return (
      <Page title="Webhook endpoint">
        {error.value === null ? (
          <Waiting what="Loading the endpoint" />
        ) : (
          <Problem error={error.value} onRetry={reload} />
        )}
      </Page>
    );
  return (
    <Page
      title={hostOf(endpoint.url)}
      lead={
        <>
          <code class="endpoint-url">{endpoint.url}</code>
          {endpoint.description !== null && <span class="endpoint-description">{endpoint.description}</span>}
        </>
      }
      actions={<EndpointActions endpoint={endpoint} onChanged={reload} />}
    >
      <dl class="endpoint-facts">
        <div>
          <dt>Status</dt>
          <dd>
            <EndpointState endpoint={endpoint} />
          </dd>
        </div>
        <div>
          <dt>Events</dt>
          <dd>{eventsText(endpoint.events)}</dd>
        </div>
      </dl>
      {endpoint.disabledReason !== null && (
        <Notice
          tone={endpoint.disabledReason === "by_account" ? "plain" : "warning"}
          title="Deliveries are paused"
        >
          {DISABLED[endpoint.disabledReason]}
        </Notice>
      )}
      <Deliveries endpoint={endpoint} />
    </Page>
  );
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);
