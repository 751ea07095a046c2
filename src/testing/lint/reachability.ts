/** Parts of the tree that no run can reach: subagents, tools, successors. */
import { isOffered } from '../../actors/tool-groups.ts'
import { neverReturns, finding, type Finding } from './finding.ts'
import { isDynamic, toolsOf, type AgentTree, type Line, type Place } from './tree.ts'

export function unreachable(tree: AgentTree): Finding[] {
  return [
    ...tree.places.flatMap(tooDeep),
    ...tree.byAgent.flatMap(neverOffered),
    ...linesOf(tree).flatMap(beyondHandoffCap),
    ...handoffCircles(tree),
  ]
}

/** Every line once, the root's first. */
export function linesOf(tree: AgentTree): readonly Line[] {
  return [...new Set([tree.line, ...tree.places.flatMap(({ subagents }) => [...subagents.values()])])]
}

function tooDeep({ path, depth, profile, tooDeep }: Place): Finding[] {
  return tooDeep.map((key) =>
    finding(
      'subagent-too-deep',
      `${path}.agents.${key}`,
      `It never runs: a delegation to it would be ${depth + 1} levels deep, and maxDepth is ${profile.maxDepth}. Raise maxDepth of the root, or do not offer it here.`,
    ),
  )
}

/** The tools of one agent that are on offer at none of its places. */
function neverOffered(places: readonly [Place, ...Place[]]): Finding[] {
  const [first] = places
  return toolsOf(first).flatMap(([name, tool]) => {
    const path = `${first.path}.tools.${name}`
    const explore = neverReturns(first.definition.id, name)
    const inGroup = places.filter(({ profile }) => isOffered({ groups: tool.groups }, profile))
    if (inGroup.length === 0) {
      const { toolGroups } = first.profile
      const own = toolGroups === undefined ? 'names none, which means "default"' : `has ${quoted(toolGroups)}`
      return finding(
        'tool-outside-groups',
        path,
        `It is never offered: its groups are ${quoted(tool.groups)}, and the agent ${own}.`,
        explore,
      )
    }
    if (inGroup.some((place) => reachableStates(place).some((state) => isIn(tool, state)))) return []
    const states = [...new Set(inGroup.flatMap(reachableStates))]
    return finding(
      'tool-in-unreachable-state',
      path,
      `It is never offered: it applies in ${quoted(tool.applicableStates)}, and the agent only comes to ${quoted(states)}. Set toolState, or a nextState of another tool.`,
      explore,
    )
  })
}

function isIn(
  { applicableStates }: { readonly applicableStates: readonly string[] },
  state: string,
): boolean {
  return applicableStates.includes('*') || applicableStates.includes(state)
}

/** The tool states that an agent can come to: each tool on offer may move it. */
function reachableStates(place: Place): readonly string[] {
  const { profile, definition } = place
  const states = new Set([profile.toolState])
  // A dispatcher calls one tool, and ends.
  if (definition.pattern === 'dispatch') return [...states]
  for (const state of states) {
    for (const [, tool] of toolsOf(place)) {
      const isOnOffer = isOffered(tool, { toolGroups: profile.toolGroups, toolState: state })
      if (isOnOffer && tool.nextState !== undefined) states.add(tool.nextState)
    }
  }
  return [...states]
}

function beyondHandoffCap({ members, maxHandoffs }: Line): Finding[] {
  return members
    .filter(({ handoffs }) => handoffs > maxHandoffs)
    .map(({ path, handoffs }) =>
      finding(
        'handoff-beyond-cap',
        path,
        `No conversation comes to it here: ${handoffs} handoffs lead to it, and maxHandoffs is ${maxHandoffs}.`,
      ),
    )
}

/** Agents that can hand a conversation back: legal, and ended by `maxHandoffs` alone. */
function handoffCircles(tree: AgentTree): Finding[] {
  const reported = new Set<string>()
  return tree.byAgent.flatMap(([place]) => {
    const circle = circleFrom(place)
    if (circle === undefined) return []
    const key = circle.slice(1).toSorted().join(' ')
    if (reported.has(key)) return []
    reported.add(key)
    const cap = place.profile.handoffs?.max ?? 5
    return finding(
      'handoff-circle',
      place.path,
      `The conversation can go round: ${circle.join(' → ')}. Only maxHandoffs (${cap}) ends it; the agent at work then answers.`,
    )
  })
}

/** The ids of the shortest way by handoffs from an agent back to it. */
function circleFrom({ definition }: Place): readonly string[] | undefined {
  const ways = [{ agent: definition, ids: [definition.id] }]
  const seen = new Set<unknown>()
  for (const { agent, ids } of ways) {
    for (const successor of Object.values(agent.handoffs?.agents() ?? {})) {
      if (successor.id === definition.id) return [...ids, successor.id]
      if (seen.has(successor)) continue
      seen.add(successor)
      ways.push({ agent: successor, ids: [...ids, successor.id] })
    }
  }
  return undefined
}

/** Parts that only a run shows. */
export function unseen({ byAgent }: AgentTree): Finding[] {
  return byAgent
    .filter(([place]) => isDynamic(place, 'tools', 'workflows', 'agents'))
    .map(([{ path, definition }]) =>
      finding(
        'depends-on-run',
        path,
        `Functions of the run make these parts, which lint does not see: ${definition.dynamic.join(', ')}.`,
      ),
    )
}

function quoted(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.map((name) => `"${name}"`).join(', ')
}
