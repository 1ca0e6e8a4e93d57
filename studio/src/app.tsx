import { ErrorBoundary, LocationProvider, Route, Router } from "preact-iso";
import { lazyScreen } from "./components/lazy/lazy-part.tsx";
import Segment from "./screens/segment/segment.tsx";
import { Welcome } from "./screens/welcome/welcome.tsx";
import { Shell } from "./shell/shell.tsx";
import { session } from "./state/session.ts";
import { Page } from "./components/layout/page.tsx";

const Jobs = lazyScreen(async () => (await import("./screens/jobs/jobs.tsx")).default);
const Keys = lazyScreen(async () => (await import("./screens/keys/keys.tsx")).default);
const Shares = lazyScreen(async () => (await import("./screens/shares/shares.tsx")).default);
const Usage = lazyScreen(async () => (await import("./screens/usage/usage.tsx")).default);
const Webhooks = lazyScreen(async () => (await import("./screens/webhooks/webhooks.tsx")).default);

/** The studio's screens by their paths. Only the first is in the first load. */
export function App({ problem }: { readonly problem: string | null }) {
  if (!session.value) return <Welcome problem={problem} />;
  return (
    <LocationProvider scope="/studio">
      <Shell>
        <ErrorBoundary>
          <Router>
            <Route path="/studio" component={Segment} />
            <Route path="/studio/jobs" component={Jobs} />
            <Route path="/studio/jobs/:jobId" component={Segment} />
            <Route path="/studio/keys" component={Keys} />
            <Route path="/studio/shares" component={Shares} />
            <Route path="/studio/usage" component={Usage} />
            <Route path="/studio/webhooks" component={Webhooks} />
            <Route path="/studio/webhooks/:endpointId" component={Webhooks} />
            <Route default component={NotFound} />
          </Router>
        </ErrorBoundary>
      </Shell>
    </LocationProvider>
  );
}

/** The answer to every other path. */
const NotFound = () => (
  <Page title="Page not found">
    <p>
      The address may be outdated or mistyped. <a href="/studio">Go to the studio</a>.
    </p>
  </Page>
);
