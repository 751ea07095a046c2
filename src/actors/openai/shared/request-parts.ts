/** The files of a request and the shape of its answer, as both APIs expect them. */
import type { FileData, FileUrl } from '../../content/content.ts'
import type { ResponseFormat, ToolDescription } from '../../chat-model.ts'
import type { SchemaTarget } from '../../schemas/schema-targets.ts'
import { sentSchema } from '../../schemas/sent-schema.ts'
import type { JsonValue } from '../../values/json.ts'
import { schemaQuirks, type Quirks } from './quirks.ts'

/** The kind of a file, by its media type. */
export function kindOf({ mediaType }: FileData | FileUrl): 'image' | 'audio' | 'video' | 'document' {
  const [type] = mediaType.toLowerCase().split('/')
  return type === 'image' || type === 'audio' || type === 'video' ? type : 'document'
}

/** The URL of a file; that of its bytes is a `data:` URL. */
export function urlOf(file: FileData | FileUrl): string {
  return 'url' in file ? file.url : `data:${file.mediaType};base64,${file.data}`
}

const extensions: Readonly<Record<string, string>> = { plain: 'txt', markdown: 'md' }

/** The name of a document: the servers want one, and some read its extension. */
export function fileNameOf({ name, mediaType }: FileData): string {
  const subtype = mediaType.toLowerCase().split('/')[1] ?? 'bin'
  return name ?? `file.${extensions[subtype] ?? subtype}`
}

// The schemas of a request, in the form that the server takes.

/** The address of the server, and what it has shown to be different. */
export interface ServerTraits {
  readonly baseURL: string
  readonly quirks: Quirks
}

/** The targets of a server, for schemas to which it holds the model and for others. */
export interface Targets {
  readonly strict: readonly SchemaTarget[]
  readonly plain: readonly SchemaTarget[]
}

const known: readonly (readonly [host: RegExp, targets: Targets])[] = [
  [/(?:^|\.)openai\.(?:com|azure\.com)$/, { strict: ['openai-strict'], plain: ['openai'] }],
  [/(?:^|\.)anthropic\.com$/, { strict: ['anthropic-strict'], plain: ['anthropic'] }],
  [/(?:^|\.)googleapis\.com$/, { strict: ['openai-strict', 'gemini'], plain: ['gemini'] }],
]

/** Any server: one that makes grammars, or a gateway to OpenAI. */
const others: Targets = { strict: ['openai-strict', 'grammar'], plain: ['openai', 'grammar'] }

function targetsOf({ baseURL }: ServerTraits): Targets {
  const host = URL.parse(baseURL)?.hostname ?? ''
  return known.find(([pattern]) => pattern.test(host))?.[1] ?? others
}

type Schema = Readonly<Record<string, JsonValue>>

const bare: Targets = { strict: ['openai-strict', 'bare'], plain: ['bare'] }

/** The schema as a server takes it; strict where it is to be, and the schema and the server allow it. */
export function schemaInForm(
  schema: Schema,
  wantsStrict: boolean,
  targets: Targets,
  quirks: Quirks,
): { readonly schema: Schema; readonly strict: boolean } {
  const { strict, plain } = quirks.has('wants-bare-schemas') ? bare : targets
  const held = wantsStrict && !quirks.has('lacks-strict') ? sentSchema(schema, ...strict) : undefined
  if (held?.schema !== undefined) return { schema: held.schema, strict: true }
  return { schema: sentSchema(schema, ...plain).schema ?? schema, strict: false }
}

interface NamedSchema {
  readonly name: string
  readonly schema: Record<string, unknown>
  readonly strict: boolean
}

/** Strict where the schema allows it: then the server guarantees the shape. Strict wants every property required. */
export function namedSchema({ name, schema }: ResponseFormat, server: ServerTraits): NamedSchema {
  return { name, ...schemaInForm(schema, true, targetsOf(server), server.quirks) }
}

/** The parameters of a tool; `strict` is absent where the tool does not ask for it. */
export function parametersOf(
  { parameters, strict }: ToolDescription,
  server: ServerTraits,
): { readonly parameters: Schema; readonly strict?: true } {
  const written = schemaInForm(parameters, strict === true, targetsOf(server), server.quirks)
  return { parameters: written.schema, ...(written.strict ? { strict: true } : {}) }
}

/** The same for servers that are sent the same schemas. */
export function formName({ quirks }: ServerTraits): string {
  return schemaQuirks.filter((quirk) => quirks.has(quirk)).join()
}
