import type { Answer } from "segmentation-client";
import { Button } from "../../components/controls/button.tsx";
import { RelativeTime, Table } from "../../components/layout/table.tsx";
import { remembered } from "../../sign-in/sign-in.ts";
import "./keys.css";

interface KeyTableProps {
  readonly label: string;
  readonly keys: readonly ApiKey[];
  /** Without it the keys are revoked already. */
  readonly onRevoke?: (key: ApiKey) => void;
}

/** Keys by their names and first characters. */
export const KeyTable = ({ label, keys, onRevoke }: KeyTableProps) => (
  <Table
    label={label}
    columns={[
      { name: "Name" },
      { name: "Starts with" },
      { name: "Created" },
      onRevoke === undefined ? { name: "Revoked" } : { name: "Revoke", isNameHidden: true },
    ]}
  >
    {keys.map((key) => (
      <tr key={key.keyId}>
        <td class="keys-name">
          {key.label}
          {isKeyOfThisTab(key) && <span class="keys-mine">used by this tab</span>}
        </td>
        <td class="table-faint" data-label="Starts with">
          <code>{key.prefix}</code>
        </td>
        <td class="table-faint" data-label="Created">
          <RelativeTime at={key.createdAt} />
        </td>
        {onRevoke === undefined ? (
          <td class="table-faint" data-label="Revoked">
            {key.revokedAt !== null && <RelativeTime at={key.revokedAt} />}
          </td>
        ) : (
          <td class="table-end keys-revoke">
            <Button variant="quiet" onClick={() => onRevoke(key)} aria-label={`Revoke ${key.label}`}>
              Revoke
            </Button>
          </td>
        )}
      </tr>
    ))}
  </Table>
);

export type ApiKey = Answer<"listApiKeys">["items"][number];

/** Tells whether this tab is signed in by a key: of a key only its first characters can be compared. */
export function isKeyOfThisTab({ prefix, revoked }: ApiKey): boolean {
  const credential = remembered();
  return credential?.kind === "key" && !revoked && credential.apiKey.startsWith(prefix);
}
