/** Task types and patterns of a meta-router that no run chooses. */
import { anyPattern, initialTaskTypes, type CheckedTaskType } from '../../actors/task-types.ts'
import { finding, type Finding } from './finding.ts'
import type { AgentTree, Place } from './tree.ts'

export function taskTypes({ byAgent }: AgentTree): Finding[] {
  return byAgent.flatMap(([place]) => [...withoutPattern(place), ...neverValid(place)])
}

/** The built-in types name patterns that an application need not have. */
function isBuiltIn(type: CheckedTaskType): boolean {
  const builtIn = initialTaskTypes.find(({ name }) => name === type.name)
  return JSON.stringify(builtIn) === JSON.stringify(type)
}

function withoutPattern({ path, profile: { route }, definition: { agents } }: Place): Finding[] {
  return (route?.taskTypes ?? [])
    .filter((type) => !isBuiltIn(type) && !type.valid_patterns.includes(anyPattern))
    .filter(({ valid_patterns: names }) => !names.some((name) => Object.hasOwn(agents, name)))
    .map(({ name, valid_patterns: names }) =>
      finding(
        'task-type-without-pattern',
        `${path}.taskTypes.${name}`,
        `It is never chosen: no agent stands for one of its patterns (${names.join(', ')}). The agents are: ${Object.keys(agents).join(', ')}.`,
      ),
    )
}

/** Without any type here, all of them come from the configuration of the troupe. */
function neverValid({ path, profile: { route }, definition: { agents } }: Place): Finding[] {
  const types = route?.taskTypes ?? []
  if (route?.pattern !== undefined || types.length === 0) return []
  return Object.keys(agents)
    .filter(
      (key) => !types.some(({ valid_patterns: names }) => names.includes(key) || names.includes(anyPattern)),
    )
    .map((key) =>
      finding(
        'pattern-never-valid',
        `${path}.agents.${key}`,
        'No task type has this pattern among its valid_patterns: it runs only where a run names it, or the configuration of the troupe adds such a type.',
      ),
    )
}
