/** Names without their spelling, by which a hint finds what a key was meant to be. */

/** Says where a key belongs, or what it is called here: a clause, such as `it is called "maxSteps" here`. */
export type Hint = (key: string, known: readonly string[]) => string | undefined

/** A name without case and separators. */
export function plainName(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase()
}
