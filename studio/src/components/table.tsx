import type { ComponentChildren } from "preact";
import "./table.css";

export interface Column {
  readonly name: string;
  /** Whether only screen readers are told the name: what the column has speaks for itself. */
  readonly isNameHidden?: boolean;
}

export interface TableProps {
  /** What the table lists, for screen readers. */
  readonly label: string;
  readonly columns: readonly Column[];
  /** Its rows. On a phone each becomes a block, and `data-label` of a cell names what it has. */
  readonly children: ComponentChildren;
}

/** A table of a few rows. */
export const Table = ({ label, columns, children }: TableProps) => (
  <table class="table" aria-label={label}>
    <thead>
      <tr>
        {columns.map(({ name, isNameHidden = false }) => (
          <th key={name} scope="col">
            {isNameHidden ? <span class="unseen">{name}</span> : name}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>{children}</tbody>
  </table>
);
