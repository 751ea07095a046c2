/** Which `Mastra` an agent is registered with, and under which key. */
import type { Agent } from './agent.ts'
import type { Mastra } from './mastra.ts'

interface Registration {
  readonly mastra: Mastra
  readonly key: string
}

const registrations = new WeakMap<Agent, Registration>()

export function register(agent: Agent, registration: Registration): void {
  registrations.set(agent, registration)
}

export function registrationOf(agent: Agent): Registration | undefined {
  return registrations.get(agent)
}
