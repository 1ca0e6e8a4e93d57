/** Pages of a list that are loaded so far. */
export interface Listed<Item> {
  /** The newest first. */
  readonly items: readonly Item[];
  /** The cursor of the next page; null if the list is whole. */
  readonly nextToken: string | null;
}

/**
 * A list after its first page was fetched again: the new page, then the former items after its last one. Where the two don't meet, because more has come or gone than a page holds, the page alone is left.
 */
export function refreshed<Item>(
  before: Listed<Item>,
  page: Listed<Item>,
  idOf: (item: Item) => string,
): Listed<Item> {
  const last = page.items.at(-1);
  if (last === undefined || page.nextToken === null) return page;
  const meets = before.items.findIndex((item) => idOf(item) === idOf(last));
  if (meets < 0) return page;
  return { items: [...page.items, ...before.items.slice(meets + 1)], nextToken: before.nextToken };
}

/** A list with its next page. New items shift nothing, because the pages go by a cursor. */
export const continued = <Item>(before: Listed<Item>, page: Listed<Item>): Listed<Item> => ({
  items: [...before.items, ...page.items],
  nextToken: page.nextToken,
});
