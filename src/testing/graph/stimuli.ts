/** The stimuli that a state may receive: outcomes of its live children, events from outside, and ends of delays. */
import type { AnyMachineSnapshot, StateNode } from 'xstate'
import type { GraphOptions } from './graph-options.ts'
import type { ExternalEvent, Stimulus } from './stimulus.ts'
import { liveChildren } from './stub-children.ts'
import type { TestState } from './test-logic.ts'

export function stimuliOf({ snapshot, reported }: TestState, options: GraphOptions): readonly Stimulus[] {
  if (snapshot.status !== 'active') return []
  const found: Stimulus[] = []
  const seen = new Set<string>()
  for (const { id, src, input } of liveChildren(snapshot, reported)) {
    if (seen.has(src)) continue
    seen.add(src)
    const table = options.outcomes[src]
    if (table === undefined) throw new Error(`No outcomes are given for children of the source "${src}".`)
    const outcomes = typeof table === 'function' ? table(input as never) : table
    for (const outcome of outcomes)
      found.push({ type: 'outcome', name: `${id}: ${outcome.name}`, child: id, src, outcome })
  }
  const events = typeof options.events === 'function' ? options.events(snapshot) : (options.events ?? [])
  const given = new Set(events.map(({ event }) => event.type))
  const due = delays(snapshot).filter(({ event }) => !given.has(event.type))
  for (const { name, event } of [...events, ...due]) found.push({ type: 'event', name, event })
  return numbered(found)
}

/** The ends of the delays (`after`) that the active states wait for. */
function delays(snapshot: AnyMachineSnapshot): ExternalEvent[] {
  const found = new Map<string, ExternalEvent>()
  for (const { after, path } of snapshot._nodes as StateNode[]) {
    for (const { delay, eventType } of after) {
      const time = typeof delay === 'number' ? `${delay} ms` : String(delay)
      const where = path.length === 0 ? '' : ` in ${path.join('.')}`
      found.set(eventType, { name: `after ${time}${where}`, event: { type: eventType } })
    }
  }
  return [...found.values()]
}

/** Stimuli of equal name get a number from the second on: `writer: fails`, `writer: fails (2)`. */
function numbered(stimuli: readonly Stimulus[]): readonly Stimulus[] {
  const counts = new Map<string, number>()
  return stimuli.map((stimulus) => {
    const count = (counts.get(stimulus.name) ?? 0) + 1
    counts.set(stimulus.name, count)
    return count === 1 ? stimulus : { ...stimulus, name: `${stimulus.name} (${count})` }
  })
}
