/*
 * The pool's wrapper of a Durable Object's class puts a Proxy around its own prototype whenever an object is constructed,
 * one around the other: after a thousand objects every look at a property goes through a thousand layers, and a test takes
 * ten times as long. (Its successor, @cloudflare/vitest-plugin, does it once.) Here the second layer is the first one.
 */

/** Prototypes that have their layer. */
const layers = new WeakSet<object>();

const isWrapperPrototype = (target: unknown, handler: unknown): target is object =>
  target instanceof Object &&
  target.constructor.name === "Class" &&
  handler instanceof Object &&
  Object.keys(handler).join() === "get";

const OriginalProxy = globalThis.Proxy;

globalThis.Proxy = new OriginalProxy(OriginalProxy, {
  construct(target, args: [object, ProxyHandler<object>], newTarget): object {
    const [inner, handler] = args;
    if (!isWrapperPrototype(inner, handler)) return Reflect.construct(target, args, newTarget);
    if (layers.has(inner)) return inner;
    const layer: object = Reflect.construct(target, args, newTarget);
    layers.add(layer);
    return layer;
  },
});
