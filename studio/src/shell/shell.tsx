import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button, Icon, type IconName } from "../components/controls/button.tsx";
import { leaveForAnotherKey, signIn } from "../sign-in/sign-in.ts";
import { account, isExpired, overview, session } from "../state/session.ts";
import { Notice } from "../components/layout/notice.tsx";
import { config } from "../state/config.ts";
import { fetchAhead } from "../state/scripts.ts";
import { isOnline, isReachable } from "../state/online.ts";
import { counted } from "../text/format.ts";
import { problemSentence } from "../text/problem-words.ts";
import { isWorkspacePath, openedWorkspace } from "../workspace/current.ts";
import { Brand } from "./brand.tsx";
import { SignOut } from "./sign-out.tsx";
import "./shell.css";

const PLACES: readonly { readonly href: string; readonly icon: IconName; readonly name: string }[] = [
  { href: "/studio", icon: "segment", name: "Segment" },
  { href: "/studio/jobs", icon: "jobs", name: "Jobs" },
  { href: "/studio/usage", icon: "usage", name: "Usage" },
  { href: "/studio/keys", icon: "keys", name: "Keys" },
  { href: "/studio/webhooks", icon: "webhooks", name: "Webhooks" },
];

/** A job is on the screen on which it was begun. */
const isHere = (href: string, path: string): boolean =>
  isWorkspacePath(path) ? href === "/studio" : path === href || path.startsWith(`${href}/`);

/** Frame of every screen of a signed-in person. */
export function Shell({ children }: { readonly children: ComponentChildren }) {
  const { path } = useLocation();
  useEffect(fetchAhead, []);
  return (
    <div class="shell">
      <a class="shell-skip" href="#content">
        Skip to content
      </a>
      <header class="shell-bar">
        <Brand />
        <nav class="shell-places" aria-label="Studio">
          {PLACES.map(({ href, icon, name }) => (
            <a key={href} href={href} aria-current={isHere(href, path) ? "page" : undefined}>
              <Icon name={icon} />
              <span>{name}</span>
            </a>
          ))}
        </nav>
        <div class="shell-account">
          <Keeping />
          <Allowance />
          <span class="shell-who fine cut" title={accountLine()}>
            {accountLine()}
          </span>
          <SignOut who={accountLine()} />
        </div>
      </header>
      <Banners />
      <main id="content" class="shell-content" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

/** Save state of the open entry. */
function Keeping() {
  const { path } = useLocation();
  const { value: workspace } = openedWorkspace;
  if (workspace === null || !isWorkspacePath(path)) return null;
  const { value: state } = workspace.keeping;
  if (state.at === "saved" && workspace.base.value === null) return null;
  const text =
    state.at === "failed"
      ? `Not saved: ${problemSentence(state.error)}`
      : state.at === "saved"
        ? "Saved"
        : "Saving";
  return (
    <span class="shell-kept fine cut" role="status" title={text}>
      {text}
    </span>
  );
}

/** Returns the name of the account, and the kind of its credential. */
function accountLine(): string {
  const who = account.value?.name ?? "Signed in";
  return session.value?.kind === "key" ? `${who}, with an API key` : who;
}

const DAY_MS = 86_400_000;

/** Formats the time left in a few words. */
function left(until: string): string {
  const days = Math.ceil((Date.parse(until) - Date.now()) / DAY_MS);
  return days === 1 ? "last day" : `${days} days`;
}

/** Remaining trial, or the plan; it leads to the page with the rest. */
function Allowance() {
  const state = overview.value;
  if (state === null) return null;
  const { access, trial } = state;
  if (access.mode !== "paid" && trial.status === "active")
    return (
      <a class="allowance fine" href="/studio/usage">
        <meter
          aria-label="Your remaining trial"
          min={0}
          max={trial.grantTokens}
          value={trial.remainingTokens}
        />
        <span>
          {counted(trial.remainingTokens, "unit")} left
          {trial.expiresAt === null ? "" : `, ${left(trial.expiresAt)}`}
        </span>
      </a>
    );
  const isOver = access.mode !== "paid" && trial.status !== "eligible";
  const plan = access.mode === "paid" ? "Paid plan" : `${trial.grantTokens} free units`;
  return (
    <a class={isOver ? "allowance fine allowance-over" : "allowance fine"} href="/studio/usage">
      {isOver ? "Trial ended" : plan}
    </a>
  );
}

/** Notices for every screen: no network, a session that has ended. */
function Banners() {
  return (
    <div class="banners">
      {!isOnline.value && (
        <Notice tone="warning" title="You are offline">
          Your work stays on the screen. Uploads and jobs resume when the network is back.
        </Notice>
      )}
      {isOnline.value && !isReachable.value && (
        <Notice tone="warning" title="The service can’t be reached">
          Your work stays on the screen. Uploads and jobs go on when it answers.
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
    signIn(config.value).catch((error: Error) => (failure.value = error.message));
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
