/** The fewest model calls in which an agent uses one of its parts and answers: a smaller budget cuts every such run short. */
import { finding, type Finding } from './finding.ts'
import { isDynamic, toolsOf, type AgentTree, type Line, type Place } from './tree.ts'
import { budgetLimits } from '../../runtime/state/effects/budget.ts'
import { boundOf } from './model-call-bound.ts'

export function budget({ root }: AgentTree): Finding[] {
  const limit = root.settings.budget?.modelCalls
  if (limit === undefined) return []
  const needed = usingParts(root)
  if (needed === undefined || needed <= limit) return []
  return [
    finding(
      'budget-too-small',
      `${root.path}.budget.modelCalls`,
      `${limit} is less than the ${needed} model calls of the shortest run that uses a tool or an agent and answers from the result: each such run ends as exhausted.`,
    ),
  ]
}

/** The shortest run that uses a part; `undefined`: it has none, or the definition does not show them. */
function usingParts(place: Place): number | undefined {
  if (isDynamic(place, 'tools', 'workflows', 'agents')) return undefined
  const { pattern } = place.definition
  const part = cheapestPart(place)
  if (part === undefined) return undefined
  switch (pattern) {
    case 'react':
    case 'supervisor':
      return 2 + part
    case 'reflexion':
      return 2 + part + Math.min(2, place.profile.caps.maxCritiques)
    case 'router':
      return 1 + part
    case 'plan-then-execute':
      return 2 + part
    case 'fan-out':
      return 2 + part
    case 'debate':
      return 1 + part * quorumOf(place)
    case 'dispatch':
    case 'meta-router':
      return part
    case 'remote':
    case 'custom':
    case 'program':
      return undefined
  }
}

/** A debate goes on with the proposals of all agents but one. */
function quorumOf({ profile, subagents }: Place): number {
  return profile.caps.quorum ?? Math.max(1, subagents.size - 1)
}

/** The model calls of the cheapest tool or agent: a tool needs none. */
function cheapestPart(place: Place): number | undefined {
  if (toolsOf(place).length > 0) return 0
  const agents = [...place.subagents.values()].map(direct)
  return agents.length === 0 ? undefined : Math.min(...agents)
}

/** The shortest run of a subagent, which may answer by itself. */
function direct({ members: [first] }: Line): number {
  switch (first.definition.pattern) {
    case 'remote':
    case 'custom':
    case 'program':
      return 0
    case 'react':
    case 'supervisor':
    case 'router':
      return 1
    case 'reflexion':
      return 1 + Math.min(1, first.profile.caps.maxCritiques)
    case 'plan-then-execute':
    case 'fan-out':
    case 'debate':
    case 'dispatch':
    case 'meta-router':
      return usingParts(first) ?? 1
  }
}

/** `most`: the model calls that the user allows a run to make. */
export function costs(tree: AgentTree, most: number | undefined): Finding[] {
  const { root } = tree
  const { calls, formula, unbounded } = boundOf(tree)
  const bound =
    calls === undefined
      ? `Its model calls have no bound: ${unbounded.join(' ')}`
      : `It may make ${calls} model calls, and final turns beside them: ${formula}.`
  if (most !== undefined) {
    return calls === undefined || calls > most
      ? [
          finding(
            'too-many-model-calls',
            root.path,
            `${bound} At most ${most} are allowed here; budget.modelCalls limits them.`,
          ),
        ]
      : []
  }
  const { budget } = root.settings
  const isLimited = budgetLimits.some((limit) => budget?.[limit] !== undefined)
  if (isLimited || tree.places.length === 1) return []
  return [finding('calls-without-budget', root.path, `${bound} A budget limits the whole tree.`)]
}
