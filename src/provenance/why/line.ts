/** Handoff chains: sessions that go on for one another, and together have one question and one answer. */
import type { GraphIndex } from './graph-index.ts'

/** A session and those before it, last first. */
export function lineOf(index: GraphIndex, session: string): readonly string[] {
  const line = [session]
  for (const one of line) {
    const before = beforeOf(index, one)
    if (before !== undefined) line.push(before)
  }
  return line
}

/** The session that had the conversation last. */
export function lastOf(index: GraphIndex, session: string): string {
  const handoff = index.madeBy(session).find((uri) => index.is(uri, 'troupe:Handoff'))
  const successor = handoff === undefined ? undefined : index.one(handoff, 'troupe:successor')
  return successor === undefined ? session : lastOf(index, successor)
}

function beforeOf(index: GraphIndex, session: string): string | undefined {
  const handoff = index.all(session, 'prov:used').find((uri) => index.is(uri, 'troupe:Handoff'))
  return handoff === undefined ? undefined : index.one(handoff, 'prov:wasGeneratedBy')
}
