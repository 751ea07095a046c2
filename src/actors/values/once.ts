/** What is dear to make and not always needed is made when it is first asked for: loading the library stays cheap. */
export function once<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => (made ??= make())
}
