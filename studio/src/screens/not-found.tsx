import { Page } from "../components/page.tsx";

/** The answer to every other path. */
export const NotFound = () => (
  <Page title="Page not found">
    <p>
      The address may be outdated or mistyped. <a href="/studio">Go to the studio</a>.
    </p>
  </Page>
);
