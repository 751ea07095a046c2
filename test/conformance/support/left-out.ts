/** By name of a case of a suite, why it does not apply to us. */
export type LeftOut = Readonly<Record<string, string>>

/**
 * The names of the suite that apply. Throws for a name in `reasons` that the suite does not have, and for a reason that
 * says nothing.
 */
export function leftOut(names: readonly string[], reasons: LeftOut): readonly string[] {
  const unknown = Object.keys(reasons).filter((name) => !names.includes(name))
  if (unknown.length > 0)
    throw new Error(`The suite has no case ${unknown.join(', ')}: take it out of the table.`)
  const bare = Object.keys(reasons).filter((name) => (reasons[name] ?? '').split(' ').length < 3)
  if (bare.length > 0) throw new Error(`Say why ${bare.join(', ')} does not apply.`)
  return names.filter((name) => !Object.hasOwn(reasons, name))
}
