import { decodeCursor, encodeCursor, type ListName } from "../signed-token.ts";
import { ServiceError } from "../errors.ts";
import type { Platform } from "../../platform.ts";
import { secretsOf } from "../../feature-settings.ts";

/**
 * Returns one page of a list, and the cursor of the next page, which names this one's last item; null on the last page.
 * @param list names the list, with its filters: a cursor is valid only for this list
 * @param read reads up to `limit` items after the item `after`, or from the first
 * @throws ServiceError invalid_cursor.
 */
export async function pageOf<Item>(
  { settings }: Platform,
  list: ListName,
  { limit, nextToken }: { readonly limit: number; readonly nextToken?: string | undefined },
  read: (after: string | null, limit: number) => Promise<readonly Item[]>,
  nameOf: (item: Item) => string,
): Promise<{ items: Item[]; nextToken: string | null }> {
  const secrets = secretsOf(settings);
  const isFirst = nextToken === undefined || nextToken === "";
  const after = isFirst ? null : await decodeCursor(secrets, list, nextToken);
  if (!isFirst && after === null) throw new ServiceError("invalid_cursor");
  // One more than requested shows whether there is another page.
  const found = await read(after, limit + 1);
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const hasMore = found.length > items.length && last !== undefined;
  return { items, nextToken: hasMore ? await encodeCursor(secrets, list, nameOf(last)) : null };
}
