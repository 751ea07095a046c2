/** Handoff chains: sessions that go on for one another, and together have one question and one answer. */
import type { GraphIndex } from './graph-index.ts'

/** A session and those before it, last first. */
export function lineOf(index: GraphIndex, session: string): readonly string[] {
  return follow(session, (one) => beforeOf(index, one))
}

/** The session that had the conversation last. */
export function lastOf(index: GraphIndex, session: string): string {
  return follow(session, (one) => successorOf(index, one)).at(-1) ?? session
}

/** Ends where a stored graph leads back to a session that it has passed. */
function follow(session: string, next: (session: string) => string | undefined): readonly string[] {
  const passed = new Set([session])
  for (const one of passed) {
    const following = next(one)
    if (following !== undefined) passed.add(following)
  }
  return [...passed]
}

function successorOf(index: GraphIndex, session: string): string | undefined {
  const handoff = index.madeBy(session).find((uri) => index.is(uri, 'troupe:Handoff'))
  return handoff === undefined ? undefined : index.one(handoff, 'troupe:successor')
}

function beforeOf(index: GraphIndex, session: string): string | undefined {
  const handoff = index.all(session, 'prov:used').find((uri) => index.is(uri, 'troupe:Handoff'))
  return handoff === undefined ? undefined : index.one(handoff, 'prov:wasGeneratedBy')
}
