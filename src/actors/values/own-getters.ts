/**
 * Properties that are read when they are asked for, on objects that a caller may spread, wrap or list: own and enumerable.
 * A getter that an object literal writes is a new function for each object. V8 creates it among old objects, so all that it
 * refers to stays until a full collection. V8 also makes the object a hash table. Here all objects share the getters. See
 * docs/design/decisions/performance.md#functions-of-a-run-are-young.
 */
export function ownGetters<Source, Values extends object>(getters: {
  readonly [Name in keyof Values]: (source: Source) => Values[Name]
}): <Fields extends object>(fields: Fields, source: Source) => Fields & Readonly<Values> {
  const key = Symbol('source')
  const own = Object.entries(getters as Readonly<Record<string, (source: Source) => unknown>>).map(
    ([name, read]) =>
      [
        name,
        {
          configurable: true,
          enumerable: true,
          get(this: { readonly [key]: () => Source }) {
            return read(this[key]())
          },
        },
      ] as const,
  )
  return (fields, source) => {
    Object.defineProperty(fields, key, { configurable: true, value: giving(source) })
    for (const [name, descriptor] of own) Object.defineProperty(fields, name, descriptor)
    return fields as typeof fields & Readonly<Values>
  }
}

/**
 * A proxy that makes proxies of all objects that are read, as those of views do, leaves functions as they are: the getters get
 * the source itself, whose private fields they read. A property that cannot be configured must not be read as a proxy.
 */
function giving<Source>(source: Source): () => Source {
  return () => source
}

/** The abort signal of what is performed: a function that does not use it costs none. */
export const withSignal = /* @__PURE__ */ ownGetters<
  { readonly signal: AbortSignal },
  { readonly signal: AbortSignal }
>({ signal: (performed) => performed.signal })
