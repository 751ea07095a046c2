/** Hands a message to the run of its task: as answers to its questions, or as something that is said to it. */
import { type AwaitedSignal, ConfigurationError, type RunSignal, SignalError } from '../../index.ts'
import { cannotGoOn, toErrorData } from '../../kit/index.ts'
import type { Task } from '@a2a-js/sdk'
import { contentOf } from '../messages/prompt.ts'
import { questionAlone, signalsOf } from '../messages/questions.ts'
import type { A2aTroupe } from '../tasks/troupe.ts'
import type { TaskCall } from './options.ts'
import { isAsked } from '../tasks/task-state.ts'

export type Delivery =
  | { readonly type: 'taken' }
  /** The questions were answered before, by another person or program. */
  | { readonly type: 'late' }
  /** The message answers none of the open questions. `code`: of the error for which its answers were refused. */
  | { readonly type: 'noAnswer'; readonly open: readonly AwaitedSignal[]; readonly code?: string }
  /** The run does not take the message. */
  | { readonly type: 'refused'; readonly code: string }

export interface Sent {
  readonly call: TaskCall
  readonly task: Task
  /** The person or program that sends it. */
  readonly by: string | undefined
}

/** Rejects where the message could not be delivered. It may be sent again: what was taken is not taken twice. */
export async function deliver(troupe: A2aTroupe, { call, task, by }: Sent): Promise<Delivery> {
  const { taskId: runId, userMessage } = call
  const open = await openQuestions(troupe, runId)
  const signals = signalsOf(open, userMessage, isAsked(task))
  if (signals.length > 0) return answer(troupe, runId, signals.map(signed(by, userMessage.messageId)))
  if (isAsked(task)) return open.length > 0 ? { type: 'noAnswer', open } : { type: 'late' }
  return say(troupe, call, by)
}

async function answer(troupe: A2aTroupe, runId: string, signals: readonly RunSignal[]): Promise<Delivery> {
  const refusals: SignalError[] = []
  for (const signal of signals) {
    try {
      await troupe.signal(runId, signal)
    } catch (error) {
      if (!(error instanceof SignalError)) throw error
      refusals.push(error)
    }
  }
  const [refusal] = refusals
  if (refusal === undefined || refusals.length < signals.length) return { type: 'taken' }
  const open = await openQuestions(troupe, runId)
  const isOpen = refusals.some(({ id }) => open.some(({ toolCallId }) => toolCallId === id))
  return isOpen ? { type: 'noAnswer', open, code: refusal.code } : { type: 'late' }
}

async function say(
  troupe: A2aTroupe,
  { taskId, userMessage }: TaskCall,
  by: string | undefined,
): Promise<Delivery> {
  try {
    const message = contentOf(userMessage)
    await troupe.signal(taskId, {
      type: 'say',
      message,
      id: userMessage.messageId,
      ...(by === undefined ? {} : { by }),
    })
    return { type: 'taken' }
  } catch (error) {
    const { code } = toErrorData(error)
    if (cannotGoOn(error)) throw error
    const isRefused = error instanceof SignalError || error instanceof ConfigurationError
    if (isRefused || code === 'MESSAGE_EMPTY') return { type: 'refused', code }
    throw error
  }
}

function signed(by: string | undefined, answerId: string): (signal: RunSignal) => RunSignal {
  return (signal) => ({ ...signal, answerId, ...(by === undefined ? {} : { by }) }) as RunSignal
}

async function openQuestions(troupe: A2aTroupe, runId: string): Promise<readonly AwaitedSignal[]> {
  const { items } = await troupe.awaiting({ runId })
  return items.map(questionAlone)
}
