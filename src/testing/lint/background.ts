/** Work in the background: more of it than a step allows, and tools whose option no agent can follow. */
import { backgroundPatterns } from '../../runtime/definition/profile.ts'
import { finding, type Finding } from './finding.ts'
import { toolsOf, type AgentTree, type Place } from './tree.ts'

export function inBackground(tree: AgentTree): Finding[] {
  return tree.byAgent.flatMap(([place]) => [...beyondWindow(place), ...waitedFor(place, tree)])
}

/** Background work needs no place among the calls of a step. */
function beyondWindow({ path, profile, definition }: Place): Finding[] {
  const { toolCallConcurrency } = profile
  const tasks = Object.entries(profile.background).map(
    ([key, task]) => [`${path}.backgroundTasks.${key}.concurrency`, task?.concurrency ?? 0] as const,
  )
  const calls = Object.entries(definition.tools).map(
    ([name, { background }]) =>
      [`${path}.tools.${name}.background.concurrency`, background?.concurrency ?? 0] as const,
  )
  return [...tasks, ...calls]
    .filter(([, concurrency]) => concurrency > toolCallConcurrency)
    .map(([option, concurrency]) =>
      finding(
        'background-beyond-window',
        option,
        `${concurrency} of them run side by side, more than toolCallConcurrency (${toolCallConcurrency}) allows calls of a step: it does not hold in the background.`,
      ),
    )
}

/** The agent waits for its calls, and no supervisor delegates to it in the background because of them. */
function waitedFor(place: Place, tree: AgentTree): Finding[] {
  const { definition, path } = place
  if (backgroundPatterns.includes(definition.pattern) || isUnderSupervisor(place, tree)) return []
  return toolsOf(place)
    .filter(([, { background }]) => background !== undefined)
    .map(([name]) =>
      finding(
        'option-without-effect',
        `${path}.tools.${name}.background`,
        'It has no effect: agents of this pattern wait for each call.',
      ),
    )
}

function isUnderSupervisor({ definition }: Place, { places }: AgentTree): boolean {
  return places.some(
    (other) =>
      backgroundPatterns.includes(other.definition.pattern) &&
      [...other.subagents.values()].some(({ members: [first] }) => first.definition === definition),
  )
}
