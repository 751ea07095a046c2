/** Reads and checks the ids of definitions. */
import { ConfigurationError } from '../../errors.ts'
import { isObject, readOptions, show, type Fields } from './read-options.ts'

const idPattern = /^[A-Za-z][A-Za-z0-9_-]{0,54}$/

/** Reads the options of a definition, which errors name by its id. Throws a `ConfigurationError`. */
export function readNamed<Given extends { readonly id: string }>(
  given: unknown,
  create: string,
  fields: Fields<Given>,
): { readonly where: string; readonly read: Given } {
  if (!isObject(given)) {
    throw new ConfigurationError(`${create}: expected an object of options, not ${show(given)}.`)
  }
  const id: unknown = Reflect.get(given, 'id')
  assertId(id, create)
  const where = `${create}("${id}")`
  return { where, read: readOptions(given, where, fields) }
}

const reserved = [
  ['agent-', 'delegation'],
  ['transfer-to-', 'handoff'],
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
