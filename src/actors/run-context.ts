/** The context of a run: JSON from its caller for the functions and tools of all its agents, typed by schemas. */
import { ConfigurationError } from '../errors.ts'
import type { JsonValue } from './values/json.ts'
import { validate, type Schema } from './schema.ts'

/** Without a schema a context is JSON, if it was given at all. */
export type AnyContext = Schema<JsonValue | undefined>

/** The context as a definition sees it. Rejects with a `ConfigurationError` that names the fault. */
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
