/** All choices in a state of a run: outcomes of effects, answers of people, timers, cancels. */
import { agentAt, lastId, parentPath } from '../../../actors/actor-path.ts'
import { isKind, type PendingEffect } from '../../../runtime/engine/effects/pending-effect.ts'
import type { Offer } from '../alphabet/alphabet.ts'
import { answersTo, type PersonSays } from '../alphabet/people.ts'
import type { Choice } from '../world/choice.ts'
import type { RunState } from '../world/run-state.ts'

/** How the outside world may act against a run. */
export interface Adversary {
  readonly cancel: boolean
  readonly cancelDelegations: boolean
  /** `any`: in every order; `inOrder`: the earliest first; `never`: no timer ends. */
  readonly timers: 'any' | 'inOrder' | 'never'
}

export interface ChoiceOptions {
  readonly people: readonly PersonSays[]
  readonly adversary: Adversary
  readonly offerOf: (key: string, world: RunState) => Offer
}

export function choicesOf(world: RunState, options: ChoiceOptions): readonly Choice[] {
  const { engine } = world
  if (engine.isSettled) return []
  const { adversary } = options
  return numbered([
    ...[...engine.effects.pending.values()].flatMap((effect) => effectChoices(effect, world, options)),
    ...(adversary.timers !== 'never' && engine.limits.wallClock?.isRunning === true
      ? [{ type: 'expire', label: 'the time of the run is up' } as const]
      : []),
    ...(adversary.cancel && !engine.signals.isClosed
      ? [{ type: 'cancel', label: 'the run is cancelled' } as const]
      : []),
    ...(adversary.cancelDelegations ? cancelsOf(world) : []),
  ])
}

function effectChoices(effect: PendingEffect, world: RunState, options: ChoiceOptions): readonly Choice[] {
  const { key } = effect
  const { people, adversary, offerOf } = options
  if (effect.state !== 'performing') return []
  if (isKind(effect, 'signal')) {
    if (world.ignored.has(key)) return []
    const { id, toolName } = effect.request.input
    return answersTo(effect.request.input, people).map(({ name, answer }): Choice => {
      const label = `a person ${name}: ${toolName} of ${whereOf(effect)}`
      return answer === undefined
        ? { type: 'ignore', key, label }
        : { type: 'answer', key, id, answer, label }
    })
  }
  if (isKind(effect, 'timer')) {
    const mayFire =
      adversary.timers === 'any' || (adversary.timers === 'inOrder' && isEarliest(effect, world))
    if (!mayFire || effect.pausedWith !== undefined || effect.ring === undefined) return []
    return [{ type: 'fire', key, label: `the timer ${lastId(key)} of ${whereOf(effect)} ends` }]
  }
  const what = subjectOf(effect)
  return offerOf(key, world).outcomes.map(({ name, settlement }) => ({
    type: 'settle',
    key,
    name,
    settlement,
    label: `${what} ${name}`,
  }))
}

function isEarliest({ dueAt }: PendingEffect, { engine }: RunState): boolean {
  const { wakeAt } = engine.effects
  return wakeAt === undefined || dueAt <= wakeAt
}

function cancelsOf({ engine, cancelled }: RunState): readonly Choice[] {
  if (engine.signals.isClosed) return []
  const open = new Set<string>()
  for (const { type, path } of engine.recorder.log.toArray()) {
    if (type === 'delegation-start') open.add(path)
    else if (type === 'delegation-end') open.delete(path)
  }
  return [...open]
    .filter((id) => !cancelled.has(id))
    .map((id) => ({ type: 'cancelDelegation', id, label: `the delegation ${id} is cancelled` }))
}

/** The agent, tool or function that an outcome comes from. */
function subjectOf(effect: PendingEffect): string {
  const where = whereOf(effect)
  if (isKind(effect, 'model')) return `${where}:`
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

/** Equal labels get numbers. */
function numbered(choices: readonly Choice[]): readonly Choice[] {
  const seen = new Map<string, number>()
  return choices.map((choice) => {
    const times = (seen.get(choice.label) ?? 0) + 1
    seen.set(choice.label, times)
    return times === 1 ? choice : { ...choice, label: `${choice.label} (${times})` }
  })
}
