/**
 * The lines of an export. The first names the format, the last counts what there is. Between them are sections, each closed by a line
 * with the SHA-256 of its lines: a run with its entries and queued signals, a thread with its messages, a note, or a file. A file
 * comes before what names it. `docs/run/moving.md` describes each line.
 */
import type { JournalEntry, OpenQuestion, RunSignal, ThreadMessage } from '../index.ts'

export const formatName = 'troupe-export'
export const formatVersion = 1

export interface HeadLine {
  readonly format: typeof formatName
  readonly version: number
  /** Milliseconds since 1970. */
  readonly at: number
}

/** The facts of a run that its journal does not have. */
export interface RunLine {
  readonly run: string
  /** The number of the lines of entries, and of queued signals, that follow. */
  readonly entries: number
  readonly signals: number
  /** It waits for signals or timers alone. */
  readonly isSuspended?: true
  /** It has left the memory of its process, until `wakeAt` at the latest. */
  readonly isPassivated?: true
  readonly wakeAt?: number
  readonly awaiting: readonly OpenQuestion[]
  /** It was ended in the store that it comes from: it goes on where it is imported alone. */
  readonly isMoved?: true
}

export interface EntryLine {
  readonly entry: JournalEntry
}

export interface SignalLine {
  readonly signal: RunSignal
  /** The effect key of the held call that this answer has claimed. */
  readonly claim?: string
}

export interface ThreadLine {
  readonly thread: string
  readonly resourceId?: string
  readonly messages: number
}

export interface MessageLine {
  readonly message: ThreadMessage
}

export interface NoteLine {
  /** The resource. */
  readonly note: string
  readonly content: string
}

export interface BlobLine {
  /** Its SHA-256. */
  readonly blob: string
  /** Base64. */
  readonly bytes: string
}

export interface SealLine {
  /** The SHA-256 of the lines of the section, each with its line feed. */
  readonly sealed: string
}

/** How many sections of each kind there are. */
export interface Counts {
  readonly runs: number
  readonly threads: number
  readonly notes: number
  readonly blobs: number
}

export interface EndLine {
  readonly end: Counts
}

const encoder = /* @__PURE__ */ new TextEncoder()

/** In hexadecimal. */
export async function digestOf(text: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof text === 'string' ? encoder.encode(text) : text
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** A section as text, sealed. */
export async function sealed(lines: readonly object[]): Promise<string> {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  const seal: SealLine = { sealed: await digestOf(text) }
  return `${text}${JSON.stringify(seal)}\n`
}

export function base64Of(bytes: Uint8Array): string {
  let binary = ''
  const step = 32_768
  for (let at = 0; at < bytes.length; at += step)
    binary += String.fromCharCode(...bytes.subarray(at, at + step))
  return btoa(binary)
}

/** `undefined`: it is no base64. */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
