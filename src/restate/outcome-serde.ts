/**
 * What a step came to, on its way into Restate's journal. Restate takes no message beyond a size, and would have a step
 * that came to more done again and again: here that is an error of the effect, which the statechart weighs.
 */
import { serde, type Serde } from '@restatedev/restate-sdk'
import type { PerformedEffect } from './wire.ts'

/** Bytes of JSON. Restate's own limit is 32 MiB a message; an outcome is kept twice, and results hold several. */
const largest = 8 * 1024 * 1024

export const outcomeSerde: Serde<PerformedEffect> = {
  contentType: 'application/json',
  serialize(performed) {
    const bytes = serde.json.serialize(performed)
    return bytes.length > largest ? serde.json.serialize(tooLarge(performed, bytes.length)) : bytes
  },
  deserialize: (bytes) => serde.json.deserialize(bytes) as PerformedEffect,
}

function tooLarge({ at, digest }: PerformedEffect, size: number): PerformedEffect {
  const message = `The outcome has ${size} bytes as JSON, and on Restate it may have ${largest}. Keep it elsewhere, and give where it is.`
  return { at, digest, settlement: { error: { name: 'TerminalError', code: 'OUTCOME_TOO_LARGE', message } } }
}
