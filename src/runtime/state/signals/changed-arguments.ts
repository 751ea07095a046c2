/** Checks the arguments with which a person approves a call, before the answer is taken. */
import { asksAboutPlan } from '../../../actors/actor-path.ts'
import type { EffectInput } from '../../../actors/effects/effect-kinds.ts'
import { delegationPrefix } from '../../../actors/strict/ids.ts'
import type { JsonValue } from '../../../actors/values/json.ts'
import { toJsonValue } from '../../../actors/values/to-json.ts'
import { SignalError, toErrorData } from '../../../errors.ts'
import { filesProblem } from '../../../machines/delegation/changed-arguments.ts'
import {
  callsOfPlan,
  factsIn,
  problemOfFinished,
  problemOfPlan,
  type PlanFacts,
} from '../../../machines/plan-then-execute/plan-approval.ts'
import type { Toolset } from '../../../actors/toolset/toolset.ts'
import { systemClock, type Clock } from '../../clock.ts'
import type { AgentPartsOf } from '../../definition/definition.ts'
import type { Registry } from '../../definition/registry.ts'
import type { RunSignal } from '../../handle/run.ts'
import { inTime } from '../../in-time.ts'
import type { JournalEntry } from '../../journal/journal.ts'
import type { OpenSignals } from './open-signals.ts'

type Change = Extract<RunSignal, { readonly type: 'approve' }> & { readonly args: unknown }

export interface ArgumentsCheck {
  readonly signals: Pick<OpenSignals, 'questionOf'>
  readonly agentParts: AgentPartsOf
  /** Milliseconds that functions of the user may take: those that make the tools, and the schema. */
  readonly timeout: (agentId: string) => number
  /** Default: the clock of the system. */
  readonly clock?: Clock
}

export function changesArguments(signal: RunSignal): signal is Change {
  return signal.type === 'approve' && signal.args !== undefined
}

/** Rejects with a `SignalError` for arguments that do not fit. The claim of the question refuses an unknown one. */
export async function assertArgumentsFit(
  { toolCallId, args }: Change,
  { signals, agentParts, timeout, clock = systemClock }: ArgumentsCheck,
): Promise<void> {
  const question = signals.questionOf(toolCallId)
  if (question?.type !== 'approval') return
  const { agent, toolName, args: asked } = question
  const plan = planAsked(question)
  const given = toJsonValue(args, 'The arguments of approve()', { root: 'args' })
  const check = async (): Promise<string | undefined> => {
    const { toolset } = await agentParts.of(agent)
    if (plan !== undefined) return problemOfFinished(given, asked, plan) ?? problemOf(given, plan, toolset)
    const found = await toolset.checkLater({ name: toolName, args: given })
    return found.status === 'invalid' ? found.problem : filesOfDelegation(toolName, asked, given)
  }
  const problem = await inTime({ clock }, timeout(agent), `The input schema of "${toolName}"`, check).catch(
    (thrown: unknown) => toErrorData(thrown).message,
  )
  if (problem === undefined) return
  const message = `Cannot approve "${toolCallId}" with these arguments: ${problem}`
  throw new SignalError('SIGNAL_ARGS_INVALID', toolCallId, message)
}

/**
 * The entry of an answer with the verdict on the arguments that a person has changed: an edit of a schema does not change the
 * fate of the call. Tools that functions of the run make are checked by an effect.
 */
export function withVerdict(
  entry: JournalEntry,
  signals: Pick<OpenSignals, 'questionOf'>,
  registry: Registry,
): JournalEntry {
  if (entry.type !== 'signal.received' || entry.signal.type !== 'answer') return entry
  const { id, answer } = entry.signal
  const question = signals.questionOf(id)
  if (answer.args === undefined || question?.type !== 'approval') return entry
  const toolset = registry.get(question.agent)?.toolset.whole
  const plan = planAsked(question)
  if (plan !== undefined && toolset !== undefined) {
    const verdicts = callsOfPlan(answer.args, plan, toolset).map((call) =>
      call === undefined || !toolset.tools.has(call.name) ? null : toolset.verdictOn(call),
    )
    return { ...entry, signal: { ...entry.signal, answer: { ...answer, verdicts } } }
  }
  if (toolset?.tools.has(question.toolName) !== true) return entry
  const call = { id, name: question.toolName, args: answer.args }
  const verdict = toolset.verdictOn(call)
  return { ...entry, signal: { ...entry.signal, answer: { ...answer, verdict } } }
}

/** The facts of a question about a plan; `undefined`: it is about a call. */
function planAsked({ id, payload }: EffectInput<'signal'>): PlanFacts | undefined {
  return asksAboutPlan(id) ? factsIn(payload) : undefined
}

/** The problem of a changed plan. Schemas that answer asynchronously are asked too. */
async function problemOf(given: JsonValue, facts: PlanFacts, toolset: Toolset): Promise<string | undefined> {
  const problem = problemOfPlan(given, { facts, toolset })
  if (problem !== undefined) return problem
  for (const call of callsOfPlan(given, facts, toolset)) {
    if (call === undefined || !toolset.tools.has(call.name)) continue
    const found = await toolset.checkLater(call)
    if (found.status === 'invalid') return `The call of "${call.name}": ${found.problem}`
  }
  return undefined
}

function filesOfDelegation(toolName: string, ...args: Parameters<typeof filesProblem>): string | undefined {
  return toolName.startsWith(delegationPrefix) ? filesProblem(...args) : undefined
}
