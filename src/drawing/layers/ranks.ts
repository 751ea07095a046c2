/**
 * The layers of nodes: each edge leads downwards, and all edges together are as short as they can be. This is the network
 * simplex method of Gansner, Koutsofios, North and Vo, "A Technique for Drawing Directed Graphs" (1993).
 */
import type { Link, Vertex } from './graph.ts'

/** Sets the layers of the nodes, from 0. Each link leads from a node to a later one of the list. */
export function rank(nodes: readonly Vertex[], links: readonly Link[]): void {
  const entering = Map.groupBy(links, ({ to }) => to)
  for (const node of nodes) {
    const above = (entering.get(node) ?? []).map(({ from }) => from.layer + 1)
    node.layer = Math.max(0, ...above)
  }
  const placed = new Set<Vertex>()
  for (const node of nodes) {
    if (placed.has(node)) continue
    const part = reached(node, links)
    const inside = links.filter(({ from }) => part.has(from))
    shorten(part, inside)
    const first = Math.min(...[...part].map(({ layer }) => layer))
    for (const one of part) {
      one.layer -= first
      placed.add(one)
    }
  }
}

/** More rounds than a chart needs: a round that changes no length could lead back to one before. */
const mostRounds = 400

/** Makes an edge of the tree longer as long as that makes all edges together shorter. */
function shorten(nodes: ReadonlySet<Vertex>, links: readonly Link[]): void {
  const tree = tightTree(nodes, links)
  for (let round = 0; round < mostRounds; round++) {
    const leaving = [...tree].find((link) => gainOf(link, tree, links) > 0)
    if (leaving === undefined) return
    const upper = reached(leaving.from, tree, leaving)
    const next = shortest(links.filter(({ from, to }) => upper.has(to) && !upper.has(from)))
    if (next === undefined) return
    shift(upper, -slack(next))
    tree.delete(leaving)
    tree.add(next)
  }
}

/** What the edges together lose in length when an edge of the tree becomes longer by one. */
function gainOf(link: Link, tree: ReadonlySet<Link>, links: readonly Link[]): number {
  const upper = reached(link.from, tree, link)
  return links.reduce((sum, { from, to, weight }) => {
    if (upper.has(from) === upper.has(to)) return sum
    return upper.has(to) ? sum + weight : sum - weight
  }, 0)
}

/** Moves nodes until edges of the least length join them all, and returns these edges. */
function tightTree(nodes: ReadonlySet<Vertex>, links: readonly Link[]): Set<Link> {
  const [first] = nodes
  const joined = new Set(first === undefined ? [] : [first])
  const tree = new Set<Link>()
  while (joined.size < nodes.size) {
    const next = shortest(links.filter(({ from, to }) => joined.has(from) !== joined.has(to)))
    if (next === undefined) return tree
    shift(joined, joined.has(next.from) ? slack(next) : -slack(next))
    tree.add(next)
    joined.add(next.from).add(next.to)
  }
  return tree
}

function shortest(links: readonly Link[]): Link | undefined {
  const [first, ...others] = links
  return others.reduce((best, link) => (best !== undefined && slack(link) < slack(best) ? link : best), first)
}

/** How many layers shorter the edge could be. */
function slack({ from, to }: Link): number {
  return to.layer - from.layer - 1
}

function shift(nodes: Iterable<Vertex>, by: number): void {
  for (const node of nodes) node.layer += by
}

/** The nodes that links join with one, in either direction, without one of the links. */
function reached(start: Vertex, links: Iterable<Link>, without?: Link): ReadonlySet<Vertex> {
  const neighbours = new Map<Vertex, Vertex[]>()
  const add = (from: Vertex, to: Vertex): void => {
    const known = neighbours.get(from)
    if (known === undefined) neighbours.set(from, [to])
    else known.push(to)
  }
  for (const link of links) {
    if (link === without) continue
    add(link.from, link.to)
    add(link.to, link.from)
  }
  const found = new Set([start])
  for (const node of found) for (const next of neighbours.get(node) ?? []) found.add(next)
  return found
}
