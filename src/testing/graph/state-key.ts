/** The key by which two states are told apart, if the options give none. */
import type { AnyMachineSnapshot } from 'xstate'
import { AppendLog } from '../../actors/values/append-log.ts'
import { atOnce } from '../../runtime/user-function.ts'
import type { GraphOptions, StateKey } from './graph-options.ts'

/** The key of the options, or the default. */
export function keyIn({ stateKey }: GraphOptions): StateKey {
  if (stateKey === undefined) return defaultKey
  return (snapshot, live) => atOnce('stateKey of the options', stateKey(snapshot, live))
}

/** Fields that are lists count by their length, other objects by their presence. */
export function defaultKey(snapshot: AnyMachineSnapshot, live: readonly string[]): string {
  const context = snapshot.context as Record<string, unknown>
  const plain = Object.entries(context).map(([name, value]) => [name, summary(value)])
  return JSON.stringify([snapshot.value, snapshot.status, live, plain])
}

function summary(value: unknown): unknown {
  if (Array.isArray(value) || value instanceof AppendLog) return value.length
  if (typeof value === 'object' && value !== null) return 'object'
  return hasOwnText(value) ? value : [String(value)]
}

/** JSON writes `null` for `NaN`, infinities and symbols, and has no bigint. */
function hasOwnText(value: unknown): boolean {
  return typeof value === 'number' ? Number.isFinite(value) : !['bigint', 'symbol'].includes(typeof value)
}
