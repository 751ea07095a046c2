/**
 * The addresses of runs and their parts on Restate: a workflow service for each agent, a workflow for each run of one.
 */
import { is } from '../../actors/strict/checks.ts'

export const defaultNamespace = 'troupe'

/** The workflow service of an agent. */
export function serviceOf(namespace: string, agentId: string): string {
  return `${namespace}.${agentId}`
}

/** The service of the accounts of runs: no agent has this name, since those of agents follow a dot. */
export function accountsOf(namespace: string): string {
  return `${namespace}-accounts`
}

/** The key of the workflow that runs the agent at `path`. */
export function workflowKey(runId: string, path: string): string {
  return path.includes('/') ? `${runId}/${path}` : runId
}

const validNamespace = /^[A-Za-z][A-Za-z0-9_.-]{0,62}$/

export const aNamespace = is(
  'a letter, then at most 62 letters, digits, "_", "." or "-"',
  (given) => typeof given === 'string' && validNamespace.test(given),
)
