import { clientOf } from "../account/client.ts";
import { type Command, parse } from "../command/parse.ts";
import { usageFailure } from "../failure.ts";
import { formatTable } from "../print/table.ts";
import type { Terminal } from "../terminal.ts";
import { listen } from "./listen.ts";

const HELP = `Tells of the ends of jobs as they come, and keeps the endpoints that are told.

  segmentation-client webhooks listen --url https://my-tunnel.example.com
  segmentation-client webhooks
  segmentation-client webhooks create https://example.com/webhooks > secret.txt
  segmentation-client webhooks test whe_019aa0f61c4e7d2d9be7a5f40b8a6c21
  segmentation-client webhooks delete whe_019aa0f61c4e7d2d9be7a5f40b8a6c21

  --url URL        where the service reaches this machine, such as a tunnel's;
                   without it this machine itself, for a service that runs on it
  --port N         the port to listen on (default: any free one)
  --json           print events, or endpoints, for programs
  --base-url URL   the service, if it is not that of your last login

listen makes an endpoint and deletes it at Ctrl-C, or takes the secret of one
from SEGMENTATION_WEBHOOK_SECRET. It prints only what is signed with the secret.`;

const OPTIONS = { url: { type: "string" }, port: { type: "string" } } as const;
const WORDS = ["list", "listen", "create", "test", "delete"] as const;

async function webhooks(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parse("webhooks", args, OPTIONS);
  const [word = "list", name, ...rest] = positionals;
  const action = WORDS.find((one) => one === word);
  const needsName = action !== "list" && action !== "listen";
  if (action === undefined || needsName !== (name !== undefined) || rest.length > 0)
    throw usageFailure("Write: webhooks listen, webhooks, or webhooks create URL, test ID, delete ID");
  const client = await clientOf(terminal, values);
  const { api } = client;
  const options = { signal: terminal.signal };
  const endpointId = name ?? "";
  switch (action) {
    case "listen":
      return await listen(client, terminal, values);
    case "list": {
      const { items } = await api.listWebhookEndpoints({}, options);
      if (values.json === true) terminal.print(JSON.stringify(items, null, 2));
      else
        for (const line of formatTable(
          ["endpoint", "URL", "events", "state"],
          items.map((endpoint) => [
            endpoint.endpointId,
            endpoint.url,
            endpoint.events?.join(" ") ?? "all",
            endpoint.disabledReason?.replaceAll("_", " ") ?? "enabled",
          ]),
        ))
          terminal.print(line);
      return 0;
    }
    case "create": {
      const created = await api.createWebhookEndpoint({ url: endpointId }, options);
      if (values.json === true) terminal.print(JSON.stringify(created, null, 2));
      else {
        terminal.print(created.secret ?? "");
        terminal.tell(`This is the secret of ${created.endpoint.endpointId}. It is not shown again.`);
      }
      return 0;
    }
    case "test": {
      const { deliveryId } = await api.testWebhookEndpoint({ endpointId }, options);
      terminal.tell(`The event ${deliveryId} is on its way.`);
      return 0;
    }
    case "delete":
      await api.deleteWebhookEndpoint({ endpointId }, options);
      terminal.tell(`${endpointId} is deleted.`);
      return 0;
  }
}

export const WEBHOOKS: Command = {
  summary: "print events as they come; list, make and delete endpoints",
  help: HELP,
  options: OPTIONS,
  run: webhooks,
};
