/** The context of a run: what its caller gives to the functions and tools of all its agents. JSON, typed by schemas. */
import { ConfigurationError } from '../errors.ts'
import { isRecord, type JsonValue } from './json.ts'
import { validate, type Schema } from './schema.ts'

/** Without a schema a context is JSON, if it was given at all. */
export type AnyContext = Schema<JsonValue | undefined>

/** The context as a definition sees it. Rejects with a `ConfigurationError` that says what does not fit. */
export async function contextFor(
  schema: Schema | undefined,
  context: JsonValue | undefined,
  where: string,
): Promise<unknown> {
  if (schema === undefined) return context
  const checked = await validate(schema, context)
  if (checked.ok) return checked.value
  throw new ConfigurationError(
    `${where}: the context of the run does not fit contextSchema: ${checked.problem}`,
  )
}

/** What of a value JSON would change or lose, with the way to it; `undefined`: nothing. */
export function notJson(value: unknown, path: string, above: readonly unknown[] = []): string | undefined {
  if (above.includes(value)) return `${path} contains itself`
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : `${path} is ${value}`
  if (Array.isArray(value)) {
    return firstOf(value.map((item, index) => notJson(item, `${path}[${index}]`, [...above, value])))
  }
  if (!isRecord(value)) return `${path} is a ${typeof value}`
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return `${path} is not a plain object`
  const given = Object.entries(value).filter(([, part]) => part !== undefined)
  return firstOf(given.map(([name, part]) => notJson(part, `${path}.${name}`, [...above, value])))
}

function firstOf(problems: readonly (string | undefined)[]): string | undefined {
  return problems.find((problem) => problem !== undefined)
}
