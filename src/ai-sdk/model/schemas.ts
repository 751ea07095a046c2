/** The schemas of a request, in the form that the provider takes. */
import type { JsonValue, ToolDescription } from '../../index.ts'
import { schemaInForm, type Quirks, type Targets } from '../../kit/host.ts'
import type { LanguageModelV4FunctionTool, SharedV4ProviderOptions } from '@ai-sdk/provider'

type Schema = Readonly<Record<string, JsonValue>>

interface ProviderTargets extends Targets {
  /** The provider is strict unless the option of this namespace says otherwise. */
  readonly strictBy?: string
}

const anthropic: ProviderTargets = { strict: ['anthropic-strict'], plain: ['anthropic'] }
const gemini: ProviderTargets = { strict: ['openai-strict', 'gemini'], plain: ['gemini'] }

/** By the first part of the name of a provider, such as `openai.responses`. */
const known: Readonly<Record<string, ProviderTargets>> = {
  openai: { strict: ['openai-strict'], plain: ['openai'], strictBy: 'openai' },
  azure: { strict: ['openai-strict'], plain: ['openai'], strictBy: 'openai' },
  'azure-openai': { strict: ['openai-strict'], plain: ['openai'], strictBy: 'openai' },
  groq: { strict: ['openai-strict'], plain: ['openai'], strictBy: 'groq' },
  anthropic,
  vertex: gemini,
  google: gemini,
}

/** A provider of which nothing is known writes the schemas itself. */
const others: ProviderTargets = { strict: ['openai-strict'], plain: [] }

function targetsOf(provider: string): ProviderTargets {
  return known[provider.split('.')[0] ?? ''] ?? others
}

export function toTool(
  { name, description, parameters, strict }: ToolDescription,
  provider: string,
  quirks: Quirks,
): LanguageModelV4FunctionTool {
  const sent = schemaInForm(parameters, strict === true, targetsOf(provider), quirks)
  return {
    type: 'function',
    name,
    description,
    inputSchema: sent.schema,
    ...(sent.strict ? { strict: true } : {}),
  }
}

interface SentFormat {
  readonly schema: Schema
  /** They say that the schema is not strict, to a provider that takes each schema for one. */
  readonly options: SharedV4ProviderOptions
}

/** The schema of an answer. */
export function formatOf(schema: Schema, provider: string, quirks: Quirks): SentFormat {
  const targets = targetsOf(provider)
  const { strictBy } = targets
  const sent = schemaInForm(schema, strictBy !== undefined, targets, quirks)
  const options: SharedV4ProviderOptions =
    strictBy === undefined || sent.strict ? {} : { [strictBy]: { strictJsonSchema: false } }
  return { schema: sent.schema, options }
}
