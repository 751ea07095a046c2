/** Promises whose rejection is for those who wait: it ends no process in which nobody does. */
export function unobserved<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}

export function quietly<T>(): PromiseWithResolvers<T> {
  const settlers = Promise.withResolvers<T>()
  void unobserved(settlers.promise)
  return settlers
}
