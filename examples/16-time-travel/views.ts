/** A journal and a moment of it, as lines to print. */
import type { ActorView, HistoryEntry, Replay } from 'troupe'

export function historyLine({ entry, type, kind, key, path, usage }: HistoryEntry): string {
  const tokens = usage === undefined ? '' : `${usage.totalTokens} tokens`
  return `  ${String(entry).padStart(2)}  ${type.padEnd(14)}  ${(kind ?? '').padEnd(5)}  ${(key ?? path ?? '').padEnd(44)}  ${tokens}`.trimEnd()
}

/** The actors that were there, each with its state; of an effect, that it was waited for. */
export function momentLines({ actors }: Replay): string[] {
  return actors.flatMap((actor) => actorLines(actor, 1))
}

function actorLines({ id, state, effect, status, children }: ActorView, depth: number): string[] {
  const where = effect === undefined ? stateText(state) : status === 'active' ? 'waited for' : status
  return [
    `${'  '.repeat(depth)}${id}: ${where}`,
    ...children.flatMap((child) => actorLines(child, depth + 1)),
  ]
}

/** "acting.working" */
function stateText(state: ActorView['state']): string {
  if (typeof state !== 'object') return state ?? ''
  return Object.entries(state)
    .map(([name, inner]) => [name, stateText(inner)].filter(Boolean).join('.'))
    .join(' & ')
}
