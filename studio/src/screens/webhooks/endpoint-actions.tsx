import { useSignal } from "@preact/signals";
import { useLocation } from "preact-iso";
import { Button } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { Menu } from "../../components/menu.tsx";
import { api } from "../../state/session.ts";
import type { Endpoint } from "./delivery-words.ts";
import { EndpointForm } from "./endpoint-form.tsx";
import { type NewSecret, SigningSecret } from "./signing-secret.tsx";

export interface EndpointActionsProps {
  readonly endpoint: Endpoint;
  readonly onChanged: () => void;
}

/** What can be done with an endpoint: change, disable or enable it, rotate its secret, delete it. */
export function EndpointActions({ endpoint, onChanged }: EndpointActionsProps) {
  const { route } = useLocation();
  const open = useSignal<"change" | "disable" | "enable" | "rotate" | "delete" | null>(null);
  const secret = useSignal<NewSecret | null>(null);
  const { endpointId, url, disabled } = endpoint;
  const close = (): void => {
    open.value = null;
  };
  const begin = (which: typeof open.value) => (): void => {
    open.value = which;
  };
  const setDisabled = async (isDisabled: boolean): Promise<void> => {
    await api.value.updateWebhookEndpoint({ endpointId, disabled: isDisabled });
    onChanged();
  };
  return (
    <>
      {disabled && <Button onClick={begin("enable")}>Enable</Button>}
      <Button onClick={begin("change")}>Change</Button>
      <Menu
        label="More of this endpoint"
        items={[
          { name: "Rotate the secret", to: begin("rotate") },
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
          confirm={open.value === "disable" ? "Disable it" : "Enable it"}
          cancel="Leave it"
          isDangerous={false}
          onConfirm={() => setDisabled(open.value === "disable")}
          onClose={close}
        >
          <p>
            {open.value === "disable"
              ? "Nothing is sent to it until you enable it again. What happens meanwhile is never sent; what waits already is kept for a month."
              : "What waits for it is sent now. What happened while it was disabled is not."}
          </p>
        </ConfirmDialog>
      )}
      {open.value === "rotate" && (
        <ConfirmDialog
          title="Rotate the secret?"
          confirm="Rotate the secret"
          cancel="Leave it"
          isDangerous={false}
          onConfirm={async () => {
            const rotated = await api.value.rotateWebhookSecret({ endpointId });
            secret.value = { url, secret: rotated.secret, isRotated: true };
            onChanged();
          }}
          onClose={close}
        >
          <p>
            You get a new one. For 24 hours requests are signed with both, so that your server can change over
            without losing any.
          </p>
        </ConfirmDialog>
      )}
      {open.value === "delete" && (
        <ConfirmDialog
          title="Delete this endpoint?"
          confirm="Delete the endpoint"
          onConfirm={async () => {
            await api.value.deleteWebhookEndpoint({ endpointId });
            route("/studio/webhooks");
          }}
          onClose={close}
        >
          <p>
            Nothing further is sent to it. Its deliveries and its secret are deleted; that cannot be undone.
          </p>
        </ConfirmDialog>
      )}
      <SigningSecret secret={secret} />
    </>
  );
}
