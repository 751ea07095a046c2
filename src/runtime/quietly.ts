/** Promises whose rejection concerns only the callers that await them: an unhandled one does not end the process. */
export function unobserved<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}

/** A promise with its functions; nobody need handle its rejection. */
export function quietly<T>(): PromiseWithResolvers<T> {
  const settlers = Promise.withResolvers<T>()
  void unobserved(settlers.promise)
  return settlers
}
