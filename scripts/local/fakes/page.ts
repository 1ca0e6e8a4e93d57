import { html } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";

export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** The style of all pages. */
export const STYLE = `:root { color-scheme: light dark; --accent: #2457c5; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 44rem; margin: 3rem auto; padding: 0 1rem; }
h2 { font-size: 1rem; margin: 2rem 0 0.5rem; }
label, input { display: block; margin: 0.5rem 0; }
input { font: inherit; padding: 0.5rem; width: min(24rem, 100%); box-sizing: border-box; }
pre { overflow-x: auto; padding: 0.75rem; border: 1px solid #8885; border-radius: 0.4rem; max-height: 12rem; }
button, .button { font: inherit; padding: 0.4rem 1rem; border: 0; border-radius: 0.4rem; cursor: pointer;
  background: var(--accent); color: #fff; text-decoration: none; display: inline-block; }
[role="alert"] { color: #c0392b; }
footer { margin-top: 3rem; font-size: 0.85rem; opacity: 0.7; }
`;

/**
 * A page of a fake.
 * @param head the style, and scripts
 * @param notice the notice that it is a fake
 */
export const page = (title: string, head: Html, body: Html, notice: string): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title}</title>
        ${head}
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${body}
        </main>
        <footer>${notice}</footer>
      </body>
    </html>`;
