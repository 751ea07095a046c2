/**
 * What the definition of today asks of a model call that is not made yet, beyond what the run has on record: a lower cap on steps
 * refuses the call, and output processors that are new check its reply. Both are on record as the outcome of the call.
 */
import type { EffectInput, EffectOutcome } from '../../../actors/effects/effect-kinds.ts'
import { withoutData } from '../../../actors/messages/provider-data.ts'
import type { OutputProcessor } from '../../../actors/processor.ts'
import { deepFreeze } from '../../../actors/values/frozen.ts'
import { TerminalError, TroupeError } from '../../../errors.ts'
import type { AgentDefinition } from '../../definition/definition.ts'
import { stepCapOf } from '../../definition/profile.ts'
import { inTime } from '../../in-time.ts'
import type { PerformContext } from './context.ts'
import { checkedAnswer } from './processor-answer.ts'
import { askEach, newOf, wholeOf } from './processors.ts'

type ModelInput = EffectInput<'model'>

interface Strictest {
  readonly definition: AgentDefinition
  /** The output processors that are new, where no effect of the chart calls them. */
  readonly added: readonly OutputProcessor[]
}

/** Throws a `TroupeError` for a call beyond the cap of today. */
export function strictestOf(input: ModelInput, context: PerformContext): Strictest {
  const definition = context.definition(input.agent)
  if (definition.settingsToday === undefined) return { definition, added: [] }
  // What the caller gave to the run holds, whatever the definition says.
  const { given } = context
  const hasCap = given?.maxSteps !== undefined || given?.caps?.maxIterations !== undefined
  if (!hasCap) assertWithinCap(definition, definition.settingsToday, input)
  return { definition, added: given?.processors?.output === undefined ? addedTo(definition, input) : [] }
}

/** The last turn of an agent is made beyond its cap, as ever. A call of an earlier build names no step. */
function assertWithinCap(
  { id, pattern, settings }: AgentDefinition,
  today: AgentDefinition['settings'],
  { step = 0, finalTurn }: ModelInput,
): void {
  const cap = stepCapOf(pattern, today)
  if (finalTurn === true || step <= cap || cap >= stepCapOf(pattern, settings)) return
  const [code, option] =
    pattern === 'router'
      ? (['ITERATIONS_EXCEEDED', 'maxIterations'] as const)
      : (['STEPS_EXCEEDED', 'maxSteps'] as const)
  throw new TroupeError(
    code,
    `The agent "${id}" may take ${cap} steps by now (${option}), and this call is of step ${step}.`,
  )
}

/**
 * Those that no effect of the chart calls: where the run has processors of whole replies on record, the effect of the last one
 * calls the new ones too. A decision is no text of the agent, and no output processor checks it.
 */
function addedTo({ settings, options }: AgentDefinition, { quiet }: ModelInput): readonly OutputProcessor[] {
  const { output = [], stream = [] } = settings.processors ?? {}
  return quiet === true || output.length > 0 ? [] : newOf(options.outputProcessors ?? [], stream)
}

/** The reply after the processors that are new, with their failure or refusal. */
export async function checkedByNew(
  reply: EffectOutcome<'model'>,
  added: readonly OutputProcessor[],
  { agent, messages, step = 0, hookTimeout }: ModelInput,
  context: PerformContext,
): Promise<EffectOutcome<'model'>> {
  if (reply.screening !== undefined) return reply
  const shown = {
    runId: context.runId,
    agentId: agent,
    step,
    toolCalls: deepFreeze(reply.toolCalls.map(withoutData)),
    messages: messages.toArray(),
  }
  const { value, failure, tripwire } = await askEach(
    wholeOf(added),
    reply.text,
    async (processor, text, abort) =>
      checkedAnswer(
        'processOutput',
        processor.id,
        await inTime(context, hookTimeout, `processOutput of "${processor.id}"`, () =>
          processor.processOutput?.({ ...shown, text, abort }),
        ),
      ) ?? text,
    context,
  )
  if (failure === null && tripwire === null) return { ...reply, text: value }
  const failures = failure === null ? [] : [failure]
  return { ...reply, text: value, screening: { failures, ...(tripwire === null ? {} : { tripwire }) } }
}

/**
 * For a chart that has no state for a refusal, since its agent began without output processors: the call fails, and with it the
 * agent. Throws a `TerminalError` for a refusal, and for the failure of a processor.
 */
export function accepted({ screening, ...reply }: EffectOutcome<'model'>): EffectOutcome<'model'> {
  const [failure] = screening?.failures ?? []
  if (failure !== undefined) throw new TerminalError(failure.message, { code: failure.code })
  if (screening?.tripwire === undefined) return reply
  const { processor, reason } = screening.tripwire
  throw new TerminalError(`The processor "${processor}" refused: ${reason}`, { code: 'TRIPPED' })
}
