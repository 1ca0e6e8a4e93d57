import { Hono, type Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import {
  checkoutSessionObject,
  customerObject,
  invoiceObject,
  invoicePaymentObject,
  listObject,
  meterEventObject,
  portalSessionObject,
  subscriptionObject,
} from "./objects.ts";
import { ParameterError, stripeError, formText, idempotency } from "./requests.ts";
import { newStripeId, nowSeconds, type Session, type StripeState, type Use } from "./state.ts";
import type { Subscriptions } from "./subscriptions.ts";

const MAX_BODY_BYTES = 100_000;
const DAY_SECONDS = 86_400;
const OLDEST_USE_SECONDS = 35 * DAY_SECONDS;
const CLOCK_DRIFT_SECONDS = 300;
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

export interface ApiOptions {
  readonly secretKey: string;
  readonly priceId: string;
  readonly meterEvent: string;
}

/** The part of Stripe's API that the service uses, with Stripe's names, checks and errors. */
export function createApi(options: ApiOptions, state: StripeState, subscriptions: Subscriptions): Hono {
  const knownCustomer = (id: string): string => {
    if (state.customers.some((customer) => customer.id === id)) return id;
    throw new ParameterError("customer", `No such customer: '${id}'`, "resource_missing");
  };

  const newSession = (kind: Session["kind"], form: Form, urls: readonly [string, string]): Session => {
    const session: Session = {
      id: newStripeId(kind === "checkout" ? "cs_test" : "bps"),
      kind,
      customer: knownCustomer(form.required("customer")),
      status: "open",
      reference: form.optional("client_reference_id"),
      successUrl: urls[0],
      cancelUrl: urls[1],
      created: nowSeconds(),
    };
    state.sessions.push(session);
    return session;
  };

  return new Hono()
    .use(async (c, next) => {
      await next();
      c.res.headers.set("request-id", newStripeId("req"));
    })
    .onError((error, c) =>
      error instanceof ParameterError
        ? stripeError(c, 400, {
            type: "invalid_request_error",
            message: error.message,
            param: error.param,
            ...(error.code !== undefined && { code: error.code }),
          })
        : stripeError(c, 500, { type: "api_error", message: String(error) }),
    )
    .use(async (c, next) => {
      if (c.req.header("authorization") === `Bearer ${options.secretKey}`) return next();
      return stripeError(c, 401, { type: "invalid_request_error", message: "Invalid API Key provided." });
    })
    .use(bodyLimit({ maxSize: MAX_BODY_BYTES }))
    .use(idempotency())
    .post("/customers", async (c) => {
      const form = await Form.of(c);
      const customer = {
        id: newStripeId("cus"),
        email: form.email("email"),
        accountId: form.optional("metadata[accountId]"),
        created: nowSeconds(),
      };
      state.customers.push(customer);
      return c.json(customerObject(customer));
    })
    .get("/customers/:id", (c) => {
      const id = c.req.param("id");
      const customer = state.customers.find((one) => one.id === id);
      if (customer !== undefined) return c.json(customerObject(customer));
      if (state.deletedCustomers.includes(id)) return c.json({ id, object: "customer", deleted: true });
      return noCustomer(c, id);
    })
    .post("/customers/:id", async (c) => {
      const form = await Form.of(c);
      const id = c.req.param("id");
      const customer = state.customers.find((one) => one.id === id);
      if (customer === undefined) return noCustomer(c, id);
      customer.email = form.email("email") ?? customer.email;
      return c.json(customerObject(customer));
    })
    .post("/checkout/sessions", async (c) => {
      const form = await Form.of(c);
      form.mustBe("mode", "subscription");
      const price = form.required("line_items[0][price]");
      if (price !== options.priceId) {
        throw new ParameterError("line_items[0][price]", `No such price: '${price}'`, "resource_missing");
      }
      if (form.optional("line_items[0][quantity]") !== null) {
        throw new ParameterError(
          "line_items[0][quantity]",
          "Quantity should not be specified where usage_type is `metered`.",
        );
      }
      const session = newSession("checkout", form, [form.url("success_url"), form.url("cancel_url")]);
      return c.json(checkoutSessionObject(session, new URL(`/c/pay/${session.id}`, c.req.url).href));
    })
    .get("/checkout/sessions", (c) => {
      const query = Form.inQuery(c);
      const customer = knownCustomer(query.required("customer"));
      const status = query.optional("status");
      const all = state.sessions
        .filter((one) => one.kind === "checkout" && one.customer === customer)
        .filter((one) => status === null || one.status === status)
        .toReversed();
      return firstPage(c, all, (one) =>
        checkoutSessionObject(one, new URL(`/c/pay/${one.id}`, c.req.url).href),
      );
    })
    .post("/checkout/sessions/:id/expire", (c) => {
      const session = state.sessions.find((one) => one.kind === "checkout" && one.id === c.req.param("id"));
      if (session === undefined) {
        throw new ParameterError("session", "No such checkout session", "resource_missing");
      }
      if (session.status !== "open") {
        throw new ParameterError(
          "session",
          `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of ${session.status}.`,
        );
      }
      session.status = "expired";
      return c.json(checkoutSessionObject(session, c.req.url));
    })
    .post("/billing_portal/sessions", async (c) => {
      const form = await Form.of(c);
      const returnUrl = form.url("return_url");
      const session = newSession("portal", form, [returnUrl, returnUrl]);
      return c.json(portalSessionObject(session, new URL(`/p/session/${session.id}`, c.req.url).href));
    })
    .get("/subscriptions", (c) => {
      const query = Form.inQuery(c);
      const isExpanded = query.optional("expand[0]") === "data.latest_invoice";
      const all = subscriptions
        .of(knownCustomer(query.required("customer")))
        .filter((one) => query.optional("status") === "all" || one.status !== "canceled");
      return firstPage(c, all, (one) =>
        subscriptionObject(one, options.priceId, isExpanded ? subscriptions.invoiceOf(one) : null),
      );
    })
    .get("/invoices", (c) => {
      const query = Form.inQuery(c);
      const customer = knownCustomer(query.required("customer"));
      const all = state.invoices.filter((one) => one.customer === customer).toReversed();
      const left = all.slice(all.findIndex(({ id }) => id === query.optional("starting_after")) + 1);
      return firstPage(c, left, (one) => invoiceObject(one, options.priceId));
    })
    .get("/invoice_payments", (c) => {
      const query = Form.inQuery(c);
      query.mustBe("status", "open");
      const invoice = query.required("invoice");
      const isExpanded = query.optional("expand[0]") === "data.payment.payment_intent";
      const open = state.invoices.filter(({ id, status }) => id === invoice && status === "open");
      return firstPage(c, open, (one) => invoicePaymentObject(one, isExpanded));
    })
    .post("/billing/meter_events", async (c) => {
      const use = readUse(await Form.of(c), options.meterEvent);
      const isKnown = state.uses.some(
        ({ identifier, created }) => identifier === use.identifier && created > use.created - DAY_SECONDS,
      );
      if (isKnown) {
        throw new ParameterError("identifier", `An event already exists with identifier ${use.identifier}.`);
      }
      state.uses.push(use);
      return c.json(meterEventObject(use, options.meterEvent));
    })
    .all("*", (c) =>
      stripeError(c, 404, {
        type: "invalid_request_error",
        message: `Unrecognized request URL (${c.req.method}: ${c.req.path}).`,
      }),
    );
}

/** Returns the part of a list that the request asks for with `limit`. */
function firstPage<Item>(c: Context, all: readonly Item[], objectOf: (item: Item) => object): Response {
  const limit = Number(c.req.query("limit") ?? 10);
  return c.json(listObject(c.req.path, all.slice(0, limit).map(objectOf), all.length > limit));
}

const noCustomer = (c: Context, id: string): Response =>
  stripeError(c, 404, {
    type: "invalid_request_error",
    code: "resource_missing",
    param: "id",
    message: `No such customer: '${id}'`,
  });

function readUse(form: Form, meterEvent: string): Use {
  const created = nowSeconds();
  form.mustBe("event_name", meterEvent);
  const units = Number(form.required("payload[value]"));
  if (!Number.isInteger(units))
    throw new ParameterError("payload[value]", "The value is not a whole number.");
  const timestamp = Number(form.optional("timestamp") ?? created);
  if (timestamp < created - OLDEST_USE_SECONDS || timestamp > created + CLOCK_DRIFT_SECONDS) {
    throw new ParameterError("timestamp", "The timestamp is too far in the past or in the future.");
  }
  return {
    identifier: form.optional("identifier") ?? crypto.randomUUID(),
    // Stripe reports an unknown customer later, in another way.
    customer: form.required("payload[stripe_customer_id]"),
    units,
    timestamp,
    created,
  };
}

/** Form parameters in the SDK's format: `line_items[0][price]=…`. */
class Form {
  readonly #parameters: URLSearchParams;

  constructor(text: string) {
    this.#parameters = new URLSearchParams(text);
  }

  static async of(c: Context): Promise<Form> {
    return new Form(await formText(c));
  }

  static inQuery(c: Context): Form {
    return new Form(new URL(c.req.url).search);
  }

  optional(name: string): string | null {
    return this.#parameters.get(name);
  }

  required(name: string): string {
    const value = this.#parameters.get(name);
    if (value) return value;
    throw new ParameterError(name, `Missing required param: ${name}.`, "parameter_missing");
  }

  mustBe(name: string, value: string): void {
    if (this.required(name) !== value) throw new ParameterError(name, `Invalid ${name}: must be ${value}`);
  }

  /** An e-mail address, which may be missing but not empty. */
  email(name: string): string | null {
    const value = this.optional(name);
    if (value === "") {
      throw new ParameterError(
        name,
        `You passed an empty string for '${name}'. You should remove '${name}' from your request or supply a non-empty value.`,
        "parameter_invalid_empty",
      );
    }
    if (value === null || EMAIL.test(value)) return value;
    throw new ParameterError(name, `Invalid email address: ${value}`, "email_invalid");
  }

  url(name: string): string {
    const value = this.required(name);
    if (URL.canParse(value)) return value;
    throw new ParameterError(name, "Not a valid URL", "url_invalid");
  }
}
