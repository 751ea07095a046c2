/** The strongly connected components of a graph, by Tarjan's algorithm. */

interface Visit {
  readonly node: string
  readonly index: number
  low: number
  readonly rest: Iterator<string>
}

/** By node, the number of its component: two nodes lie on a common cycle where the numbers are equal. */
export function componentsOf(
  nodes: Iterable<string>,
  next: (node: string) => Iterable<string>,
): ReadonlyMap<string, number> {
  const components = new Map<string, number>()
  const indices = new Map<string, number>()
  const open: string[] = []
  let found = 0

  const visitOf = (node: string): Visit => {
    const index = indices.size
    indices.set(node, index)
    open.push(node)
    return { node, index, low: index, rest: next(node)[Symbol.iterator]() }
  }
  const close = ({ node }: Visit): void => {
    const members = open.splice(open.lastIndexOf(node))
    for (const member of members) components.set(member, found)
    found++
  }

  for (const start of nodes) {
    if (indices.has(start)) continue
    // A list in place of a recursion: the paths of a large graph are longer than the stack.
    const path = [visitOf(start)]
    for (let visit = path.at(-1); visit !== undefined; visit = path.at(-1)) {
      const step = visit.rest.next()
      if (step.done === true) {
        path.pop()
        if (visit.low === visit.index) close(visit)
        const before = path.at(-1)
        if (before !== undefined) before.low = Math.min(before.low, visit.low)
      } else if (!indices.has(step.value)) {
        path.push(visitOf(step.value))
      } else if (!components.has(step.value)) {
        visit.low = Math.min(visit.low, indices.get(step.value) ?? visit.low)
      }
    }
  }
  return components
}
