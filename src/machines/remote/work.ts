/** The work of an agent that another system serves, as pure functions: its task there, and the questions of its server. */
import { below } from '../../actors/actor-path.ts'
import { textAlone, withFiles, filesOf, type Content } from '../../actors/content/content.ts'
import type { EffectInput, EffectOutcome } from '../../actors/effects/effect-kinds.ts'
import {
  taskTool,
  type PersonsAnswer,
  type RemoteAnswer,
  type RemoteQuestion,
  type RemoteTask,
} from '../../actors/remote/remote-effects.ts'
import type { JsonValue } from '../../actors/values/json.ts'
import { noUsage } from '../../actors/usage.ts'
import type { ErrorData } from '../../errors.ts'
import { answerPayload } from '../contract/answers.ts'
import { taskPosition } from '../contract/conversation.ts'
import { event, type MachineEvent } from '../contract/events.ts'
import type { LoopContext, PendingCall } from '../loop/changes/context.ts'

export interface RemoteWork {
  /** Messages to the server so far. */
  readonly sent: number
  /** Set once the server has named it. */
  readonly task: RemoteTask | undefined
  /** The server has nothing to do any more. */
  readonly isOver: boolean
  /** A process has ended while this message was under way. */
  readonly isAgain: boolean
  /** The agent ends while its first message is under way. */
  readonly isCalledOff: boolean
  /** The question that is asked, or was asked last. */
  readonly question: RemoteQuestion | undefined
  /** The answer that is on its way to the server, or was the last to reach it. */
  readonly answer: PersonsAnswer | undefined
}

export type RemoteContext = LoopContext<RemoteWork>

export interface InRemote {
  readonly context: RemoteContext
}

export interface Change {
  readonly change: Partial<RemoteContext>
  readonly events: readonly MachineEvent[]
}

export const firstWork: RemoteWork = {
  sent: 0,
  task: undefined,
  isOver: false,
  isAgain: false,
  isCalledOff: false,
  question: undefined,
  answer: undefined,
}

/** Milliseconds after which a request that waits for a task ends, and another one is made. */
const wait = 60_000

const taskChild = 'task:1'

/** The task becomes a call of the step. */
export function openTask(context: RemoteContext): Change {
  const args = { prompt: textAlone(outgoing(context)) }
  return opened(context, { child: taskChild, call: { id: taskChild, name: taskTool, args } })
}

function opened(context: RemoteContext, pending: PendingCall): Change {
  const { child, call } = pending
  const { name: toolName, args } = call
  const calls = [...context.calls, pending]
  return {
    change: { calls, started: calls.length },
    events: [event('tool-call', { toolCallId: below(context.input.path, child), toolName, args })],
  }
}

/** A question becomes a call of the step, under the name that the server gives its subject. */
export function openQuestion(context: RemoteContext, question: RemoteQuestion): Change {
  const child = `question:${context.calls.length}`
  const { toolName, args } = question
  const { change, events } = opened(context, { child, call: { id: child, name: toolName, args } })
  const asked = { toolCallId: below(context.input.path, child), toolName }
  const asks =
    question.type === 'approval'
      ? event('tool-call-approval', { ...asked, args })
      : event('tool-call-suspended', { ...asked, suspendPayload: question.payload ?? null })
  return {
    change: { ...change, work: { ...context.work, question, answer: undefined } },
    events: [...events, asks],
  }
}

/** The question to a person. */
export function signalInput(context: RemoteContext): EffectInput<'signal'> {
  const { type = 'suspension', toolName = '', args = null, payload } = context.work.question ?? {}
  return {
    id: below(context.input.path, lastCall(context).child),
    type,
    agent: context.input.profile.id,
    toolName,
    args,
    ...(payload === undefined ? {} : { payload }),
  }
}

/** The question whether a message that may have been sent before is to be sent. It is one about the call of the task. */
export function doubtInput(context: RemoteContext): EffectInput<'signal'> {
  return {
    id: below(context.input.path, taskChild),
    type: 'interruption',
    agent: context.input.profile.id,
    toolName: taskTool,
    args: context.calls.find(({ child }) => child === taskChild)?.call.args ?? null,
  }
}

export function doubt(context: RemoteContext): MachineEvent {
  const suspendPayload = { interrupted: true, restored: true }
  return event('tool-call-suspended', { ...namedCall(context, taskChild), suspendPayload })
}

export function verdict(context: RemoteContext, answer: EffectOutcome<'signal'>): MachineEvent {
  return event('tool-call-answered', {
    ...namedCall(context, taskChild),
    ...answerPayload('interruption', answer),
  })
}

/** Records the answer of a person, and ends the call of the question. */
export function answerQuestion(context: RemoteContext, outcome: EffectOutcome<'signal'>): Change {
  const { child, call } = lastCall(context)
  const { approved, reason, note, data, by, answerId, always } = outcome
  const named = { toolCallId: below(context.input.path, child), toolName: call.name }
  const words = {
    ...(reason === undefined ? {} : { reason }),
    ...(note === undefined ? {} : { note }),
    ...(data === undefined ? {} : { data }),
  }
  const answered = event('tool-call-answered', {
    ...named,
    type: context.work.question?.type ?? 'suspension',
    approved,
    ...words,
    ...(by === undefined ? {} : { by }),
    ...(answerId === undefined ? {} : { answerId }),
    ...(always === undefined ? {} : { always }),
  })
  const settled = approved
    ? succeeded(context, child, data ?? { approved })
    : failed(context, child, 'denied', { name: 'DeniedError', code: 'DENIED', message: reason ?? 'Denied.' })
  return {
    change: { ...settled.change, work: { ...context.work, answer: { approved, ...words } } },
    events: [answered, ...settled.events],
  }
}

