/** Loads agents from modules of the user. */
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ConfigurationError, toErrorData } from '../../errors.ts'
import type { AnyAgent } from '../../runtime/definition/definition.ts'

/** Rejects with a `ConfigurationError` for a module that cannot be loaded, or that exports no agent. */
export async function loadAgents(paths: readonly string[]): Promise<readonly AnyAgent[]> {
  const found = new Set<AnyAgent>()
  for (const path of paths) {
    const exported = Object.values(await load(path))
    const agents = exported.flat().filter(isAgent)
    if (agents.length === 0) throw new ConfigurationError(`inspect: --agents: "${path}" exports no agent.`)
    for (const agent of agents) found.add(agent)
  }
  return [...found]
}

async function load(path: string): Promise<object> {
  try {
    return (await import(pathToFileURL(resolve(path)).href)) as object
  } catch (cause) {
    const { message } = toErrorData(cause)
    throw new ConfigurationError(`inspect: --agents: "${path}" cannot be loaded: ${message}`, { cause })
  }
}

/** A module exports other things too. */
function isAgent(value: unknown): value is AnyAgent {
  if (value === null || typeof value !== 'object') return false
  return typeof Reflect.get(value, 'id') === 'string' && typeof Reflect.get(value, 'chart') === 'function'
}
