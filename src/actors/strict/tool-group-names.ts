/** Readers of the names of tool groups and of states. */
import { is } from './checks.ts'
import { wrong } from './read-options.ts'

/** Reads a list of names; `mayBeEmpty`: an empty list is allowed. */
export function readNames(given: unknown, where: string, mayBeEmpty = false): readonly string[] {
  const isList = Array.isArray(given) && given.every((name) => isName(name))
  if (isList && (mayBeEmpty || given.length > 0)) return [...(given as readonly string[])]
  const expected = mayBeEmpty ? 'a list of names' : 'a list of at least one name'
  throw wrong(given, where, `${expected}, each a text that is not empty`)
}

/** Reads the name of one state. */
export const readState = is(
  'the name of one state, a text that is not empty and not "*"',
  (given) => isName(given) && given !== '*',
)

function isName(given: unknown): boolean {
  return typeof given === 'string' && given.trim() !== ''
}
