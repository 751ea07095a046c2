/** Turns the answer of a caller into the signal that the journal records. */
import type { EffectOutcome } from '../../../actors/effects/effect-kinds.ts'
import type { JsonValue } from '../../../actors/values/json.ts'
import { toJsonValue } from '../../../actors/values/to-json.ts'
import type { Signal } from '../../journal/journal.ts'
import type { RunSignal } from '../../handle/run.ts'

export interface SignalAnswer {
  readonly id: string
  readonly verb: 'approve' | 'deny' | 'resume'
  readonly data: JsonValue | undefined
  /** It holds for the rest of the run. */
  readonly always: boolean
  /** As the journal records it, by the effect key of the question. */
  readonly entry: (key: string) => Extract<Signal, { readonly type: 'answer' }>
}

type AnswerSignal = Exclude<RunSignal, { readonly type: 'cancel' | 'say' }>

export function answerOf(signal: AnswerSignal): SignalAnswer {
  const { toolCallId: id, type: verb, by, note, answerId } = signal
  const outcome = outcomeOf(signal)
  const always = signal.type !== 'resume' && signal.always === true
  const said = {
    ...(by === undefined ? {} : { by }),
    ...(note === undefined ? {} : { note }),
    ...(answerId === undefined ? {} : { answerId }),
    ...(always ? { always: true as const } : {}),
  }
  return {
    id,
    verb,
    data: outcome.data,
    always,
    entry: (key) => ({ type: 'answer', key, id, answer: outcome, ...said }),
  }
}

/** The answer as its actor receives it, with the facts that the entry has beside it. */
export function deliveredAnswer({
  answer,
  by,
  note,
  answerId,
  always,
}: Extract<Signal, { readonly type: 'answer' }>): EffectOutcome<'signal'> {
  return {
    ...answer,
    ...(by === undefined ? {} : { by }),
    ...(note === undefined ? {} : { note }),
    ...(answerId === undefined ? {} : { answerId }),
    ...(always === undefined ? {} : { always }),
  }
}

function outcomeOf(signal: AnswerSignal): EffectOutcome<'signal'> {
  switch (signal.type) {
    case 'approve':
      return {
        approved: true,
        ...(signal.args === undefined
          ? {}
          : { args: toJsonValue(signal.args, 'The arguments of approve()', { root: 'args' }) }),
      }
    case 'deny':
      return { approved: false, ...(signal.reason === undefined ? {} : { reason: signal.reason }) }
    case 'resume':
      return { approved: true, data: toJsonValue(signal.data, 'The data of resume()', { root: 'data' }) }
  }
}
