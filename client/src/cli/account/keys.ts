import { type Command, parse } from "../command/parse.ts";
import { usageFailure } from "../failure.ts";
import { printJson, printList } from "../print/table.ts";
import type { Terminal } from "../terminal.ts";
import { clientOf } from "./client.ts";

const HELP = `Lists, creates and revokes your API keys.

  segmentation-client keys
  segmentation-client keys create "nightly batch" > key.txt
  segmentation-client keys revoke key_019aa0f61c4e7d2d9be7a5f40b8a6c21

  --json           print JSON
  --base-url URL   the service (default: that of your last login)

A new key is printed only once: store it. A revoked key no longer works.`;

const WORDS = ["list", "create", "revoke"] as const;

async function keys(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parse("keys", args, {});
  const [word = "list", name, ...rest] = positionals;
  const action = WORDS.find((one) => one === word);
  const options = { signal: terminal.signal };
  const takesName = action !== "list";
  if (action === undefined || takesName !== (name !== undefined) || rest.length > 0)
    throw usageFailure("Usage: keys, keys create LABEL, or keys revoke KEY_ID");
  const { api } = await clientOf(terminal, values);
  switch (action) {
    case "list": {
      const { items } = await api.listApiKeys({}, options);
      printList(terminal, items, {
        isJson: values.json,
        none: "There are no API keys.",
        heading: ["key", "label", "begins with", "created", "state"],
        row: ({ keyId, label, prefix, createdAt, revoked }) => [
          keyId,
          label,
          prefix,
          createdAt.slice(0, 10),
          revoked ? "revoked" : "valid",
        ],
      });
      return 0;
    }
    case "create": {
      const created = await api.createApiKey({ label: name ?? "" }, options);
      if (values.json === true) printJson(terminal, created);
      else {
        terminal.print(created.secret ?? "");
        terminal.report(`This is the key ${created.apiKey.keyId}. It will not be shown again.`);
      }
      return 0;
    }
    case "revoke": {
      const key = await api.revokeApiKey({ keyId: name ?? "" }, options);
      if (values.json === true) printJson(terminal, key);
      else terminal.report(`Revoked ${name}.`);
      return 0;
    }
  }
}

export const KEYS: Command = {
  summary: "list, create and revoke API keys",
  help: HELP,
  options: {},
  run: keys,
};
