/** The words and signs of an actor in the tree. */
import { agentOf, placeOf } from '../../../actors/actor-path.ts'
import type { Actor, ActorPlace } from '../model/run-model.ts'

/** By the kind of the actor; a machine of the user's has that of an agent, but hollow. */
const signs: Readonly<Record<string, string>> = {
  agent: '◆',
  delegation: '→',
  call: 'ƒ',
  completion: '✓',
  decision: '?',
  compaction: '≡',
}

/** One letter or sign. */
export function signOf({ id, machine }: ActorPlace): string {
  if (agentOf(id) === undefined) return signs[id.slice(0, id.indexOf(':'))] ?? '◇'
  return machine === undefined || isPattern(machine) ? '◆' : '◇'
}

/** Charts of agents; any other machine without a kind is one of the user's. */
const patterns: readonly string[] = [
  'react',
  'supervisor',
  'router',
  'plan-then-execute',
  'fan-out',
  'reflexion',
  'debate',
  'dispatch',
  'meta-router',
  'remote-agent',
]

function isPattern(machine: string): boolean {
  return patterns.includes(machine)
}

/** The name of an agent; `delegation 1.2` for another actor. */
export function nameOf({ id }: ActorPlace): string {
  return agentOf(id) === undefined ? `${id.slice(0, id.indexOf(':'))} ${placeOf(id)}` : id
}

/** How it is with an actor: the outermost state that it is in, or how it has ended. */
export interface Standing {
  readonly text: string
  readonly kind: 'active' | 'ended' | 'failed'
}

const failures: readonly string[] = ['failed', 'error', 'denied', 'rejected', 'tripped', 'timedOut']

export function standingOf(actor: Actor, state: string | undefined, row: number): Standing {
  const status = actor.statusAt(row)
  if (status === 'active') return { text: (state ?? '').split('.')[0] ?? '', kind: 'active' }
  if (status !== 'done') return { text: status, kind: status === 'error' ? 'failed' : 'ended' }
  const text = state?.slice(state.lastIndexOf('.') + 1) ?? 'done'
  return { text, kind: failures.includes(text) ? 'failed' : 'ended' }
}

/** The kinds of the effects of an actor that are at work after a row. */
export function effectsOf(place: ActorPlace, row: number): readonly string[] {
  const kinds = place.children.flatMap((child) => {
    const actor = child.isEffect ? child.at(row) : undefined
    return actor?.effect !== undefined && actor.statusAt(row) === 'active' ? [actor.effect] : []
  })
  return [...new Set(kinds)]
}
