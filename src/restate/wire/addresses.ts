/**
 * The addresses of runs and their parts on Restate: a workflow service for each agent, a workflow for each run of one.
 */
import { is } from '../../actors/strict/checks.ts'

export const defaultNamespace = 'troupe'

/** The workflow service of an agent. */
export function serviceOf(namespace: string, agentId: string): string {
  return `${namespace}.${agentId}`
}

/** The key of the workflow that runs the agent at `path`. */
export function workflowKey(runId: string, path: string): string {
  return path.includes('/') ? `${runId}/${path}` : runId
}

/** The path of the parent of an actor; for an agent, that of its delegation. */
export function parentPath(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** Whether the agent at `path` is a successor: it runs in the workflow of the agent whose conversation it took over. */
export function isSuccessor(path: string): boolean {
  return path.slice(path.lastIndexOf('/') + 1).includes('~')
}

/** The path and id of the agent whose workflow holds the actor at `path`. Agents are the actors whose id has no ":". */
export function ownerOf(path: string): { readonly path: string; readonly agent: string } {
  const ids = path.split('/')
  while (ids.at(-1)?.includes(':') === true) ids.pop()
  return { path: ids.join('/'), agent: ids.at(-1)?.split('~', 1)[0] ?? '' }
}

const validNamespace = /^[A-Za-z][A-Za-z0-9_.-]{0,62}$/

export const aNamespace = is(
  'a letter, then at most 62 letters, digits, "_", "." or "-"',
  (given) => typeof given === 'string' && validNamespace.test(given),
)
