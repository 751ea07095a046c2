/** Reads and checks the ids of definitions, and the names of tool groups and of states. */
import { ConfigurationError } from '../../errors.ts'
import type { Hint } from './plain-name.ts'
import { assertKnown, isObject, readOptions, show, wrong, type Fields } from './read-options.ts'
import { is } from './checks.ts'

const idPattern = /^[A-Za-z][A-Za-z0-9_-]{0,54}$/

/** Reads the options of a definition, which errors name by its id. Throws a `ConfigurationError`. */
export function readNamed<Given extends { readonly id: string }>(
  given: unknown,
  create: string,
  fields: Fields<Given>,
  hint: Hint,
): { readonly where: string; readonly read: Given } {
  if (!isObject(given)) {
    throw new ConfigurationError(`${create}: expected an object of options, not ${show(given)}.`)
  }
  const id: unknown = Reflect.get(given, 'id')
  // One that has a name in the place of its id is told that.
  if (id === undefined) assertKnown(given, create, fields, { word: 'option', hint })
  assertId(id, create)
  const where = `${create}("${id}")`
  return { where, read: readOptions(given, where, fields, hint) }
}

/** The names of the tools by which a model delegates begin with it. */
export const delegationPrefix = 'agent-'

/** The names of the tools by which a model hands its conversation over begin with it. */
export const handoffPrefix = 'transfer-to-'

const reserved = [
  [delegationPrefix, 'delegation'],
  [handoffPrefix, 'handoff'],
] as const

/** Throws a `ConfigurationError` unless `id` may name a definition. */
export function assertId(id: unknown, what: string): asserts id is string {
  if (typeof id !== 'string' || !idPattern.test(id)) {
    throw new ConfigurationError(
      `${what}: the id ${show(id)} is not allowed. Expected a letter, then at most 54 letters, digits, "_" or "-".`,
    )
  }
  for (const [prefix, use] of reserved) {
    if (!id.startsWith(prefix)) continue
    throw new ConfigurationError(
      `${what}: the id "${id}" begins with "${prefix}", which is reserved for ${use}.`,
    )
  }
}

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
