import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso";
import { Button } from "../components/button.tsx";
import { Icon, type IconName } from "../components/icon.tsx";
import { signOut } from "../sign-in/sign-in.ts";
import { account, session } from "../state/session.ts";
import { Allowance } from "./allowance.tsx";
import { Banners } from "./banners.tsx";
import { Brand } from "./brand.tsx";
import "./shell.css";

const PLACES: readonly { readonly href: string; readonly icon: IconName; readonly name: string }[] = [
  { href: "/studio", icon: "segment", name: "Segment" },
  { href: "/studio/jobs", icon: "jobs", name: "Jobs" },
  { href: "/studio/usage", icon: "usage", name: "Usage" },
  { href: "/studio/keys", icon: "keys", name: "Keys" },
  { href: "/studio/webhooks", icon: "webhooks", name: "Webhooks" },
];

const isHere = (href: string, path: string): boolean =>
  href === "/studio" ? path === href : path === href || path.startsWith(`${href}/`);

/** What is around every screen of somebody who is signed in. */
export function Shell({ children }: { readonly children: ComponentChildren }) {
  const { path } = useLocation();
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
          <Allowance />
          <Button look="quiet" onClick={signOut} title={accountLine()}>
            <Icon name="out" />
            <span class="shell-out">Sign out</span>
          </Button>
        </div>
      </header>
      <Banners />
      <main id="content" class="shell-content" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

/** Who is signed in, and how. */
function accountLine(): string {
  const who = account.value?.name ?? "Signed in";
  return session.value?.kind === "key" ? `${who}, with an API key` : who;
}
