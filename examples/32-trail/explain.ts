/** A trail as lines to print: what each entry led to, and what decided over one actor. */
import type { Trail, TrailEntry, TrailTransition } from 'troupe'

/** The entry, and below it the way that each actor took by it. */
export function explain({
  entry,
  type,
  key,
  transitions,
  actorsAdded,
  actorsEnded,
}: TrailEntry): readonly string[] {
  const ways = Map.groupBy(transitions, ({ path }) => path)
  const came = actorsAdded.flatMap(({ path, machine }) => (machine === undefined ? [] : [path]))
  const ended = actorsEnded.flatMap(({ path, machine }) => (machine === undefined ? [] : [path]))
  return [
    `  ${String(entry).padStart(2)}  ${type}${key === undefined ? '' : `  ${key}`}`,
    ...came.map((path) => `        ${path} starts`),
    ...Array.from(ways, ([path, way]) => `        ${path}: ${wayOf(way)}`),
    ...ended.map((path) => `        ${path} ends`),
  ]
}

/** "running → reviewing → succeeded" */
function wayOf(way: readonly TrailTransition[]): string {
  const states = [way[0]?.from ?? '', ...way.map(({ to }) => to)].map((name) => name.split('.')[0])
  return states.filter((state, index) => state !== states[index - 1]).join(' → ')
}

/** The guards that let an actor pass, each with what the chart says of it. */
export function decisionsOn(path: string, { entries }: Trail): readonly string[] {
  return entries.flatMap(({ entry, transitions }) =>
    transitions
      .filter((taken) => taken.path === path && taken.guard !== undefined)
      .map(({ from, to, guard, description = '' }) =>
        `  entry ${entry}: ${from} → ${to}, because ${guard}. ${description}`.trimEnd(),
      ),
  )
}
