/** Pictures for tests, and agents that see them. */
import { file, type Content, type FilePart, type JournalEntry, type Part } from 'troupe'
import { base64Of } from '../../../src/actors/content/base64.ts'
import { sha256 } from '../../../src/actors/values/sha256.ts'

/** Bytes that are no text. */
export const bytes = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 255, 128, 10)
export const data = base64Of(bytes)
export const ref = sha256(bytes)

export const other = Uint8Array.of(1, 2, 3)

export const chart = file(bytes, 'image/png', { name: 'chart.png' })

/** A prompt of a text and files. */
export function prompt(text: string, ...files: readonly FilePart[]) {
  return [{ role: 'user' as const, content: [{ type: 'text' as const, text }, ...files] }]
}

/** The files in a content, and `[]` for a text. */
export function filesIn(content: Content | undefined): readonly FilePart[] {
  return typeof content === 'object' ? content.filter((part: Part) => part.type === 'file') : []
}

/** Whether any entry holds the bytes. */
export function holdsBytes(journal: readonly JournalEntry[]): boolean {
  return JSON.stringify(journal).includes(data)
}
