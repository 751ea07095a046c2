/**
 * Delegations in the background: the model reads at once that they have begun, goes on, and reads their results in a
 * later prompt. No step waits for them.
 */
import { below, isChild } from '../../../actors/actor-path.ts'
import type { Message } from '../../../actors/message.ts'
import type { BackgroundProfile } from '../../contract/profile.ts'
import type { DelegationOutput } from '../../contract/reports.ts'
import {
  type LoopChange,
  isNone,
  type Background,
  type LoopContext,
  type PendingCall,
  type SettledCall,
} from './context.ts'
import { countDelegation, feedbackMessage, noticeMessage, without } from './record.ts'

/** The background options for the subagent of a call; `undefined`: it does not run in the background. */
export function backgroundOf(
  context: LoopContext,
  { child, call }: PendingCall,
): BackgroundProfile | undefined {
  if (!isChild(child, 'delegation')) return undefined
  const key = keyOf(call.name)
  const { background } = context.input.profile
  return Object.hasOwn(background, key) ? background[key] : undefined
}

export function keyOf(toolName: string): string {
  return toolName.slice('agent-'.length)
}

/** All delegations in the background are asked to end. Those that wait for a place are dropped. */
export function endBackground({ background }: LoopContext): Pick<LoopContext, 'background'> {
  return { background: { ...background, queue: [], isEnding: true } }
}

export function isBackground({ background }: LoopContext, child: string): boolean {
  return background.live[child] !== undefined
}

/** A background task, as events name it. */
export function backgroundTask({ input, background }: LoopContext, child: string, key?: string) {
  return { taskId: below(input.path, child), agentName: key ?? background.keys[child] ?? '' }
}

/** Whether a delegation is at work, or waits for a place, in the background. */
export function hasBackground({ background }: LoopContext): boolean {
  return background.queue.length > 0 || !isNone(background.live)
}

/** Waiting calls that find a place now, in their order. A held delegation has given up its place. */
function nextInBackground(context: LoopContext): PendingCall[] {
  if (context.bail !== undefined || context.ending.outcome === 'stopped') return []
  const running = new Map<string, number>()
  const { live, keys } = context.background
  for (const child of Object.keys(live)) {
    const key = live[child] === 'running' ? keys[child] : undefined
    if (key !== undefined) running.set(key, (running.get(key) ?? 0) + 1)
  }
  return context.background.queue.filter((pending) => {
    const key = keyOf(pending.call.name)
    const count = running.get(key) ?? 0
    if (count >= (backgroundOf(context, pending)?.concurrency ?? 1)) return false
    running.set(key, count + 1)
    return true
  })
}

/** Delegations that begin in the background now, and the change by which they do. */
export function beginInBackground(context: LoopContext): {
  readonly begun: readonly BackgroundStart[]
  readonly change: Pick<LoopContext, 'background'>
} {
  const { background } = context
  const begun = nextInBackground(context).map((pending) => ({ pending, key: keyOf(pending.call.name) }))
  const live = { ...background.live }
  const keys = { ...background.keys }
  for (const { pending, key } of begun) {
    live[pending.child] = 'running'
    keys[pending.child] = key
  }
  const queue = background.queue.filter(({ child }) => live[child] === undefined)
  return { begun, change: { background: { ...background, queue, live, keys } } }
}

interface BackgroundStart {
  readonly pending: PendingCall
  readonly key: string
}

/** The result that the model reads for a call in the background. */
export function begun(context: LoopContext, { child, call }: PendingCall): SettledCall {
  const id = below(context.input.path, child)
  return {
    child,
    result: { id, name: call.name, outcome: 'background' },
    content: JSON.stringify({
      status: 'running in the background',
      task: id,
      note: 'Go on; you will be told when it has ended.',
    }),
  }
}

/** Records the end of a delegation in the background, with a notice for the next prompt. */
export function recordBackgroundReport(
  context: LoopContext,
  child: string,
  report: DelegationOutput,
): LoopChange {
  const notices = [noticeOf(context, child, report.record.outcome, report.content)]
  if (report.feedback) notices.push(feedbackMessage(report.feedback))
  const counted = countDelegation(context, report)
  const bail = isEnded(context) ? context.bail : counted.bail
  return { ...counted, bail, background: ended(context, child, notices) }
}

/** The agent has another ending, for which the delegations were asked to end: a bail comes too late. */
function isEnded({ background, ending }: LoopContext): boolean {
  return background.isEnding && ending.outcome !== 'exhausted' && ending.outcome !== 'bailed'
}

export function recordBackgroundCrash(context: LoopContext, child: string): LoopChange {
  return { background: ended(context, child, [noticeOf(context, child, 'failed', 'The call failed.')]) }
}

function ended({ background }: LoopContext, child: string, notices: readonly Message[]): Background {
  return {
    ...background,
    live: without(background.live, child),
    notices: [...background.notices, ...notices],
  }
}

function noticeOf(
  { input, background }: LoopContext,
  child: string,
  outcome: string,
  content: string,
): Message {
  return noticeMessage(
    `The background task "${input.path}/${child}" of the agent "${background.keys[child]}" has ended (${outcome}): ${content}`,
  )
}

/** Asks for the final answer, after the notices from the background. */
export function askForFinalAnswer(context: LoopContext): LoopChange {
  const { messages = context.messages, ...change } = addBackgroundNotices(context)
  const notice = 'This is your last turn and no tools are available. Give the best answer that you can now.'
  return { ...change, messages: messages.append(noticeMessage(notice)) }
}

/** Moves the notices from the background into the next prompt. */
export function addBackgroundNotices({ messages, background }: LoopContext): LoopChange {
  if (background.notices.length === 0) return {}
  return { messages: messages.append(...background.notices), background: { ...background, notices: [] } }
}
