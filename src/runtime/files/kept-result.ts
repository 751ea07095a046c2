/** The files in the result of a tool: anywhere in it, made by `file()`. */
import { isMadeFile } from '../../actors/messages/file.ts'
import type { Blob } from '../journal/blob-storage.ts'
import { keptFile, type KeptFile } from './kept-content.ts'

/** A result in which references stand for the bytes of its files. */
export interface KeptResult {
  readonly value: unknown
  /** In the order in which they stand in the result, each once. */
  readonly files: readonly KeptFile[]
  readonly blobs: readonly Blob[]
}

/** A result without files is returned as it is. */
export function keptResult(value: unknown): KeptResult {
  const made = new Map<object, KeptFile>()
  const blobs: Blob[] = []
  const copy = replaced(value, new Set(), (part) => {
    const known = made.get(part)
    if (known !== undefined) return known
    const kept = keptFile(part)
    made.set(part, kept.file)
    blobs.push(...kept.blobs)
    return kept.file
  })
  return { value: copy, files: [...made.values()], blobs }
}

type Keep = (part: Parameters<typeof keptFile>[0]) => KeptFile

/** `above`: the objects that this one is in. One that contains itself is left: to write it as JSON is refused later. */
function replaced(value: unknown, above: Set<object>, keep: Keep): unknown {
  if (typeof value !== 'object' || value === null || above.has(value)) return value
  if (isMadeFile(value)) return keep(value)
  if (!Array.isArray(value) && !isPlain(value)) return value
  above.add(value)
  const copy = Array.isArray(value) ? inArray(value, above, keep) : inFields(value, above, keep)
  above.delete(value)
  return copy
}

function inArray(items: readonly unknown[], above: Set<object>, keep: Keep): readonly unknown[] {
  const copy = items.map((item) => replaced(item, above, keep))
  return copy.some((item, index) => item !== items[index]) ? copy : items
}

function inFields(value: object, above: Set<object>, keep: Keep): object {
  const changed = Object.entries(value).flatMap(([name, part]): [string, unknown][] => {
    const copy = replaced(part, above, keep)
    return copy === part ? [] : [[name, copy]]
  })
  return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) }
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
