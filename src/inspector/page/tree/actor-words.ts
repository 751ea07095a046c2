/** The words and signs of an actor in the tree. */
import { agentOf, placeOf } from '../../../kit/index.ts'
import type { RowScore } from '../../wire/rows.ts'
import type { Actor, ActorPlace } from '../model/run-model.ts'

/** By the kind of the actor; a machine of the user's has that of an agent, but hollow. */
const signs: Readonly<Record<string, string>> = {
  delegation: '→',
  call: 'ƒ',
  completion: '★',
  decision: '?',
  compaction: '≡',
}

/** One letter or sign. */
export function signOf(place: ActorPlace): string {
  const kind = kindOf(place)
  if (kind !== '') return signs[kind] ?? '◇'
  return place.machine === undefined || patterns.includes(place.machine) ? '◆' : '◇'
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
  'remote',
]

/** The kind of an actor that is no agent, for example `delegation`; empty for an agent. */
export function kindOf({ id }: ActorPlace): string {
  return agentOf(id) === undefined ? id.slice(0, id.indexOf(':')) : ''
}

/** The name of an agent, of a tool, or of what was chosen; else the kind of the actor and its place among them: `decision 2`. */
export function nameOf(place: ActorPlace): string {
  const { id, name, choice } = place
  const agent = agentOf(id)
  if (agent !== undefined) return agent
  return choice?.choice ?? (name === '' ? `${kindOf(place)} ${placeOf(id)}` : name)
}

/** What it is about, in one line: the arguments, the prompt, the candidates and the reason, or the scores. */
export function aboutOf({ line, name, choice, scores }: ActorPlace): string {
  if (choice !== undefined) return `of ${choice.candidates.join(', ')}: ${choice.reason}`
  if (scores.length > 0) return scores.map(scoreText).join(', ')
  return name !== '' && line.startsWith(`${name} `) ? line.slice(name.length + 1) : line
}

/** `quality 0.40 ✗`. */
function scoreText({ id, score, passed }: RowScore): string {
  return `${id} ${score === undefined ? '–' : score.toFixed(2)} ${passed ? '✓' : '✗'}`
}

/** How it is with an actor: the outermost state that it is in, or how it has ended. */
export interface Standing {
  readonly text: string
  readonly kind: 'active' | 'ended' | 'failed' | 'unknown'
  /** It has ended as it should: a sign is enough, so that the other endings stand out. */
  readonly isGood?: true
}

const failures: readonly string[] = ['failed', 'error', 'denied', 'rejected', 'tripped', 'timedOut']

const successes: readonly string[] = ['completed', 'succeeded', 'passed', 'made', 'done']

export function standingOf(actor: Actor, state: string | undefined, row: number): Standing {
  const status = actor.statusAt(row)
  if (!actor.isTold) return { text: '', kind: 'unknown' }
  if (status === 'active') return { text: (state ?? '').split('.')[0] ?? '', kind: 'active' }
  if (status !== 'done') return { text: status, kind: status === 'error' ? 'failed' : 'ended' }
  const text = state?.slice(state.lastIndexOf('.') + 1) ?? 'done'
  if (failures.includes(text)) return { text, kind: 'failed' }
  return successes.includes(text) ? { text, kind: 'ended', isGood: true } : { text, kind: 'ended' }
}

/** The kinds of the effects of an actor that are at work after a row. */
export function effectsOf(place: ActorPlace, row: number): readonly string[] {
  const kinds = place.children.flatMap((child) => {
    const actor = child.isEffect ? child.at(row) : undefined
    return actor?.effect !== undefined && actor.statusAt(row) === 'active' ? [actor.effect] : []
  })
  return [...new Set(kinds)]
}
