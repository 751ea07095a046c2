/** The choices of one effect: its outcomes, the answers of people, its deadline, and its end when the run goes on without it. */
import { lastId, agentAt, parentPath } from '../../../actors/actor-path.ts'
import { isKind, type PendingEffect } from '../../../runtime/state/effects/pending-effect.ts'
import { answersTo, type PersonSays } from '../alphabet/people.ts'
import type { Choice, OfferedOutcome } from '../world/choice.ts'
import { lateEffects } from '../world/late-effects.ts'
import type { ControlledRun } from '../world/controlled-run.ts'

/** How the outside world may act against a run. */
export interface Adversary {
  readonly cancel: boolean
  readonly cancelDelegations: boolean
  /** `any`: in every order; `inOrder`: the earliest first; `never`: no timer ends. */
  readonly timers: 'any' | 'inOrder' | 'never'
  /** How many processes may end while a tool is at work. */
  readonly crashes: number
}

export interface ChoiceOptions {
  readonly people: readonly PersonSays[]
  /** The messages that a person says, in this order. */
  readonly messages: readonly string[]
  readonly adversary: Adversary
  /** The outcomes that a held effect may have. */
  readonly offerOf: (key: string, world: ControlledRun) => { readonly outcomes: readonly OfferedOutcome[] }
  /** Whether the deadline of an effect may pass. */
  readonly hasDeadline: (effect: PendingEffect) => boolean
}

export function effectChoices(
  effect: PendingEffect,
  world: ControlledRun,
  options: ChoiceOptions,
): readonly Choice[] {
  if (effect.state !== 'performing') return []
  if (isKind(effect, 'signal')) return answerChoices(effect, world, options)
  if (isKind(effect, 'timer')) {
    const mayFire = effect.pausedWith === undefined && effect.ring !== undefined
    if (!mayFire || !mayEnd(effect.dueAt, world, options)) return []
    const { key } = effect
    return [{ type: 'fire', key, label: `the timer ${lastId(key)} of ${whereOf(effect)} ends` }]
  }
  return [...outcomeChoices(effect, world, options), ...deadlineChoices(effect, world, options)]
}

/** The agent, tool or function that an outcome comes from. */
function subjectOf(effect: PendingEffect): string {
  const where = whereOf(effect)
  if (isKind(effect, 'model')) return `${where}:`
  if (isKind(effect, 'compaction')) return `the compaction of ${where}:`
  if (isKind(effect, 'tool')) return `${effect.request.input.tool} of ${where}`
  if (isKind(effect, 'hook')) return `${effect.request.input.hook} of ${where}`
  if (isKind(effect, 'scorer')) return `the scorer ${effect.request.input.scorer} of ${where}`
  if (isKind(effect, 'memory')) return `the memory of ${where}: ${effect.request.input.operation}`
  return `${effect.kind} of ${where}`
}

/** The agent, with the delegation that tells it from others of its name. */
function whereOf({ source }: PendingEffect): string {
  const agent = agentAt(source.path)
  const delegation = source.delegationId
  if (delegation === undefined) return agent
  const place = lastId(delegation).replace('delegation:', '')
  const below =
    source.path === delegation ? ` (delegation ${place})` : ` (${agentAt(parentPath(delegation))} ${place})`
  return agent + below
}

/** The ends of calls that the run has let go of. A call whose deadline has passed is recorded only if it returns. */
export function lateChoices(world: ControlledRun, options: ChoiceOptions): readonly Choice[] {
  return lateEffects(world).flatMap((effect) =>
    outcomeChoices(effect, world, options).flatMap((choice) =>
      effect.state === 'expired' && choice.settlement.error !== undefined
        ? []
        : [{ ...choice, isLate: true, label: `${choice.label}, too late` } as const],
    ),
  )
}

function outcomeChoices(effect: PendingEffect, world: ControlledRun, { offerOf }: ChoiceOptions) {
  const { key } = effect
  const subject = subjectOf(effect)
  return offerOf(key, world).outcomes.map(({ name, settlement }) => ({
    type: 'settle' as const,
    key,
    name,
    settlement,
    label: `${subject} ${name}`,
  }))
}

function deadlineChoices(
  effect: PendingEffect,
  world: ControlledRun,
  options: ChoiceOptions,
): readonly Choice[] {
  if (!options.hasDeadline(effect) || !mayEnd(effect.expiresAt, world, options)) return []
  return [{ type: 'timeOut', key: effect.key, label: `${subjectOf(effect)} does not answer in time` }]
}

function answerChoices(
  effect: PendingEffect<'signal'>,
  { ignored }: ControlledRun,
  { people }: ChoiceOptions,
): readonly Choice[] {
  const { key, request } = effect
  if (ignored.has(key)) return []
  const { id, toolName } = request.input
  return answersTo(request.input, people).map(({ name, answer }): Choice => {
    const label = `a person ${name}: ${toolName} of ${whereOf(effect)}`
    return answer === undefined ? { type: 'ignore', key, label } : { type: 'answer', key, id, answer, label }
  })
}

/** Whether the time `at` may come now: in every order, or as the earliest. */
function mayEnd(at: number, { state }: ControlledRun, { adversary, hasDeadline }: ChoiceOptions): boolean {
  if (adversary.timers !== 'inOrder') return adversary.timers === 'any'
  const deadlines = [...state.effects.pending.values()].filter(hasDeadline)
  return deadlines.every(({ expiresAt }) => at <= expiresAt) && at <= (state.effects.wakeAt ?? at)
}
