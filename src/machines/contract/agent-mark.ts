/** The mark of a logic that is an agent, by which tools that look at a machine know that this child calls models. */

const agentMark = Symbol.for('troupe.agent')

/** `run`: an agent in a machine of the application; it ends with a result. `subagent`: an agent within a run. */
export type AgentMark = 'run' | 'subagent'

/** Returns the logic itself, with the mark. */
export function markAgent<Logic extends object>(logic: Logic, mark: AgentMark): Logic {
  return Object.defineProperty(logic, agentMark, { value: mark })
}

const failsMark = Symbol.for('troupe.agent.fails')

/** Marks a logic whose actor fails with its run: it is never done with a run that has failed. */
export function markFailing<Logic extends object>(logic: Logic): Logic {
  return Object.defineProperty(logic, failsMark, { value: true })
}

export function failsWithItsRun(logic: unknown): boolean {
  return typeof logic === 'object' && logic !== null && Reflect.get(logic, failsMark) === true
}

export function agentMarkOf(logic: unknown): AgentMark | undefined {
  return typeof logic === 'object' && logic !== null
    ? (logic as { readonly [agentMark]?: AgentMark })[agentMark]
    : undefined
}
