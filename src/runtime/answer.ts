/** From what a person said to what the journal records of it. */
import { toJsonValue, type JsonValue } from '../actors/json.ts'
import type { EffectOutcome } from '../actors/effect-kinds.ts'
import type { RunSignal } from './run.ts'

export interface Answer {
  readonly id: string
  readonly verb: 'approve' | 'deny' | 'resume'
  readonly data: JsonValue | undefined
  readonly outcome: EffectOutcome<'signal'>
}

export function answerOf(signal: Exclude<RunSignal, { type: 'cancel' }>): Answer {
  const { toolCallId: id, type: verb } = signal
  switch (signal.type) {
    case 'approve':
      return { id, verb, data: undefined, outcome: { approved: true } }
    case 'deny': {
      const { reason } = signal
      return {
        id,
        verb,
        data: undefined,
        outcome: { approved: false, ...(reason === undefined ? {} : { reason }) },
      }
    }
    case 'resume': {
      const data = toJsonValue(signal.data, 'The data of resume()', { root: 'data' })
      return { id, verb, data, outcome: { approved: true, data } }
    }
  }
}
