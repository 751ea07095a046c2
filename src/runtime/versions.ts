/** Which version of each agent a run takes: how it is asked for, on a troupe and per call. */
import { isRecord } from '../actors/json.ts'
import { assertKnown } from '../actors/tool.ts'
import { ConfigurationError } from '../errors.ts'

export const agentStatuses = ['draft', 'published'] as const

export type AgentStatus = (typeof agentStatuses)[number]

/** The newest version of a status, or one version by its name. */
export type VersionSelector =
  | { readonly status: AgentStatus; readonly versionId?: never }
  | { readonly versionId: string; readonly status?: never }

/** Which version of an agent is taken, wherever a run comes to it. */
export interface VersionOverrides {
  /** By the ids of agents. */
  readonly agents: Readonly<Record<string, VersionSelector>>
}

/** As `VersionOverrides`, without what was left undefined. */
export type Selectors = VersionOverrides['agents']

/** Throws a `ConfigurationError` for what is no selector of versions. */
export function selectorsOf(given: unknown, where: string): Selectors {
  if (given === undefined) return {}
  if (!isRecord(given)) throw new ConfigurationError(`${where} must be { agents: { … } }.`)
  assertKnown(given, where, ['agents'])
  const { agents } = given
  if (!isRecord(agents))
    throw new ConfigurationError(`${where}.agents must be an object by the ids of agents.`)
  const asked = Object.entries(agents).filter(([, selector]) => selector !== undefined)
  return Object.fromEntries(
    asked.map(([id, selector]) => [id, selectorOf(selector, `${where}.agents.${id}`)] as const),
  )
}

function selectorOf(given: unknown, where: string): VersionSelector {
  const { status, versionId } = isRecord(given) ? given : {}
  if (!isRecord(given) || (status === undefined) === (versionId === undefined)) {
    throw new ConfigurationError(`${where} must be { status: … } or { versionId: … }.`)
  }
  assertKnown(given, where, ['status', 'versionId'])
  if (status !== undefined) {
    assertStatus(status, where)
    return { status }
  }
  if (typeof versionId === 'string' && versionId !== '') return { versionId }
  throw new ConfigurationError(`${where}.versionId must be a text that is not empty.`)
}

/** Throws a `ConfigurationError`. */
export function assertStatus(status: unknown, where: string): asserts status is AgentStatus {
  if (agentStatuses.some((known) => known === status)) return
  throw new ConfigurationError(
    `${where}: status must be 'draft' or 'published', not ${JSON.stringify(status)}.`,
  )
}
