/** The journal of an actor, in a run whose agents have a journal each. */
import { agentOf, parentPath } from '../../actors/actor-path.ts'

/** The journal that an actor stands in: the deepest one whose agent, or a successor of that agent, is on the path. */
export function journalOf(path: string, journals: readonly string[]): string | undefined {
  const within = journals.filter((journal) => {
    const parent = parentPath(journal)
    const [agent] = path.slice(parent === '' ? 0 : parent.length + 1).split('/')
    return (parent === '' || path.startsWith(`${parent}/`)) && agentOf(agent ?? '') !== undefined
  })
  return within.toSorted((a, b) => b.length - a.length)[0]
}
