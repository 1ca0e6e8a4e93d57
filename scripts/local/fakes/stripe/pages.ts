import { Hono } from "hono";
import { html, raw } from "hono/html";
import { type Html, page, STYLE } from "../page.ts";
import { checkoutSessionObject } from "./objects.ts";
import type { Customer, Invoice, Session, StripeState, Subscription } from "./state.ts";
import type { Happening, Subscriptions } from "./subscriptions.ts";

const ACTIONS = ["cancel", "failPayment", "giveUp", "payInvoice"] as const;
type Action = (typeof ACTIONS)[number];

const LABELS: Record<Action, string> = {
  cancel: "Cancel the subscription",
  failPayment: "Make the next payment fail",
  giveUp: "Give up collecting the payment",
  payInvoice: "Pay the open invoice",
};

const ACTIONS_OF: Record<Subscription["status"], readonly Action[]> = {
  active: ["cancel", "failPayment"],
  past_due: ["payInvoice", "giveUp", "cancel"],
  unpaid: ["payInvoice", "cancel"],
  canceled: ["payInvoice"],
};

/** Returns the customer's possible actions: only an unpaid invoice can be paid. */
const actionsOf = ({ status }: Subscription, invoice: Invoice): readonly Action[] =>
  ACTIONS_OF[status].filter((action) => action !== "payInvoice" || invoice.status !== "paid");

/** The customer's pages: a checkout and a portal. @param deliver sends events; resolves once each has been tried */
export function createPages(
  state: StripeState,
  subscriptions: Subscriptions,
  deliver: (happenings: readonly Happening[]) => Promise<void>,
): Hono {
  const sessionOf = (kind: Session["kind"], id: string): Session | undefined =>
    state.sessions.find((session) => session.kind === kind && session.id === id);
  const customerOf = (session: Session): Customer | undefined =>
    state.customers.find(({ id }) => id === session.customer);

  return new Hono()
    .get("/c/pay/:id", (c) => {
      const session = sessionOf("checkout", c.req.param("id"));
      if (session === undefined) return c.html(NO_SESSION, 404);
      if (session.status !== "open") return c.html(CLOSED[session.status], 410);
      return c.html(
        layout(
          "Subscribe",
          html`<p>Segmentation, billed monthly by usage: one cent per image or video frame.</p>
            <p>For <b>${customerOf(session)?.email ?? session.customer}</b>. Nothing is charged today.</p>
            <form method="post"><button>Pay</button></form>
            <p><a href="${session.cancelUrl}">Cancel and go back</a></p>`,
        ),
      );
    })
    .post("/c/pay/:id", async (c) => {
      const session = sessionOf("checkout", c.req.param("id"));
      if (session === undefined) return c.html(NO_SESSION, 404);
      if (session.status !== "open") return c.html(CLOSED[session.status], 410);
      session.status = "complete";
      const happenings = subscriptions.begin(session.customer);
      await deliver([
        { type: "checkout.session.completed", object: checkoutSessionObject(session, c.req.url) },
        ...happenings,
      ]);
      return c.redirect(session.successUrl, 303);
    })
    .get("/p/session/:id", (c) => {
      const session = sessionOf("portal", c.req.param("id"));
      if (session === undefined) return c.html(NO_SESSION, 404);
      const subscription = subscriptions.of(session.customer)[0];
      return c.html(
        layout(
          "Your subscription",
          html`<p>For <b>${customerOf(session)?.email ?? session.customer}</b>.</p>
            ${
              subscription === undefined
                ? html`<p>There is no subscription.</p>`
                : summary(subscription, subscriptions, session)
            }
            <p><a href="${session.successUrl}">Go back</a></p>`,
        ),
      );
    })
    .post("/p/session/:id/:action", async (c) => {
      const session = sessionOf("portal", c.req.param("id"));
      const action = ACTIONS.find((name) => name === c.req.param("action"));
      if (session === undefined || action === undefined) return c.html(NO_SESSION, 404);
      const subscription = subscriptions.of(session.customer)[0];
      const mayAct =
        subscription !== undefined &&
        actionsOf(subscription, subscriptions.invoiceOf(subscription)).includes(action);
      if (mayAct) {
        await deliver(subscriptions[action](subscription));
      }
      return c.redirect(`/p/session/${session.id}`, 303);
    });
}

function summary(subscription: Subscription, subscriptions: Subscriptions, session: Session): Html {
  const invoice = subscriptions.invoiceOf(subscription);
  const rows = [
    ["Status", subscription.status],
    ["Used in this period", `${subscriptions.unitsOf(subscription)} units`],
    ["The period ends", new Date(subscription.periodEnd * 1_000).toISOString().slice(0, 10)],
    ["Latest invoice", `$${(invoice.amount / 100).toFixed(2)}, ${invoice.status}`],
  ];
  return html`<table>
      ${rows.map(
        ([name, value]) =>
          html`<tr>
            <th>${name}</th>
            <td>${value}</td>
          </tr>`,
      )}
    </table>
    ${actionsOf(subscription, invoice).map(
      (action) =>
        html`<form method="post" action="/p/session/${session.id}/${action}">
          <button>${LABELS[action]}</button>
        </form>`,
    )}`;
}

const layout = (title: string, body: Html): Html =>
  page(
    title,
    html`<style>
      ${raw(STYLE)}
    </style>`,
    body,
    "A fake for Stripe on this machine. No money moves.",
  );

const NO_SESSION = layout(
  "Nothing here",
  html`<p>This session does not exist. Open a new one from the service.</p>`,
);
const CLOSED = {
  complete: layout("Already paid", html`<p>This checkout is complete.</p>`),
  expired: layout("Expired", html`<p>This checkout has expired. Open a new one from the service.</p>`),
};
