/** Steps that wait only where they must: a store that answers at once stays one that does. */

/** A value, now or later. */
export type Awaitable<Value> = Value | Promise<Value>

/** Whether the value comes later. */
export function isLater<Value>(given: Awaitable<Value> | PromiseLike<Value>): given is Promise<Value> {
  return typeof (given as { readonly then?: unknown } | null | undefined)?.then === 'function'
}

/** `act` with the value: at once where it is there. */
export function after<Value, Next>(
  given: Awaitable<Value>,
  act: (value: Value) => Awaitable<Next>,
): Awaitable<Next> {
  return isLater(given) ? given.then((value) => act(value)) : act(given)
}

/** What `act` gives; `otherwise` with the error that it throws, or rejects with. */
export function rescued<Value>(
  act: () => Awaitable<Value>,
  otherwise: (error: unknown) => Awaitable<Value>,
): Awaitable<Value> {
  try {
    const given = act()
    return isLater(given) ? given.catch(otherwise) : given
  } catch (error) {
    return otherwise(error)
  }
}

/** All values, in their order: at once where all are there. */
export function all<Value>(given: readonly Awaitable<Value>[]): Awaitable<Value[]> {
  return given.some(isLater) ? Promise.all(given) : (given as Value[])
}
