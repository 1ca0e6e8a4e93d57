import { useSignal } from "@preact/signals";
import { Button } from "../components/button.tsx";
import { Notice } from "../components/notice.tsx";
import { leaveForAnotherKey, signIn } from "../sign-in/sign-in.ts";
import { config } from "../state/deployment.ts";
import { isOnline } from "../state/online.ts";
import { isExpired, session } from "../state/session.ts";
import "./banners.css";

/** What concerns every screen: no network, a session that has ended. The work stays where it is. */
export function Banners() {
  return (
    <div class="banners">
      {!isOnline.value && (
        <Notice tone="warning" title="You are offline">
          Your work stays on the screen. Uploads and jobs resume when the network is back.
        </Notice>
      )}
      {isExpired.value && <Expired />}
    </div>
  );
}

function Expired() {
  const failure = useSignal<string | null>(null);
  const byKey = session.value?.kind === "key";
  const again = (): void => {
    if (byKey) return leaveForAnotherKey();
    signIn(config.value).catch((error: Error) => {
      failure.value = error.message;
    });
  };
  return (
    <Notice
      tone="danger"
      title={byKey ? "This API key is no longer valid" : "Your session has ended"}
      actions={<Button onClick={again}>{byKey ? "Use another key" : "Sign in again"}</Button>}
    >
      {failure.value ??
        (byKey
          ? "It was revoked, or its account was closed. Running jobs continue, and your work stays in this tab."
          : "Running jobs continue, and your work stays in this tab.")}
    </Notice>
  );
}
