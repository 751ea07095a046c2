/** Checks the arguments with which a person approves a call, before the answer is taken. */
import { delegationPrefix } from '../../../actors/strict/ids.ts'
import { toJsonValue } from '../../../actors/values/to-json.ts'
import { SignalError, toErrorData } from '../../../errors.ts'
import { filesProblem } from '../../../machines/delegation/changed-arguments.ts'
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
  const given = toJsonValue(args, 'The arguments of approve()', { root: 'args' })
  const check = async () => {
    const { toolset } = await agentParts.of(agent)
    return toolset.checkLater({ name: toolName, args: given })
  }
  const found = await inTime({ clock }, timeout(agent), `The input schema of "${toolName}"`, check).catch(
    (thrown: unknown) => ({ status: 'invalid' as const, problem: toErrorData(thrown).message }),
  )
  const problem = found.status === 'invalid' ? found.problem : filesOfDelegation(toolName, asked, given)
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
  if (toolset?.tools.has(question.toolName) !== true) return entry
  const call = { id, name: question.toolName, args: answer.args }
  const verdict = toolset.verdictOn(call)
  return { ...entry, signal: { ...entry.signal, answer: { ...answer, verdict } } }
}

function filesOfDelegation(toolName: string, ...args: Parameters<typeof filesProblem>): string | undefined {
  return toolName.startsWith(delegationPrefix) ? filesProblem(...args) : undefined
}
