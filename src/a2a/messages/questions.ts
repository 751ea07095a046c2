/** The questions of a suspended run as a message, and the reply of the other agent as signals. */
import type { AwaitedSignal, RunSignal, AnswerPayload, ToolCallPayload } from '../../index.ts'
import { asksAboutPlan, isRecord, toJsonValue } from '../../kit/index.ts'
import type { Message, Part } from '@a2a-js/sdk'
import { dataPart, textPart } from './parts.ts'

/** The question without its place in the index. */
export function questionAlone(given: AwaitedSignal): AwaitedSignal {
  const { toolCallId, type, agent, toolName, args, payload } = given
  return { toolCallId, type, agent, toolName, args, ...(payload === undefined ? {} : { payload }) }
}

/** A text for people, and the questions as data: `{ questions: [{ toolCallId, type, agent, toolName, args, payload }] }`. */
export function questionParts(awaiting: readonly AwaitedSignal[]): Part[] {
  return [
    textPart(awaiting.map(sentenceOf).join('\n')),
    dataPart({ questions: awaiting.map((awaited) => ({ ...awaited })) }),
  ]
}

function sentenceOf({ toolCallId, type, agent, toolName, args, payload }: AwaitedSignal): string {
  if (asksAboutPlan(toolCallId))
    return `The agent "${agent}" has made the plan ${JSON.stringify(args)}. May it be carried out? Answer yes or no.`
  const call = `${toolName} ${JSON.stringify(args)}`
  switch (type) {
    case 'approval':
      return `The agent "${agent}" wants to call ${call}. May it? Answer yes or no.`
    case 'suspension':
      return `The call ${call} of the agent "${agent}" asks: ${typeof payload === 'string' ? payload : JSON.stringify(payload ?? null)}`
    case 'interruption':
      return `The call ${call} of the agent "${agent}" was interrupted, and may have been carried out. Answer with data: { "retry": true } or { "result": … }.`
  }
}

/** The parts of a reply that gives this answer: a text where it is one, else data as `signalsOf` reads them. */
export function answeredParts({
  toolCallId,
  type,
  approved,
  note,
  reason,
  args,
  data = null,
}: ToolCallPayload & AnswerPayload): Part[] {
  if (type === 'suspension' && typeof data === 'string' && note === undefined) return [textPart(data)]
  const noted = { toolCallId, ...(note === undefined ? {} : { note }) }
  switch (type) {
    case 'approval':
      return [
        dataPart({
          ...noted,
          approve: approved,
          ...(reason === undefined ? {} : { reason }),
          ...(args === undefined ? {} : { args }),
        }),
      ]
    case 'suspension':
      return [dataPart({ ...noted, data })]
    case 'interruption':
      return [dataPart({ ...noted, ...(isRecord(data) ? data : { result: data }) })]
  }
}

/**
 * The answers in a reply: parts of data of the form `{ toolCallId, approve, args, reason, note, data, retry, result }`, where
 * `toolCallId` may be left out while one question is open, or else a text for the one question. A client that was not asked
 * answers by `toolCallId` alone. Questions without an answer stay open.
 */
export function signalsOf(
  awaiting: readonly AwaitedSignal[],
  { parts }: Message,
  isAsked: boolean,
): readonly RunSignal[] {
  const given = parts.flatMap(({ content }) =>
    content?.$case === 'data' && isRecord(content.value) ? [content.value] : [],
  )
  const [only] = isAsked && awaiting.length === 1 ? awaiting : []
  if (given.length === 0) {
    const text = parts.flatMap(({ content }) => (content?.$case === 'text' ? content.value : [])).join('\n')
    return only === undefined ? [] : list(signalOfText(only, text.trim()))
  }
  return given.flatMap((answer) => {
    const { toolCallId = only?.toolCallId } = answer
    const asked = awaiting.find((awaited) => awaited.toolCallId === toolCallId)
    return asked === undefined ? [] : list(signalOfData(asked, answer))
  })
}

function list(signal: RunSignal | undefined): readonly RunSignal[] {
  return signal === undefined ? [] : [signal]
}

function signalOfText({ type, toolCallId }: AwaitedSignal, text: string): RunSignal | undefined {
  switch (type) {
    case 'approval':
      if (/^yes\b[.!]?$/i.test(text)) return { type: 'approve', toolCallId }
      if (/^no\b[.!]?$/i.test(text)) return { type: 'deny', toolCallId }
      return undefined
    case 'suspension':
      return text === '' ? undefined : { type: 'resume', toolCallId, data: text }
    case 'interruption':
      return undefined
  }
}

type Given = Readonly<Record<string, unknown>>

function signalOfData({ type, toolCallId }: AwaitedSignal, given: Given): RunSignal | undefined {
  const { approve, reason, args, note, data, retry, result } = given
  const noted = { toolCallId, ...(typeof note === 'string' ? { note } : {}) }
  switch (type) {
    case 'approval':
      if (approve === true) {
        const changed = args === undefined ? {} : { args: toJsonValue(args, 'The arguments of the answer') }
        return { type: 'approve', ...noted, ...changed }
      }
      if (approve !== false) return undefined
      return { type: 'deny', ...noted, ...(typeof reason === 'string' ? { reason } : {}) }
    case 'suspension':
      if (data === undefined) return undefined
      return { type: 'resume', ...noted, data: toJsonValue(data, 'The data of the answer') }
    case 'interruption':
      if (retry === true) return { type: 'resume', ...noted, data: { retry } }
      if (result === undefined) return undefined
      return { type: 'resume', ...noted, data: { result: toJsonValue(result, 'The result') } }
  }
}
