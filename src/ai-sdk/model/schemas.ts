/** The schemas of a request, in the form that the provider takes. */
import type { JsonValue, ToolDescription } from '../../index.ts'
import { sentSchema, type Quirks, type SchemaTarget } from '../../kit/host.ts'
import type { LanguageModelV4FunctionTool, SharedV4ProviderOptions } from '@ai-sdk/provider'

type Schema = Readonly<Record<string, JsonValue>>

interface Targets {
  readonly strict: readonly SchemaTarget[]
  readonly plain: readonly SchemaTarget[]
  /** The provider is strict unless the option of this namespace says otherwise. */
  readonly strictBy?: string
}

const anthropic: Targets = { strict: ['anthropic-strict'], plain: ['anthropic'] }
const gemini: Targets = { strict: ['openai-strict', 'gemini'], plain: ['gemini'] }

/** By the first part of the name of a provider, such as `openai.responses`. */
const known: Readonly<Record<string, Targets>> = {
  openai: { strict: ['openai-strict'], plain: ['openai'], strictBy: 'openai' },
  azure: { strict: ['openai-strict'], plain: ['openai'], strictBy: 'openai' },
  'azure-openai': { strict: ['openai-strict'], plain: ['openai'], strictBy: 'openai' },
  groq: { strict: ['openai-strict'], plain: ['openai'], strictBy: 'groq' },
  anthropic,
  vertex: gemini,
  google: gemini,
}

/** A provider of which nothing is known writes the schemas itself. */
const others: Targets = { strict: ['openai-strict'], plain: [] }

function targetsOf(provider: string, quirks: Quirks): Targets {
  const targets = known[provider.split('.')[0] ?? ''] ?? others
  if (!quirks.has('wants-bare-schemas')) return targets
  return { ...targets, strict: ['openai-strict', 'bare'], plain: ['bare'] }
}

function inForm(schema: Schema, wantsStrict: boolean, { strict, plain }: Targets, quirks: Quirks) {
  const held = wantsStrict && !quirks.has('lacks-strict') ? sentSchema(schema, ...strict) : undefined
  if (held?.schema !== undefined) return { schema: held.schema, isStrict: true }
  return { schema: sentSchema(schema, ...plain).schema ?? schema, isStrict: false }
}

export function toTool(
  { name, description, parameters, strict }: ToolDescription,
  provider: string,
  quirks: Quirks,
): LanguageModelV4FunctionTool {
  const { schema, isStrict } = inForm(parameters, strict === true, targetsOf(provider, quirks), quirks)
  return { type: 'function', name, description, inputSchema: schema, ...(isStrict ? { strict: true } : {}) }
}

interface SentFormat {
  readonly schema: Schema
  /** They say that the schema is not strict, to a provider that takes each schema for one. */
  readonly options: SharedV4ProviderOptions
}

/** The schema of an answer. */
export function formatOf(schema: Schema, provider: string, quirks: Quirks): SentFormat {
  const targets = targetsOf(provider, quirks)
  const { strictBy } = targets
  const sent = inForm(schema, strictBy !== undefined, targets, quirks)
  const options: SharedV4ProviderOptions =
    strictBy === undefined || sent.isStrict ? {} : { [strictBy]: { strictJsonSchema: false } }
  return { schema: sent.schema, options }
}
