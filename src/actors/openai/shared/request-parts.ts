/** The files of a request and the shape of its answer, as both APIs expect them. */
import type { FileData, FileUrl } from '../../content/content.ts'
import type { ResponseFormat } from '../../chat-model.ts'
import { toStrict } from '../../schemas/strict-schema.ts'

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
