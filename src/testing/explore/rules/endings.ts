/** Rules of the ends of a run and its delegations. */
import type { AnyActorRef } from 'xstate'
import type { ModelReply } from '../../../actors/chat-model.ts'
import type { RunEvent } from '../../../runtime/handle/run-event.ts'
import { snapshotOf } from '../world/written.ts'
import type { Visit } from './visit.ts'

/** Each delegation starts at most once, and has exactly one outcome at the end. */
export function oneOutcomeEach({ world, events }: Visit): string | undefined {
  const started = pathsOf(events, 'delegation-start')
  const ended = pathsOf(events, 'delegation-end')
  const rejected = pathsOf(events, 'delegation-rejected')
  const twice = firstTwice(started) ?? firstTwice(ended)
  if (twice !== undefined) return `The delegation ${twice} starts or ends twice.`
  const both = rejected.find((path) => started.includes(path))
  if (both !== undefined) return `The delegation ${both} was rejected, and has started.`
  if (!world.hasEnded) return undefined
  const lost = started.find((path) => !ended.includes(path))
  if (lost !== undefined) return `The delegation ${lost} has no outcome.`
  const listed = firstTwice((world.state.output?.delegations ?? []).map(({ id }) => id))
  return listed === undefined ? undefined : `The result lists the delegation ${listed} twice.`
}

/** No actor is active at the end, and no effect is open. */
export function nothingLeft({ world: { state, hasEnded } }: Visit): string | undefined {
  if (!hasEnded) return undefined
  const pending = [...state.effects.pending.keys()]
  if (pending.length > 0) return `The run has ended, and these effects are open: ${pending.join(', ')}.`
  const active = activeActors(state.agent)
  return active.length === 0
    ? undefined
    : `The run has ended, and these actors are active: ${active.join(', ')}.`
}

/** The kinds of effects that report the usage of a model. */
const callsModel: ReadonlySet<string> = new Set(['model', 'compaction'])

/** The usage of the result is the sum of the usage that the journal records. */
export function usageIsThatOfJournal({ world: { state, journal, hasEnded } }: Visit): string | undefined {
  if (!hasEnded || state.output === undefined) return undefined
  const told = sum(Object.values(state.output.usage).map(({ totalTokens }) => totalTokens))
  const recorded = sum(
    journal.map((entry) => {
      if (entry.type !== 'effect.settled' || !callsModel.has(entry.kind) || entry.late === true) return 0
      return (entry.settlement.value as Pick<ModelReply, 'usage'> | undefined)?.usage.totalTokens ?? 0
    }),
  )
  return told === recorded
    ? undefined
    : `The usage of the result is ${told} tokens, the journal has ${recorded}.`
}

function activeActors(actor: AnyActorRef): readonly string[] {
  const { status, children = {} } = snapshotOf(actor)
  const below = Object.values(children).flatMap((child) => (child === undefined ? [] : activeActors(child)))
  return status === 'active' ? [actor.id, ...below] : below
}

function pathsOf(events: readonly RunEvent[], type: RunEvent['type']): readonly string[] {
  return events.filter((event) => event.type === type).map(({ path }) => path)
}

function firstTwice(list: readonly string[]): string | undefined {
  return list.find((item, index) => list.indexOf(item) !== index)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
