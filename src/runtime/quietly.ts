/** Promises whose rejection concerns only the callers that await them: an unhandled one does not end the process. */
export function unobserved<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}

export function quietly<T>(): PromiseWithResolvers<T> {
  const settlers = Promise.withResolvers<T>()
  void unobserved(settlers.promise)
  return settlers
}