/** The task has its answer: its call ends. */
export function closeTask(context: RemoteContext): Change {
  const { task } = context.work
  const value: JsonValue = task === undefined ? {} : { taskId: task.id, contextId: task.contextId }
  const { change, events } = succeeded(context, taskChild, value)
  return { change: { ...change, work: { ...context.work, isOver: true } }, events }
}

/** The agent ends: the calls that are still open end with it. */
export function closeOpenCalls(context: RemoteContext): Change {
  const { ending } = context
  const outcome = ending.outcome === 'failed' ? 'failed' : 'cancelled'
  let change: Partial<RemoteContext> = {}
  const events: MachineEvent[] = []
  for (const { child } of openCalls(context)) {
    const closed = failed({ ...context, ...change }, child, outcome, ending.error)
    change = { ...change, ...closed.change }
    events.push(...closed.events)
  }
  return { change, events }
}

function openCalls({ calls, settled }: RemoteContext): readonly PendingCall[] {
  const ended = new Set(settled.toArray().map(({ child }) => child))
  return calls.filter(({ child }) => !ended.has(child))
}

function lastCall({ calls }: RemoteContext): PendingCall {
  return calls.at(-1) as PendingCall // a question is open
}

function succeeded(context: RemoteContext, child: string, value: JsonValue): Change {
  const named = namedCall(context, child)
  const result = { id: named.toolCallId, name: named.toolName, outcome: 'succeeded', value }
  return {
    change: { settled: context.settled.append({ child, result, content: JSON.stringify(value) }) },
    events: [event('tool-result', { ...named, result: value })],
  }
}

function failed(
  context: RemoteContext,
  child: string,
  outcome: 'failed' | 'denied' | 'cancelled',
  error: ErrorData | undefined,
): Change {
  const named = namedCall(context, child)
  const told = error === undefined ? {} : { error }
  const result = { id: named.toolCallId, name: named.toolName, outcome, ...told }
  return {
    change: { settled: context.settled.append({ child, result, content: outcome }) },
    events: [event('tool-error', { ...named, outcome, ...told })],
  }
}

function namedCall({ calls, input }: RemoteContext, child: string) {
  const name = calls.find((pending) => pending.child === child)?.call.name ?? taskTool
  return { toolCallId: below(input.path, child), toolName: name }
}

/** The instructions for this task, where there are any, and the task. The conversation before it stays here. */
function outgoing({ messages }: RemoteContext): Content {
  const all = messages.toArray()
  const system = all.flatMap((message) => (message.role === 'system' ? message.content : []))
  const task = all[taskPosition(all)]?.content ?? ''
  if (system.length === 0) return task
  return withFiles([...system, textAlone(task)].join('\n\n'), filesOf(task))
}

function names({ input, work }: RemoteContext) {
  const { profile, runId, origin = runId, threadId = origin } = input
  return { agent: profile.id, message: `m${work.sent}`, thread: threadId }
}

/** The message that is sent now: the task, or the answer to a question of its server. */
export function messageInput(context: RemoteContext): EffectInput<'remote'> {
  const { task, question, answer, isAgain } = context.work
  const named = { ...names(context), ...(isAgain ? { isAgain: true as const } : {}) }
  if (task === undefined || question === undefined || answer === undefined)
    return { operation: 'send', ...named, content: outgoing(context) }
  return { operation: 'answer', ...named, task, question, answer }
}

export function findInput(context: RemoteContext): EffectInput<'remote'> {
  const { task } = context.work
  return { operation: 'find', ...names(context), ...(task === undefined ? {} : { task }) }
}

export function followInput(context: RemoteContext): EffectInput<'remote'> {
  const { input, work } = context
  const { profile } = input
  return {
    operation: 'follow',
    agent: profile.id,
    task: taskOf(context),
    callId: below(input.path, taskChild),
    wait,
    ...(work.question === undefined ? {} : { answered: work.question.id }),
    // What a processor may hold back is not shown before it is checked.
    ...(profile.hooks.processOutput === undefined ? {} : { isQuiet: true as const }),
  }
}

export function cancelInput(context: RemoteContext): EffectInput<'remote'> {
  return { operation: 'cancel', agent: context.input.profile.id, task: taskOf(context) }
}

function taskOf({ work }: RemoteContext): RemoteTask {
  return work.task as RemoteTask // its states follow a message that has arrived
}

/** The answer as a reply, for the states that take replies of models. An answer of a requested shape is its data. */
export function replyOf({ input }: RemoteContext, { text, object, files }: RemoteAnswer) {
  const isShaped = input.profile.responseFormat !== undefined && object !== undefined
  return {
    text: isShaped ? JSON.stringify(object) : text,
    ...(files === undefined || files.length === 0 ? {} : { files }),
    toolCalls: [],
    finishReason: 'stop' as const,
    usage: noUsage,
  }
}
