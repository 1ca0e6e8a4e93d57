import { Button } from "../../components/button.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { Table } from "../../components/table.tsx";
import { type ApiKey, isKeyOfThisTab } from "./api-key.ts";
import "./keys.css";

export interface KeyTableProps {
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
            <Button look="quiet" onClick={() => onRevoke(key)} aria-label={`Revoke ${key.label}`}>
              Revoke
            </Button>
          </td>
        )}
      </tr>
    ))}
  </Table>
);
