import { Page } from "../components/page.tsx";

/** The answer to every other path. */
export const NotFound = () => (
  <Page title="This page is not there">
    <p>
      The address may be old or mistyped. <a href="/studio">Begin at the studio</a>.
    </p>
  </Page>
);
