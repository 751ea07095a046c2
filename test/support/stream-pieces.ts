/** How properties cut a reply into the pieces of a stream. */
import fc from 'fast-check'
import { event, stream, type Answer } from './fault-server.ts'

export const text = fc.string({ unit: 'binary', maxLength: 30 })

/** A JSON object as text, as the arguments of a call are. */
export const objectText = fc
  .dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
  .map((value) => JSON.stringify(value))

/** Places at which to cut. */
export const cutter = fc.array(fc.nat({ max: 40 }), { maxLength: 6 })

/** Whose turn it is when sequences are woven. */
export const picker = fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 9 })

/** The pieces between the cuts; together they are the text. */
export function cut(whole: string, cuts: readonly number[]): string[] {
  const places = [0, ...cuts.filter((place) => place < whole.length).toSorted((a, b) => a - b), whole.length]
  return places.slice(1).map((end, i) => whole.slice(places[i], end))
}

/** Weaves sequences into one, keeping the order of each. */
export function weave<T>(sequences: readonly (readonly T[])[], picks: readonly number[]): T[] {
  const queues = sequences.map((sequence) => [...sequence])
  const woven: T[] = []
  for (let turn = 0; queues.some((queue) => queue.length > 0); turn++) {
    const open = queues.filter((queue) => queue.length > 0)
    const next = open[(picks[turn % picks.length] ?? 0) % open.length]?.shift()
    if (next !== undefined) woven.push(next)
  }
  return woven
}

export async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items
}

/** Sends the events in packets that end wherever `cuts` say, also within a character. */
export function packets(events: readonly unknown[], cuts: readonly number[]): Answer {
  const bytes = new TextEncoder().encode(events.map(event).join(''))
  const places = [0, ...cuts.map((place) => place * 37).toSorted((a, b) => a - b), bytes.length]
  return stream(places.slice(1).map((end, i) => bytes.subarray(places[i], end)))
}

/** Addresses that a model cites: of the web, and others. */
export const pages = fc.constantFrom(
  'https://a.test',
  'http://b.test/c?d',
  'javascript:alert(1)',
  'nowhere',
  '',
)
