/**
 * The key of an agent at work. Calls of a step are a set: those that are alike but for their places are
 * interchangeable. Ended calls and delegations count by their outcomes.
 */
import type { LoopContext, PendingCall } from '../../../machines/loop/changes/context.ts'
import type { BackgroundChild } from '../../../machines/loop/changes/live.ts'
import { charactersOf } from '../../../actors/messages/size.ts'
import { filesOf } from '../../../actors/content/content.ts'
import { isRecord, type JsonValue } from '../../../actors/values/json.ts'
import { isChild, lastId } from '../../../actors/actor-path.ts'
import { holdsFiles, taskPosition } from '../../../machines/contract/conversation.ts'
import { isBroken } from '../../../machines/completion/context.ts'
import type { AgentOutput, ScoringRecord } from '../../../machines/contract/records.ts'
import { forgetful } from './forgetful.ts'
import type { StateView } from './view.ts'

/** `children`: the keys of the live children, by id. */
export function loopKey(
  context: LoopContext,
  children: ReadonlyMap<string, string>,
  view: StateView,
): string {
  const { input, messages, calls, started, live, settled, ledger, background, reply, bail, ...others } =
    context
  const outcomes = new Map(
    settled
      .toArray()
      .map(({ child, result, content, feedback }) => [
        child,
        view.texts ? [result.outcome, content, feedback] : [result.outcome, feedback !== undefined],
      ]),
  )
  const isSized = input.profile.compaction !== undefined // the sizes of its messages decide something
  const sizes = isSized ? messages.toArray().map(charactersOf) : []
  const files = filesKey(context)
  const texts = view.texts ? [messages.digest, ledger.steps.digest, reply] : []
  const keyOf = (call: PendingCall): string =>
    JSON.stringify([
      labelOf(call, input.profile.toolset.subagent(call.call.name)?.id, view),
      live.find(({ child }) => child === call.child)?.state,
      outcomes.get(call.child),
      children.get(call.child),
    ])
  const inBackground = background.live.map((one) =>
    JSON.stringify([taskOf(context, one, view), one.state, children.get(one.child)]),
  )
  const own = new Set([...calls, ...background.live].map(({ child }) => child))
  const rest = [...children].filter(([id]) => !own.has(id))
  return [
    JSON.stringify([
      input.maxSteps,
      input.depth,
      input.profile.toolState,
      input.profile.toolset.digest,
      input.task,
    ]),
    calls.slice(0, started).map(keyOf).toSorted().join(),
    calls.slice(started).map(keyOf).join(),
    inBackground.toSorted().join(),
    background.queue.map((call) => labelOf(call, undefined, view)).join(),
    String(background.notices.length > 0),
    background.sayings.length === 0 ? '' : String(background.sayings.length),
    reply === undefined
      ? ''
      : JSON.stringify([reply.finishReason, reply.text.trim() === '', reply.toolCalls.length]),
    bail === undefined ? '' : view.groupOf(bail.by),
    delegationsKey(ledger.delegations.toArray(), view),
    JSON.stringify(ledger.scores.map(scoresKey)),
    forgetful(others, view),
    JSON.stringify(texts),
    JSON.stringify(sizes),
    JSON.stringify(files),
    rest
      .map(([id, key]) => `${id}=${key}`)
      .toSorted()
      .join(),
  ].join('|')
}

/**
 * The names of the files in the task, and in each message that is shared with subagents. The tools that are on offer, and
 * the files that the model may hand on, follow from them.
 */
function filesKey({ messages, input }: LoopContext): readonly (readonly string[])[] {
  if (!holdsFiles(messages)) return []
  const all = messages.toArray()
  const { maxMessages } = input.profile.delegation
  const reached = [...all.slice(taskPosition(all)).slice(0, 1), ...all.slice(-maxMessages)]
  return [['files'], ...reached.map(({ content }) => filesOf(content).map(({ name = '' }) => name))]
}

/** An ended scoring by its outcome and the scorers that are not asked again. */
function scoresKey({ outcome, results }: ScoringRecord): readonly string[] {
  return [outcome, ...results.flatMap((result) => (isBroken(result) ? [result.id] : []))]
}

/** Ended delegations by agent and outcome, in no order. How a subagent ended before a bail, a function alone reads. */
export function delegationsKey(delegations: AgentOutput['delegations'], view: StateView): string {
  return delegations
    .map(({ agent, outcome, subagentOutcome }) => {
      const own = view.texts ? subagentOutcome : undefined
      return `${view.groupOf(agent)}:${outcome}${own === undefined ? '' : `:${own}`}`
    })
    .toSorted()
    .join()
}

/** The subagent of a delegation in the background, or the name of a tool. */
function taskOf({ input }: LoopContext, { child, key }: BackgroundChild, view: StateView): string {
  if (!isChild(child, 'delegation')) return `tool ${key}`
  return view.groupOf(input.profile.toolset.subagents.get(key)?.id ?? key)
}

/** Of the arguments of interchangeable agents, the files that are handed on. */
function filesAsked(args: JsonValue): JsonValue {
  return isRecord(args) ? (args['files'] ?? null) : null
}

/** Calls with equal labels differ in their places alone. */
function labelOf(
  { call, child, isTask, toolGroups }: PendingCall,
  subagent: string | undefined,
  view: StateView,
): string {
  const name = subagent === undefined ? call.name : view.groupOf(subagent)
  const isGrouped = subagent !== undefined && name !== subagent
  const args = isGrouped ? filesAsked(call.args) : call.args
  return JSON.stringify([name, args, call.malformed, isTask, toolGroups, lastId(child).split(':')[0]])
}
