import { useSignal } from "@preact/signals";
import { useLocation } from "preact-iso";
import { useLoaded } from "../../state/requests.ts";
import { api } from "../../state/session.ts";
import { Page } from "../../components/layout/page.tsx";
import { Loading, Notice } from "../../components/layout/notice.tsx";
import { Button } from "../../components/controls/button.tsx";
import { ConfirmDialog } from "../../components/dialogs/dialogs.tsx";
import { Menu } from "../../components/controls/menu.tsx";
import { DISABLED, type Endpoint, eventsText } from "./delivery-words.ts";
import { Deliveries } from "./deliveries.tsx";
import { EndpointForm, EndpointState, type NewSecret, SigningSecret } from "./endpoint.tsx";

/** One endpoint: its state, its actions and its deliveries. */
export function EndpointScreen({ endpointId }: { readonly endpointId: string }) {
  const loaded = useLoaded(
    async (signal) => await api.value.retrieveWebhookEndpoint({ endpointId }, { signal }),
  );
  const endpoint = loaded.value.value;
  if (endpoint === undefined)
    return (
      <Page title="Webhook endpoint">
        <Loading of={loaded} what="Loading the endpoint" />
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
      actions={<EndpointActions endpoint={endpoint} onChanged={loaded.reload} />}
    >
      <dl class="endpoint-facts">
        <div>
          <dt class="fine">Status</dt>
          <dd>
            <EndpointState endpoint={endpoint} />
          </dd>
        </div>
        <div>
          <dt class="fine">Events</dt>
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

interface EndpointActionsProps {
  readonly endpoint: Endpoint;
  readonly onChanged: () => void;
}

/** Actions on an endpoint: change, disable or enable it, rotate its secret, delete it. */
function EndpointActions({ endpoint, onChanged }: EndpointActionsProps) {
  const { route } = useLocation();
  const open = useSignal<"change" | "disable" | "enable" | "rotate" | "delete" | null>(null);
  const secret = useSignal<NewSecret | null>(null);
  const { endpointId, url, disabled } = endpoint;
  const close = () => (open.value = null);
  const begin = (which: typeof open.value) => () => (open.value = which);
  const setDisabled = async (isDisabled: boolean): Promise<void> => {
    await api.value.updateWebhookEndpoint({ endpointId, disabled: isDisabled });
    onChanged();
  };
  return (
    <>
      {disabled && <Button onClick={begin("enable")}>Enable</Button>}
      <Button onClick={begin("change")}>Edit</Button>
      <Menu
        label="More actions"
        items={[
          { name: "Rotate secret", to: begin("rotate") },
          ...(disabled ? [] : [{ name: "Disable", to: begin("disable") }]),
          { name: "Delete", isDangerous: true, to: begin("delete") },
        ]}
      />
      {open.value === "change" && (
        <EndpointForm
          endpoint={endpoint}
          onClose={close}
          onDone={() => {
            close();
            onChanged();
          }}
        />
      )}
      {(open.value === "disable" || open.value === "enable") && (
        <ConfirmDialog
          title={open.value === "disable" ? "Disable this endpoint?" : "Enable this endpoint?"}
          confirm={open.value === "disable" ? "Disable" : "Enable"}
          cancel="Cancel"
          isDangerous={false}
          onConfirm={() => setDisabled(open.value === "disable")}
          onClose={close}
        >
          <p>
            {open.value === "disable"
              ? "Deliveries are paused until you enable it again. Events in the meantime are never sent; pending deliveries are kept for a month."
              : "Pending deliveries are sent now. Events that occurred while it was disabled are not."}
          </p>
        </ConfirmDialog>
      )}
      {open.value === "rotate" && (
        <ConfirmDialog
          title="Rotate the secret?"
          confirm="Rotate secret"
          cancel="Cancel"
          isDangerous={false}
          onConfirm={async () => {
            const rotated = await api.value.rotateWebhookSecret({ endpointId });
            secret.value = { url, secret: rotated.secret, isRotated: true };
            onChanged();
          }}
          onClose={close}
        >
          <p>
            You get a new secret. For 24 hours, requests are signed with both, so that your server can switch
            without missing any.
          </p>
        </ConfirmDialog>
      )}
      {open.value === "delete" && (
        <ConfirmDialog
          title="Delete this endpoint?"
          confirm="Delete endpoint"
          onConfirm={async () => {
            await api.value.deleteWebhookEndpoint({ endpointId });
            route("/studio/webhooks");
          }}
          onClose={close}
        >
          <p>Nothing more is sent to it. Its deliveries and its secret are deleted. This can’t be undone.</p>
        </ConfirmDialog>
      )}
      <SigningSecret secret={secret} />
    </>
  );
}
