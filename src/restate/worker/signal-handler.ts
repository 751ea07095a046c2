/** Handles a signal to a run: it is checked against the open questions there, and delivered. */
import type { WorkflowSharedContext } from '@restatedev/restate-sdk'
import { SignalError, toErrorData } from '../../errors.ts'
import { alreadyAnswered } from '../../runtime/state/signals/answers-first.ts'
import { answerOf } from '../../runtime/state/signals/signal-answer.ts'
import { OpenSignals, type OpenSignalsData } from '../../runtime/state/signals/open-signals.ts'
import type { RunSignal } from '../../runtime/handle/run.ts'
import { RunAgentParts } from '../../runtime/agents/run-parts.ts'
import { registryOf } from '../../runtime/agents/run-registry.ts'
import { hookTimeoutOf } from '../../runtime/definition/profile.ts'
import { lookUp, type AgentRegistry } from '../../runtime/definition/registry.ts'
import { assertArgumentsFit, changesArguments } from '../../runtime/state/signals/changed-arguments.ts'
import { startedOf } from '../../runtime/journal/journal.ts'
import { sayEntry, withId, type Say } from '../../runtime/run/saying.ts'
import { sayTo } from './workflow-inbox.ts'
import { assertRequest } from '../wire/payload-limits.ts'
import { isRefused } from '../wire/terminal-errors.ts'
import { names, type KeptTurn, type QuestionEnd, type Said, type Tell, type Told } from '../wire/wire.ts'

/** Returns the refusal of a signal as data, in place of a `SignalError`. */
export async function tellWorkflow(
  context: WorkflowSharedContext,
  told: Tell,
  registry: AgentRegistry,
): Promise<Told> {
  assertRequest('What the run is told', context.request().body.length)
  try {
    return await take(context, told, registry)
  } catch (error) {
    if (error instanceof SignalError) return { refused: toErrorData(error) }
    throw error
  }
}

async function take(
  context: WorkflowSharedContext,
  { at, signal }: Tell,
  registry: AgentRegistry,
): Promise<Told> {
  if (signal.type === 'say') return say(context, at, signal)
  if (signal.type === 'trace') return pass(context, { at, signal })
  if (signal.type !== 'cancel') return { answered: await answer(context, at, signal, registry) }
  const { reason, delegationId, by } = signal
  const signed = by === undefined ? {} : { by }
  if (delegationId === undefined) {
    // A run that is being cancelled is not cancelled again.
    await resolveOnce(context, names.cancel, {
      at,
      signal: { type: 'cancel', reason: reason ?? 'cancelled', ...signed },
    })
    return null
  }
  return pass(context, { at, signal: { type: 'cancel', reason, delegationId, ...signed } })
}

/** Returns the key of the question. */
async function answer(
  context: WorkflowSharedContext,
  at: number,
  signal: Exclude<RunSignal, { type: 'cancel' | 'say' }>,
  registry: AgentRegistry,
): Promise<string> {
  const { id, verb, data, always, entry } = answerOf(signal)
  const open = await context.get<OpenSignalsData>(names.signals)
  const signals = open === null ? new OpenSignals() : OpenSignals.of(open)
  if (changesArguments(signal)) await assertFit(context, signal, signals, registry)
  const key = signals.claim(id, verb, data, always)
  const said: Said = { at, signal: entry(key) }
  const name = names.answer(key)
  if (await resolveOnce(context, name, said)) return key
  const end = await context.promise<QuestionEnd>(name).peek()
  if (end === undefined || !('closed' in end)) throw alreadyAnswered(id)
  throw new SignalError('SIGNAL_TOO_LATE', id, `Cannot ${verb} "${id}": its call has ended.`)
}

/** Rejects with a `SignalError` for changed arguments that do not fit the call. */
async function assertFit(
  context: WorkflowSharedContext,
  signal: Parameters<typeof assertArgumentsFit>[0],
  signals: OpenSignals,
  agents: AgentRegistry,
): Promise<void> {
  const first = await context.get<KeptTurn>(names.turn(0))
  if (first === null) return // the claim refuses the answer
  const started = startedOf(first.entries)
  const registry = registryOf(agents, started)
  const parts = new RunAgentParts({ registry, started })
  await assertArgumentsFit(signal, {
    signals,
    agentParts: parts,
    timeout: (id) => hookTimeoutOf(lookUp(registry, id).settings, started.settings),
  })
}

/** Sends a message to the workflow: its journal says whether the agent has taken it. */
async function say(context: WorkflowSharedContext, at: number, given: Say): Promise<Told> {
  const first = await context.get<KeptTurn>(names.turn(0))
  if (first?.invocation === undefined) return { isTooEarly: true }
  const say = withId(given, () => context.rand.uuidv4())
  sayTo(context, first.invocation, { at, signal: sayEntry(say) })
  return { said: say.id }
}

/** Passes a signal on. `isTooEarly`: readers know the first delegations of a subagent before it has begun. */
async function pass(context: WorkflowSharedContext, said: Said): Promise<Told> {
  const first = await context.get<KeptTurn>(names.turn(0))
  if (first?.invocation === undefined) return { isTooEarly: true }
  sayTo(context, first.invocation, said)
  return null
}

/** Resolves a durable promise. Returns whether this call was the first to do so. */
async function resolveOnce(context: WorkflowSharedContext, name: string, said: Said): Promise<boolean> {
  try {
    await context.promise<Said>(name).resolve(said)
    return true
  } catch (error) {
    if (isRefused(error)) return false
    throw error
  }
}
