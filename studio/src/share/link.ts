/** The link of a share, with what the path of the screen says of objects that were pointed at: which of them corrects which. */
export function linkFor(url: string, path: string): string {
  const link = new URL(url);
  const further = new URL(path, link).searchParams.get("with");
  if (further !== null) link.searchParams.set("with", further);
  return link.href;
}
