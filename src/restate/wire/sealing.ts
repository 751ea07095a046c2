/**
 * Payloads that are sealed before Restate has them: inputs, outcomes, turns, questions and answers. What its lists need stays
 * clear: usage, and the ids that a run was given, as names.
 */
import { serde, type JournalValueCodec, type Serde } from '@restatedev/restate-sdk'
import type { RunFacts } from './wire.ts'

/** What seals payloads: `restateSealing` of `troupe/sealed` makes it. */
export interface RestateSealing {
  /** Restate takes payloads at once: a codec that answers later is refused. The bytes are ASCII. */
  seal(bytes: Uint8Array): Uint8Array
  open(sealed: Uint8Array): Promise<Uint8Array>
  /** The name of an id of this kind. */
  nameOf(kind: 'resource' | 'thread' | 'conversation', id: string): string
  /** The id of a name; the name itself where it does not open. */
  idOf(kind: 'resource' | 'thread' | 'conversation', name: string): string
}

/** Begins bytes that stay clear. No JSON begins with it. */
const clearMark = 0

/** JSON that stays clear. */
export function clearJson<Value>(sealing: RestateSealing | undefined): Serde<Value> {
  if (sealing === undefined) return serde.json as Serde<Value>
  return {
    contentType: 'application/json',
    serialize: (value) => Uint8Array.of(clearMark, ...serde.json.serialize(value)),
    deserialize: (bytes) => serde.json.deserialize(bytes) as Value,
  }
}

/** The codec of the SDK. A payload that was never sealed does not open. */
export function codecOf(sealing: RestateSealing): JournalValueCodec {
  return {
    encode(bytes) {
      if (bytes.length === 0) return bytes
      return bytes[0] === clearMark ? bytes.subarray(1) : sealing.seal(bytes)
    },
    decode: async (bytes) => (bytes.length === 0 ? bytes : sealing.open(bytes)),
  }
}

const kinds = { threadId: 'thread', resourceId: 'resource', conversationId: 'conversation' } as const

/** The ids that a run was given, as names. */
export function namedFacts(sealing: RestateSealing | undefined, facts: RunFacts): RunFacts {
  return sealing === undefined ? facts : changed(facts, (kind, id) => sealing.nameOf(kind, id))
}

/** The ids of names. */
export function openedFacts(sealing: RestateSealing | undefined, facts: RunFacts): RunFacts {
  return sealing === undefined ? facts : changed(facts, (kind, name) => sealing.idOf(kind, name))
}

function changed(
  facts: RunFacts,
  change: (kind: (typeof kinds)[keyof typeof kinds], text: string) => string,
): RunFacts {
  const made = Object.entries(kinds).flatMap(([field, kind]) => {
    const text = facts[field as keyof typeof kinds]
    return text === undefined ? [] : [[field, change(kind, text)]]
  })
  return Object.fromEntries(made) as RunFacts
}

/** The text of a state of a workflow, as its worker set it. */
export async function openedState(sealing: RestateSealing | undefined, text: string): Promise<string> {
  if (sealing === undefined) return text
  return new TextDecoder().decode(await sealing.open(new TextEncoder().encode(text)))
}
