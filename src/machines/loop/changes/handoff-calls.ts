/** The handoff calls of a model, and the conversation that goes with them, as pure functions. */
import { below } from '../../../actors/actor-path.ts'
import { handoffArgsSchema } from '../../../actors/handoff-tools.ts'
import type { JudgedCall, Message } from '../../../actors/message.ts'
import type { Toolset } from '../../../actors/toolset/toolset.ts'
import type { ErrorData } from '../../../errors.ts'
import type { AgentInput } from '../../contract/agent.ts'
import { sharedHistory, taskPosition } from '../../contract/conversation.ts'
import type { HandoffChain, HandoffShape } from '../../contract/handoff-chain.ts'
import type { HandoffRecord } from '../../contract/records.ts'
import {
  waitingSayings,
  isHandoff,
  type HandoffEnding,
  type LoopContext,
  type PendingCall,
  type SettledCall,
} from './context.ts'

/** Whether a call is a handoff; an invalid one is a failed call like any other. */
export function isHandoffCall(toolset: Toolset, call: JudgedCall): boolean {
  return toolset.successor(call.name) !== undefined && toolset.check(call).status === 'valid'
}

/** The chain has reached its cap of handoffs. */
export function isAtHandoffCap(input: AgentInput): boolean {
  const { handoffs = 0, resumed } = input.opening.line ?? {}
  return handoffs - (resumed === true ? 1 : 0) >= maxHandoffs(input)
}

/** The first agent's cap holds for the chain; a later agent may lower it. Default: 5. */
function maxHandoffs({ profile, opening }: AgentInput): number {
  const own = profile.handoffs?.max
  const inherited = opening.line?.maxHandoffs
  return Math.min(own ?? inherited ?? 5, inherited ?? Number.POSITIVE_INFINITY)
}

/** Settles the handoff calls: below the cap the first one succeeds, and all others fail. */
export function settledHandoffs(input: AgentInput, calls: readonly PendingCall[]): readonly SettledCall[] {
  return calls.filter(isHandoff).map((pending, index) => settledHandoff(input, pending, index === 0))
}

function settledHandoff(input: AgentInput, { child, call }: PendingCall, isFirst: boolean): SettledCall {
  const { id: to } = input.profile.toolset.successor(call.name) ?? { id: call.name }
  const common = { id: below(input.path, child), name: call.name }
  const error = isAtHandoffCap(input) ? atCap(maxHandoffs(input)) : isFirst ? undefined : overtaken
  if (error === undefined) {
    return {
      child,
      result: { ...common, outcome: 'handedOff', value: to },
      content: JSON.stringify({ handedOffTo: to }),
    }
  }
  return {
    child,
    result: { ...common, outcome: 'failed', error },
    content: JSON.stringify({ error: error.message }),
  }
}

function atCap(cap: number): ErrorData {
  const message = `No further handoff is allowed: ${cap} may follow one another.`
  return { name: 'HandoffError', code: 'MAX_HANDOFFS', message }
}

const overtaken: ErrorData = {
  name: 'HandoffError',
  code: 'HANDOFF_OVERTAKEN',
  message: 'Another call of the same reply has handed the conversation on.',
}

/** The handoff of this step, or the one that a thread goes on with. */
export function handoffRecord({ calls, input }: LoopContext): HandoffRecord {
  if (input.holder !== undefined) return { from: input.profile.id, to: input.holder, resumed: true }
  const { call } = calls.find(isHandoff) as PendingCall // `handsOff` has checked it
  const successor = input.profile.toolset.successor(call.name)
  const agents = { from: input.profile.id, to: successor?.id ?? call.name }
  if (successor?.parameters !== undefined) return { ...agents, input: input.profile.toolset.inputOf(call) }
  const { reason } = handoffArgsSchema().parse(call.args)
  return { ...agents, ...(reason ? { reason } : {}) }
}

