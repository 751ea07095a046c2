/** The stimuli that a state may receive: outcomes of its live children, events from outside, and ends of delays. */
import type { AnyMachineSnapshot, StateNode } from 'xstate'
import { atOnce } from '../../runtime/user-function.ts'
import type { GraphSource } from './graph-source.ts'
import type { ExternalEvent, Stimulus } from './stimulus.ts'
import { liveChildren } from './stub-children.ts'
import type { TestState } from './test-logic.ts'

export function stimuliOf(state: TestState, source: GraphSource): readonly Stimulus[] {
  if (state.snapshot.status !== 'active') return []
  return numbered([...outcomesIn(state, source), ...eventsIn(state.snapshot, source)])
}

function outcomesIn({ snapshot, reported }: TestState, { options, outcomes }: GraphSource): Stimulus[] {
  const alike = new Set<string>(options.interchangeable)
  const seen = new Set<string>()
  return liveChildren(snapshot, reported).flatMap((child) => {
    const { id, src, input } = child
    if (alike.has(src) && seen.has(src)) return []
    seen.add(src)
    const table = options.outcomes[src]
    if (table === undefined) throw new Error(`No outcomes are given for children of the source "${src}".`)
    const given = typeof table === 'function' ? table(input as never) : table
    return given.map((one): Stimulus => {
      const outcome = outcomes.read(child, one)
      return { type: 'outcome', name: `${id}: ${outcome.name}`, child: id, src, outcome }
    })
  })
}

function eventsIn(snapshot: AnyMachineSnapshot, { options, events }: GraphSource): Stimulus[] {
  const given =
    typeof options.events === 'function'
      ? atOnce('events of the options', options.events(snapshot))
      : (options.events ?? [])
  for (const event of given) events.check(event)
  const types = new Set(given.map(({ event }) => event.type))
  const due = delays(snapshot).filter(({ event }) => !types.has(event.type))
  return [
    ...given.map(({ name, event }): Stimulus => ({ type: 'event', name, event, isDelay: false })),
    ...due.map(({ name, event }): Stimulus => ({ type: 'event', name, event, isDelay: true })),
  ]
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
