/** The files in the result of a tool: anywhere in it, made by `file()`. */
import { isMadeFile } from '../../actors/messages/file.ts'
import type { JsonValue } from '../../actors/values/json.ts'
import { toJsonValue, type JsonNaming } from '../../actors/values/to-json.ts'
import { SparseMap } from '../../actors/values/sparse.ts'
import type { Blob } from './blob-storage.ts'
import { keptFile, type KeptFile } from './kept-content.ts'

/** A result as JSON, in which references stand for the bytes of its files. */
export interface KeptResult {
  readonly value: JsonValue
  /** In the order in which they stand in the result, each once. */
  readonly files: readonly KeptFile[]
  readonly blobs: readonly Blob[]
}

/** Throws a `TerminalError` that names the path for a value that JSON cannot hold. */
export function keptResult(result: unknown, what: string, naming: JsonNaming): KeptResult {
  const made = new SparseMap<object, KeptFile>()
  const blobs: Blob[] = []
  const replace = (part: object): JsonValue | undefined => {
    if (!isMadeFile(part)) return undefined
    const kept = made.get(part) ?? keep(part)
    made.set(part, kept)
    return { ...kept }
  }
  const keep = (part: Parameters<typeof keptFile>[0]): KeptFile => {
    const kept = keptFile(part)
    blobs.push(...kept.blobs)
    return kept.file
  }
  const value = toJsonValue(result, what, { ...naming, replace })
  return { value, files: [...made.values()], blobs }
}
