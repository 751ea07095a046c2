/** All choices in a state of a machine that is no agent: outcomes of its children, events from outside, ends of delays. */
import { isKind, type PendingEffect } from '../../../runtime/state/effects/pending-effect.ts'
import type { EffectOutcome } from '../../../actors/effects/effect-kinds.ts'
import type { Settlement } from '../../../actors/effects/effect.ts'
import { ConfigurationError } from '../../../errors.ts'
import type { GraphSource } from '../../graph/graph-source.ts'
import { stimuliOf } from '../../graph/stimuli.ts'
import type { Outcome, Stimulus } from '../../graph/stimulus.ts'
import { liveIds } from '../../graph/stub-children.ts'
import { machineSnapshot } from '../world/machine-snapshot.ts'
import type { Choice } from '../world/choice.ts'
import type { World } from '../world/world.ts'

export function machineChoices(world: World, source: GraphSource): readonly Choice[] {
  const snapshot = machineSnapshot(world)
  if (snapshot.status !== 'active') return []
  // A live state shows in its snapshots which children have reported.
  const state = {
    status: 'active',
    output: undefined,
    error: undefined,
    snapshot,
    reported: new Set<never>(),
    live: liveIds(snapshot),
    key: '',
    actions: [],
    last: undefined,
  } as const
  return stimuliOf(state, source).map((stimulus) => choiceOf(stimulus, world))
}

function choiceOf(stimulus: Stimulus, { state }: World): Choice {
  const { name: label } = stimulus
  if (stimulus.type === 'event')
    return { type: 'event', label, event: stimulus.event, isDelay: stimulus.isDelay }
  const { child, outcome } = stimulus
  const effect = [...state.effects.pending.values()].find(({ request }) => request.ref.id === child)
  if (effect === undefined) throw new Error(`The run has no open effect "${child}".`)
  const { key } = effect
  if (isKind(effect, 'timer')) return { type: 'fire', label, key }
  if (isKind(effect, 'signal')) {
    return { type: 'answer', label, key, id: effect.request.input.id, answer: answerOf(outcome, effect) }
  }
  return { type: 'settle', label, key, name: outcome.name, settlement: settlementOf(outcome) }
}

function answerOf(outcome: Outcome, { key }: PendingEffect): EffectOutcome<'signal'> {
  if (outcome.error === undefined) return outcome.value as EffectOutcome<'signal'>
  throw new ConfigurationError(
    `The outcome "${outcome.name}" of "${key}" is an error, and a signal cannot fail.`,
  )
}

function settlementOf({ value, error }: Outcome): Settlement {
  return error === undefined ? { value: value as EffectOutcome<'tool'> } : { error }
}
