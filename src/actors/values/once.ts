/** Makes a costly value when it is first needed: loading the library stays cheap. */
/* @__NO_SIDE_EFFECTS__ */
export function once<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => (made ??= make())
}
