/**
 * Serializes the outcomes of steps and the reports of runs for Restate's journal, within size limits. Restate would
 * repeat a step with a larger outcome without end: here that is an error of the effect or of the subagent, which the
 * statechart handles.
 */
import { serde, type Serde } from '@restatedev/restate-sdk'
import { largest, outcomeTooLarge } from './payload-limits.ts'
import type { PerformedEffect, RunReport } from './wire.ts'

export const outcomeSerde: Serde<PerformedEffect> = bounded('outcome', ({ at, digest }, size) => ({
  at,
  digest,
  settlement: { error: outcomeTooLarge('The outcome', 'outcome', size) },
}))

export const reportSerde: Serde<RunReport> = bounded('report', ({ at, last }, size) => ({
  at,
  ...(last === undefined ? {} : { last }),
  excess: outcomeTooLarge('What the agent ended with', 'report', size),
}))

/** JSON that is encoded already. */
export const encodedJson: Serde<Uint8Array> = {
  contentType: 'application/json',
  serialize: (bytes) => bytes,
  deserialize: (bytes) => bytes,
}

function bounded<Value>(
  limit: 'outcome' | 'report',
  instead: (value: Value, size: number) => Value,
): Serde<Value> {
  return {
    contentType: 'application/json',
    serialize(value) {
      const bytes = serde.json.serialize(value)
      return bytes.length > largest[limit] ? serde.json.serialize(instead(value, bytes.length)) : bytes
    },
    deserialize: (bytes) => serde.json.deserialize(bytes) as Value,
  }
}
