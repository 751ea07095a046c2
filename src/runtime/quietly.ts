/** A promise whose rejection is for those who wait: it ends no process in which nobody does. */
export function quietly<T>(): PromiseWithResolvers<T> {
  const settlers = Promise.withResolvers<T>()
  settlers.promise.catch(() => undefined)
  return settlers
}
