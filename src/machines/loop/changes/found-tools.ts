/** Deferred tools that searches have found. Only a search that has succeeded adds some. */
import { below } from '../../../actors/actor-path.ts'
import type { ToolScope } from '../../../actors/tool-groups.ts'
import { isRecord } from '../../../actors/values/json.ts'
import type { AgentProfile } from '../../contract/agent.ts'
import type { EventPayloads } from '../../contract/events.ts'
import { offering } from '../../contract/opening.ts'
import { settledCalls, type LoopContext } from './context.ts'
import type { Called } from './tool-state.ts'

type Finding = EventPayloads['tools-found']

/** The most found tools that a model is offered: the earlier ones give way. */
const mostFound = 64

/** The findings of these calls, in the order of the calls. */
export function findingsOf(context: LoopContext, calls: readonly Called[]): readonly Finding[] {
  const { input } = context
  const { tools } = input.profile.toolset.whole
  if (!calls.some(({ name }) => tools.get(name)?.finds === true)) return []
  const outcomes = settledCalls(context)
  return calls.flatMap(({ child, name }): Finding[] => {
    const result = outcomes.get(child)?.result
    if (tools.get(name)?.finds !== true || result?.outcome !== 'succeeded') return []
    const found = namesIn(result.value).filter((one) => tools.get(one)?.deferred === true)
    return found.length === 0 ? [] : [{ toolCallId: below(input.path, child), toolName: name, found }]
  })
}

/** The agent with what was found on offer. */
export function offeringFound(
  { input }: LoopContext,
  findings: readonly Finding[],
): Pick<LoopContext, 'input'> {
  const names = new Set(findings.flatMap(({ found }) => found))
  const { foundTools: before = [] } = input.profile
  const all = [...before, ...[...names].filter((name) => !before.includes(name))]
  // In their order, because a server keeps the beginning of a request in its cache.
  const beyond = new Set(all.filter((name) => !names.has(name)).slice(0, Math.max(0, all.length - mostFound)))
  const foundTools = all.filter((name) => !beyond.has(name)).slice(-mostFound)
  return { input: { ...input, profile: offering({ ...input.profile, foundTools }) } }
}

/** The scope of a search, which no other call has. */
export function searchScope(
  { toolset, toolGroups, toolState }: AgentProfile,
  name: string,
): { readonly scope?: ToolScope } {
  if (toolset.tools.get(name)?.finds !== true) return {}
  return { scope: { toolState, ...(toolGroups === undefined ? {} : { toolGroups }) } }
}

function namesIn(value: unknown): readonly string[] {
  const found = isRecord(value) ? value['found'] : undefined
  return Array.isArray(found) ? found.filter((name) => typeof name === 'string') : []
}
