import { clientOf } from "../account/client.ts";
import { type Command, parse } from "../command/parse.ts";
import { usageFailure } from "../failure.ts";
import { printJson, printList } from "../print/table.ts";
import type { Terminal } from "../terminal.ts";
import { listen } from "./listen.ts";

const HELP = `Prints webhook events as they arrive, and manages webhook endpoints.

  segmentation-client webhooks listen --url https://my-tunnel.example.com
  segmentation-client webhooks
  segmentation-client webhooks create https://example.com/webhooks > secret.txt
  segmentation-client webhooks test whe_019aa0f61c4e7d2d9be7a5f40b8a6c21
  segmentation-client webhooks delete whe_019aa0f61c4e7d2d9be7a5f40b8a6c21

  --url URL        where the service reaches this machine, such as a tunnel
                   (default: localhost, for a service on this machine)
  --port N         the port to listen on (default: any free one)
  --json           print events or endpoints as JSON
  --base-url URL   the service (default: that of your last login)

listen creates an endpoint and deletes it on Ctrl-C, or uses the endpoint whose
secret is in SEGMENTATION_WEBHOOK_SECRET. It prints only events that are signed
with the secret.`;

const OPTIONS = { url: { type: "string" }, port: { type: "string" } } as const;
const WORDS = ["list", "listen", "create", "test", "delete"] as const;

async function webhooks(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parse("webhooks", args, OPTIONS);
  const [word = "list", name, ...rest] = positionals;
  const action = WORDS.find((one) => one === word);
  const needsName = action !== "list" && action !== "listen";
  if (action === undefined || needsName !== (name !== undefined) || rest.length > 0)
    throw usageFailure(
      "Usage: webhooks, webhooks listen, webhooks create URL, webhooks test ID, or webhooks delete ID",
    );
  const client = await clientOf(terminal, values);
  const { api } = client;
  const options = { signal: terminal.signal };
  const endpointId = name ?? "";
  switch (action) {
    case "listen":
      return await listen(client, terminal, values);
    case "list": {
      const { items } = await api.listWebhookEndpoints({}, options);
      printList(terminal, items, {
        isJson: values.json,
        none: "There are no webhook endpoints.",
        heading: ["endpoint", "URL", "events", "state"],
        row: (endpoint) => [
          endpoint.endpointId,
          endpoint.url,
          endpoint.events?.join(" ") ?? "all",
          endpoint.disabledReason?.replaceAll("_", " ") ?? "enabled",
        ],
      });
      return 0;
    }
    case "create": {
      const created = await api.createWebhookEndpoint({ url: endpointId }, options);
      if (values.json === true) printJson(terminal, created);
      else {
        terminal.print(created.secret ?? "");
        terminal.report(`This is the secret of ${created.endpoint.endpointId}. It will not be shown again.`);
      }
      return 0;
    }
    case "test": {
      const { deliveryId } = await api.testWebhookEndpoint({ endpointId }, options);
      terminal.report(`Sent the test event ${deliveryId}.`);
      return 0;
    }
    case "delete":
      await api.deleteWebhookEndpoint({ endpointId }, options);
      terminal.report(`Deleted ${endpointId}.`);
      return 0;
  }
}

export const WEBHOOKS: Command = {
  summary: "print events as they arrive; list, create, test, delete endpoints",
  help: HELP,
  options: OPTIONS,
  run: webhooks,
};
