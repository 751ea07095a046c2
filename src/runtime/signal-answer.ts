/** From what a person said to what the journal records of it. */
import type { EffectOutcome } from '../actors/effect-kinds.ts'
import { toJsonValue, type JsonValue } from '../actors/json.ts'
import { unknownKeyOf, unknownKeyText } from '../actors/known-keys.ts'
import { SignalError, toErrorData } from '../errors.ts'
import type { Signal } from './journal.ts'
import { answerFields, type RunSignal } from './run.ts'

export interface SignalAnswer {
  readonly id: string
  readonly verb: 'approve' | 'deny' | 'resume'
  readonly data: JsonValue | undefined
  /** As the journal records it, by the effect key of the question. */
  readonly entry: (key: string) => Extract<Signal, { readonly type: 'answer' }>
}

type AnswerSignal = Exclude<RunSignal, { readonly type: 'cancel' }>

/** Throws a `SignalError` with the code `INVALID_SIGNAL` for data that JSON cannot hold. */
export function answerOf(signal: AnswerSignal): SignalAnswer {
  const { toolCallId: id, type: verb, by, note } = signal
  const outcome = outcomeOf(signal)
  const said = { ...(by === undefined ? {} : { by }), ...(note === undefined ? {} : { note }) }
  return {
    id,
    verb,
    data: outcome.data,
    entry: (key) => ({ type: 'answer', key, id, answer: outcome, ...said }),
  }
}

function outcomeOf(signal: AnswerSignal): EffectOutcome<'signal'> {
  switch (signal.type) {
    case 'approve':
      return { approved: true }
    case 'deny':
      return { approved: false, ...(signal.reason === undefined ? {} : { reason: signal.reason }) }
    case 'resume':
      return { approved: true, data: dataOf(signal) }
  }
}

function dataOf({ data, toolCallId }: Extract<AnswerSignal, { readonly type: 'resume' }>): JsonValue {
  try {
    return toJsonValue(data, 'The data of resume()')
  } catch (error) {
    throw invalid(toolCallId, `resume: ${toErrorData(error).message}`)
  }
}

const fields = {
  approve: ['type', 'toolCallId', ...answerFields],
  deny: ['type', 'toolCallId', 'reason', ...answerFields],
  resume: ['type', 'toolCallId', 'data', ...answerFields],
  cancel: ['type', 'reason', 'delegationId'],
} as const satisfies Readonly<Record<RunSignal['type'], readonly string[]>>

/** A signal as it came from outside, field by field. Throws a `SignalError` with the code `INVALID_SIGNAL`. */
export function readSignal(given: RunSignal): RunSignal {
  const signal: unknown = given
  if (typeof signal !== 'object' || signal === null || Array.isArray(signal)) {
    throw invalid('', `a signal must be an object like { type: 'approve', toolCallId }.`)
  }
  const type: unknown = Reflect.get(signal, 'type')
  if (typeof type !== 'string' || !isType(type)) {
    throw invalid(
      '',
      `the type of a signal must be one of ${Object.keys(fields).join(', ')}, not ${show(type)}.`,
    )
  }
  const id = textOf(type, signal, type === 'cancel' ? 'delegationId' : 'toolCallId')
  if (type !== 'cancel' && (id === undefined || id === '')) {
    throw invalid('', `${type}: toolCallId must be the id of a tool call, not ${show(id)}.`)
  }
  const unknown = unknownKeyOf(signal, fields[type])
  if (unknown !== undefined) {
    throw invalid(id ?? '', `${type}: ${unknownKeyText(unknown, fields[type], 'field')}`)
  }
  for (const name of ['reason', 'by', 'note']) textOf(type, signal, name)
  for (const name of ['args', 'always']) {
    if (Reflect.get(signal, name) !== undefined) {
      throw invalid(id ?? '', `${type}: "${name}" is reserved and cannot be given yet.`)
    }
  }
  return given
}

function isType(type: string): type is RunSignal['type'] {
  return Object.hasOwn(fields, type)
}

function textOf(type: string, signal: object, name: string): string | undefined {
  const value: unknown = Reflect.get(signal, name)
  if (value === undefined || typeof value === 'string') return value
  throw invalid('', `${type}: ${name} must be a text, not ${show(value)}.`)
}

function show(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : value === null ? 'null' : typeof value
}

export function invalid(id: string, message: string): SignalError {
  return new SignalError('INVALID_SIGNAL', id, message)
}