/** The history for the successor: as for a subagent, but always with the task. */
export function handoffHistory({ input, messages }: LoopContext): Message[] {
  const { delegation } = input.profile
  const shared = sharedHistory(messages, { ...delegation, includeConversationHistory: true }, 'kept')
  const task = taskOf(messages.toArray())
  if (task === undefined || shared.includes(task)) return shared
  return [task, ...shared.slice(shared.length - delegation.maxMessages + 1)]
}

/** The user's prompt alone: the history where a filter has failed and hook errors are ignored. */
export function taskAlone({ messages }: LoopContext): Message[] {
  const task = taskOf(messages.toArray())
  return task === undefined ? [] : [task]
}

function taskOf(messages: readonly Message[]): Message | undefined {
  return messages[taskPosition(messages)]
}

/** The ending of an agent that hands off; `history` goes to the successor. */
export function handoffEnding(context: LoopContext, history: readonly Message[]): HandoffEnding {
  const { input } = context
  const { profile, opening, task } = input
  const record = handoffRecord(context)
  const sayings = waitingSayings(context.background)
  return {
    outcome: 'handedOff',
    handoff: {
      record,
      task,
      history,
      maxDepth: profile.maxDepth,
      ...(profile.toolGroups === undefined ? {} : { toolGroups: profile.toolGroups }),
      ...(input.threadId === undefined ? {} : { threadId: input.threadId }),
      line: {
        handoffs: (opening.line?.handoffs ?? 0) + 1,
        maxHandoffs: maxHandoffs(input),
        ...resumedOf(input),
        ...(recordsHolder(input) ? { keep: true as const } : {}),
        ...noticeOf(context, record),
        ...shapeOf(input),
        ...(sayings.length === 0 ? {} : { sayings }),
        ...filterOf(input),
        ...(profile.memory === undefined ? {} : { remembers: true }),
      },
    },
  }
}

/** The first agent of the chain keeps its handoffs. */
export function recordsHolder({ profile, opening }: AgentInput): boolean {
  return opening.line === undefined ? profile.handoffs?.keep === true : opening.line.keep === true
}

/** Whether the first handoff of the chain was none of a model. */
function resumedOf({ holder, opening }: AgentInput): Pick<HandoffChain, 'resumed'> {
  return holder !== undefined || opening.line?.resumed === true ? { resumed: true } : {}
}

/** The successor reads who has handed it the conversation. In a thread that is with it already it reads the prompt. */
function noticeOf(
  { calls }: LoopContext,
  { from, reason, input, resumed }: HandoffRecord,
): Pick<HandoffChain, 'notice'> {
  if (resumed === true) return {}
  const handedOn = `The agent "${from}" has handed this conversation to you: go on with it in its place.`
  if (input !== undefined) return { notice: `${handedOn}\nIts input: ${JSON.stringify(input)}` }
  const { call } = calls.find(isHandoff) as PendingCall
  const { prompt } = handoffArgsSchema().parse(call.args)
  const lines = [
    handedOn,
    ...(reason === undefined ? [] : [`Its reason: ${reason}`]),
    ...(prompt ? [prompt] : []),
  ]
  return { notice: lines.join('\n') }
}

/** The response format of the first agent holds for all agents of the chain. */
function shapeOf({ profile, opening }: AgentInput): Pick<HandoffChain, 'shape'> {
  const { responseFormat: format, hooks, id: agent } = profile
  if (opening.line !== undefined) return opening.line.shape === undefined ? {} : { shape: opening.line.shape }
  if (format === undefined) return {}
  const shape: HandoffShape = { format, scope: hooks.validateObject ?? 'agent', agent }
  return { shape }
}

/** The filter of the run holds for all agents of the chain that have none of their own. */
function filterOf({ profile, opening }: AgentInput): Pick<HandoffChain, 'filter'> {
  const filter = opening.line?.filter ?? profile.hooks.handoffFilter
  return filter === 'run' ? { filter } : {}
}
