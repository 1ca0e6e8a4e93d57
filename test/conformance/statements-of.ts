/** The statements that a conformance page lists, each as `<section> | <statement>`. Reads the page's present form and its former one. */
export function statementsOf(page: string): string[] {
  return page.split("\n").flatMap((line) => {
    const [sections = "", says = ""] = line
      .replace(/^\| /, "")
      .split(" | ")
      .map((text) => text.replaceAll("\\|", "|").replaceAll("&lt;", "<"));
    const isRow = /^A?\d[\d.]*(?:, A?\d[\d.]*)*$/.test(sections);
    return isRow ? sections.split(", ").map((section) => `${section} | ${says}`) : [];
  });
}

/** What one list of statements has and the other has not. */
export const missingFrom = (list: readonly string[], other: readonly string[]): string[] => {
  const rest = [...list];
  return other.filter((statement) => {
    const at = rest.indexOf(statement);
    if (at !== -1) rest.splice(at, 1);
    return at === -1;
  });
};
