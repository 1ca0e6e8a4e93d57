/*
 * Keeps the prototypes of Durable Objects to one Proxy. The pool's wrapper of a Durable Object's class adds a Proxy around its
 * prototype whenever an object is constructed: after a thousand objects every property read passes a thousand layers, and a test
 * takes ten times as long. (Its successor, @cloudflare/vitest-plugin, does it once.)
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
