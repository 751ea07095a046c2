/** Values as texts: equal texts are equal values. Lists that grow are written by their digests. */
import type { AnyActorRef } from 'xstate'
import { Toolset } from '../../../actors/toolset/toolset.ts'
import { AppendLog } from '../../../actors/values/append-log.ts'
import { Derived } from '../../../actors/values/derived.ts'

/** The profile of an agent follows from its definition; `configure` changes the toolset, and tools the tool state. */
const variable: ReadonlySet<string> = new Set(['id', 'toolset', 'toolState', 'toolGroups', 'instructions'])

export interface AnySnapshot {
  readonly status: string
  readonly machine?: { readonly id: string }
  readonly value?: unknown
  readonly context?: unknown
  readonly output?: unknown
  readonly error?: unknown
  readonly children?: Readonly<Record<string, AnyActorRef | undefined>>
}

export function snapshotOf(actor: AnyActorRef): AnySnapshot {
  return actor.getSnapshot() as AnySnapshot
}

/** A value as JSON with sorted keys. Functions, derived parts and fields that are `undefined` are left out. */
export function written(value: unknown, field = ''): string {
  if (value instanceof AppendLog) return JSON.stringify([value.length, value.digest])
  if (value instanceof Toolset) return JSON.stringify(value.digest)
  if (Array.isArray(value)) return `[${value.map((item) => written(item)).join()}]`
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const isProfile = field === 'profile'
  const parts: string[] = []
  for (const name of Object.keys(value).toSorted()) {
    const part: unknown = Reflect.get(value, name)
    if (part === undefined || part instanceof Derived || typeof part === 'function') continue
    if (isProfile && !variable.has(name)) continue
    parts.push(`${JSON.stringify(name)}:${written(part, name)}`)
  }
  return `{${parts.join()}}`
}
