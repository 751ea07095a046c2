/** The shape of an answer as OpenAI expects it, and the error of a server that does not support it. */
import type { ResponseFormat } from '../../chat-model.ts'
import { toStrict } from '../../schemas/strict-schema.ts'

interface NamedSchema {
  readonly name: string
  readonly schema: Record<string, unknown>
  readonly strict: boolean
}

/** Strict where the schema allows it: then the server guarantees the shape. Strict wants every property required. */
export function namedSchema({ name, schema }: ResponseFormat): NamedSchema {
  const { schema: strict } = toStrict(schema)
  return strict === undefined
    ? { name, schema: { ...schema }, strict: false }
    : { name, schema: strict, strict: true }
}
