/**
 * Tool calls and delegations in the background: the model reads at once that they have begun, goes on, and reads their
 * results in a later prompt. No step waits for them.
 */
import { below, isChild } from '../../../actors/actor-path.ts'
import { filesOf, textAlone, withFiles, type Content } from '../../../actors/content/content.ts'
import type { JudgedCall, Message, ToolCall } from '../../../actors/message.ts'
import type { BackgroundPayload } from '../../contract/events.ts'
import type { BackgroundProfile } from '../../contract/profile.ts'
import type { BackgroundOutput } from '../../contract/reports.ts'
import type { LoopChange, Background, LoopContext, PendingCall, SettledCall } from './context.ts'
import { liveChild, withoutChild } from './live.ts'
import { countDelegation, feedbackMessage, noticeMessage, withMade } from './record.ts'

/** The background options for a call; `undefined`: a step waits for it. */
export function backgroundOf(
  context: LoopContext,
  { child, call }: PendingCall,
): BackgroundProfile | undefined {
  if (isChild(child, 'delegation')) return backgroundOfDelegation(context, call)
  return isChild(child, 'call') ? backgroundOfTool(context, call) : undefined
}

/** The options for a subagent stand over those that it has by its tools. */
function backgroundOfDelegation({ input }: LoopContext, { name }: ToolCall): BackgroundProfile | undefined {
  const { background, toolset, runsBackground } = input.profile
  const key = keyOf(name)
  if (Object.hasOwn(background, key)) return background[key] ?? undefined
  return runsBackground === true ? toolset.subagent(name)?.background : undefined
}

/** An invalid call fails at once, as a step of it. */
function backgroundOfTool({ input }: LoopContext, call: JudgedCall): BackgroundProfile | undefined {
  const { toolset, runsBackground } = input.profile
  if (runsBackground !== true || input.awaitsTools === true) return undefined
  const background = toolset.tools.get(call.name)?.background
  return background === undefined || toolset.check(call).status === 'invalid' ? undefined : background
}

export function keyOf(toolName: string): string {
  return toolName.slice('agent-'.length)
}

/** The key of the subagent, or the name of the tool. */
function nameOf({ child, call }: PendingCall): string {
  return isChild(child, 'delegation') ? keyOf(call.name) : call.name
}

/** All work in the background is asked to end. Calls that wait for a place are dropped. */
export function endBackground({ background }: LoopContext): Pick<LoopContext, 'background'> {
  return { background: { ...background, queue: [], isEnding: true } }
}

export function isBackground({ background }: LoopContext, child: string): boolean {
  return liveChild(background.live, child) !== undefined
}

/** A background task, as events name it. */
export function backgroundTask(
  { input, background }: LoopContext,
  child: string,
  key?: string,
): BackgroundPayload {
  const name = key ?? liveChild(background.live, child)?.key ?? ''
  const taskId = below(input.path, child)
  return isChild(child, 'delegation') ? { taskId, agentName: name } : { taskId, toolName: name }
}

/** Whether a call is at work, or waits for a place, in the background. */
export function hasBackground({ background }: LoopContext): boolean {
  return background.queue.length + background.live.length > 0
}

/** Waiting calls that find a place now, in their order. A held one has given up its place. */
function nextInBackground(context: LoopContext): PendingCall[] {
  if (context.bail !== undefined || context.ending.outcome === 'stopped') return []
  const running = new Map<string, number>()
  for (const { child, state, key } of context.background.live) {
    if (state === 'held') continue
    const group = groupOf(child, key)
    running.set(group, (running.get(group) ?? 0) + 1)
  }
  return context.background.queue.filter((pending) => {
    const group = groupOf(pending.child, nameOf(pending))
    const count = running.get(group) ?? 0
    if (count >= placesOf(context, pending)) return false
    running.set(group, count + 1)
    return true
  })
}

/** A tool and a subagent may have the same name. */
function groupOf(child: string, name: string): string {
  return isChild(child, 'delegation') ? `agent-${name}` : `tool-${name}`
}

/** The tool of a call that waits may be off offer by now, as the tool state has changed. */
function placesOf(context: LoopContext, { child, call }: PendingCall): number {
  const background = isChild(child, 'delegation')
    ? backgroundOfDelegation(context, call)
    : context.input.profile.toolset.whole.tools.get(call.name)?.background
  return background?.concurrency ?? 1
}

/** Calls that begin in the background now, and the change by which they do. */
export function beginInBackground(context: LoopContext): {
  readonly begun: readonly BackgroundStart[]
  readonly change: Pick<LoopContext, 'background'>
} {
  const { background } = context
  const begun = nextInBackground(context).map((pending) => ({ pending, key: nameOf(pending) }))
  const children = begun.map(({ pending, key }) => ({ child: pending.child, state: 'running', key }) as const)
  const started = new Set(children.map(({ child }) => child))
  const queue = background.queue.filter(({ child }) => !started.has(child))
  return { begun, change: { background: { ...background, queue, live: [...background.live, ...children] } } }
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

/** Records the end of a call in the background, with a notice for the next prompt. */
export function recordBackgroundReport(
  context: LoopContext,
  child: string,
  report: BackgroundOutput,
): LoopChange {
  if (report.kind === 'tool') {
    return {
      ledger: withMade(context.ledger, report),
      background: ended(context, child, [noticeOf(context, child, report.outcome, report.content)]),
    }
  }
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
    live: withoutChild(background.live, child),
    notices: [...background.notices, ...notices],
  }
}

function noticeOf(
  { input, background }: LoopContext,
  child: string,
  outcome: string,
  content: Content,
): Message {
  const kind = isChild(child, 'delegation') ? 'agent' : 'tool'
  const task = `The background task "${input.path}/${child}" of the ${kind} "${liveChild(background.live, child)?.key}"`
  return noticeMessage(withFiles(`${task} has ended (${outcome}): ${textAlone(content)}`, filesOf(content)))
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
