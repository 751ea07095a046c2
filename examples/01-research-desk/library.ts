/** What the researcher's tools read: a sample library, the same for every topic. Put your own search here. */
import { setTimeout as wait } from 'node:timers/promises'
import { pace } from '../support/pace.ts'

export interface Source {
  readonly id: number
  readonly title: string
  readonly text: string
}

export const library: readonly Source[] = [
  {
    id: 1,
    title: 'A short history',
    text: 'Early work was done by a few enthusiasts. Institutions followed once others could repeat the first results.',
  },
  {
    id: 2,
    title: 'Notes from practice',
    text: 'People in the field report that small, well-understood steps last, and that grand promises seldom survive their first year.',
  },
  {
    id: 3,
    title: 'Counting the cost',
    text: 'The visible price is rarely the whole one: training, upkeep and attention make up the larger part.',
  },
  {
    id: 4,
    title: 'Open questions',
    text: 'There is no agreed measure of success, and no agreement on who decides when something is not working.',
  },
]

/** The two sources that share most words with the query. */
export async function search(query: string, signal: AbortSignal) {
  await wait(200 * pace, undefined, { signal })
  const words = query.toLowerCase().match(/\p{L}{4,}/gu) ?? []
  const matches = ({ title, text }: Source): number =>
    words.filter((word) => `${title} ${text}`.toLowerCase().includes(word)).length
  return library
    .toSorted((a, b) => matches(b) - matches(a) || a.id - b.id)
    .slice(0, 2)
    .map(({ id, title }) => ({ id, title }))
}

export async function read(id: number, signal: AbortSignal): Promise<Source> {
  await wait(300 * pace, undefined, { signal })
  const source = library.find((candidate) => candidate.id === id)
  if (source === undefined) throw new Error(`There is no source ${id}.`)
  return source
}
