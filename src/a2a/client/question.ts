/** A question of another system as one of the run, and the answer of a person as parts of a message. */
import type { JsonValue } from '../../index.ts'
import { isRecord, toJsonValue } from '../../kit/index.ts'
import type { PersonsAnswer, RemoteQuestion } from '../../kit/host.ts'
import type { Part, Task } from '@a2a-js/sdk'
import { TaskState } from '@a2a-js/sdk'
import { dataPart, textPart } from '../messages/parts.ts'
import { textsIn } from './texts.ts'

/**
 * A question of an agent of another system: the payload in `awaiting` and in the event `tool-call-suspended`. Answer it with
 * `run.resume(toolCallId, answer)`: a text, or data.
 */
export interface A2aQuestion {
  /** Tells the question from the payloads of tools. */
  readonly type: 'a2a-question'
  /** The words of the other agent. */
  readonly text: string
  /** The data beside them. */
  readonly data?: JsonValue
  /** The task that asks. */
  readonly taskId: string
  /** The other agent waits until it is given a right elsewhere. */
  readonly isAuthRequired?: true
}

/** The question that a task waits with. An agent of a troupe names its calls: an approval of such a call is one here. */
export function questionOf(task: Task): RemoteQuestion {
  const { status, id: taskId } = task
  const parts = status?.message?.parts ?? []
  const data = parts.flatMap(({ content }) => (content?.$case === 'data' ? [dataOf(content.value)] : []))
  const id = status?.message?.messageId || status?.timestamp || taskId
  const asked = data.flatMap(callsIn)[0]
  if (asked !== undefined) return { id, ...asked }
  const payload: A2aQuestion = {
    type: 'a2a-question',
    text: textsIn(parts).join('\n'),
    ...(data[0] === undefined ? {} : { data: data[0] }),
    taskId,
    ...(status?.state === TaskState.TASK_STATE_AUTH_REQUIRED ? { isAuthRequired: true as const } : {}),
  }
  return { id, type: 'suspension', toolName: 'a2a-question', args: {}, payload: { ...payload } }
}

function dataOf(value: unknown): JsonValue {
  return toJsonValue(value, 'The data of the question')
}

/** The first of the calls that wait: the others are asked about after it. */
function callsIn(data: JsonValue): readonly Omit<RemoteQuestion, 'id'>[] {
  const list = isRecord(data) ? data['questions'] : undefined
  const [first] = Array.isArray(list) ? (list as readonly unknown[]) : []
  if (!isRecord(first)) return []
  const { type, toolCallId: ref, toolName, args, payload } = first
  if (typeof ref !== 'string' || typeof toolName !== 'string') return []
  const call = { ref, toolName, args: (args ?? null) as JsonValue }
  switch (type) {
    case 'approval':
      return [{ ...call, type }]
    case 'suspension':
      return [{ ...call, type, payload: (payload ?? null) as JsonValue }]
    case 'interruption':
      return [{ ...call, type: 'suspension', payload: { type: 'a2a-interruption' } }]
    default:
      return []
  }
}

/** The answer as the other agent reads it. */
export function answerParts(question: RemoteQuestion, answer: PersonsAnswer): Part[] {
  const { ref: toolCallId, type, payload } = question
  const { approved, reason, note, data = null } = answer
  if (toolCallId === undefined) return [typeof data === 'string' ? textPart(data) : dataPart(data)]
  const noted = { toolCallId, ...(note === undefined ? {} : { note }) }
  if (type === 'approval')
    return [dataPart({ ...noted, approve: approved, ...(reason === undefined ? {} : { reason }) })]
  const isInterruption = isRecord(payload) && payload['type'] === 'a2a-interruption'
  return [dataPart({ ...noted, ...(isInterruption && isRecord(data) ? data : { data }) })]
}
