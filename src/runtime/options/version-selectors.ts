/** Selectors of agent versions, which a troupe and a call may give. */
import { aName, oneOf, recordOf } from '../../actors/strict/checks.ts'
import { anObject, optional, required, wrong, type Fields } from '../../actors/strict/read-options.ts'

export const agentStatuses = ['draft', 'published'] as const

/** Whether a version of an agent is published, or a draft that is taken only when it is asked for. */
export type AgentStatus = (typeof agentStatuses)[number]

/** The newest version of a status, or one version by its name. */
export type VersionSelector =
  | { readonly status: AgentStatus; readonly versionId?: never }
  | { readonly versionId: string; readonly status?: never }

/** The versions of agents that a run takes, at every place where it comes to them. */
export interface VersionOverrides {
  /** By the ids of agents. */
  readonly agents: Readonly<Record<string, VersionSelector>>
}

/** The selectors of `VersionOverrides`, without undefined fields. */
export type Selectors = VersionOverrides['agents']

const fields: Fields<VersionOverrides> = {
  agents: required(recordOf(readSelector, 'an object by the ids of agents')),
}

export const readVersions = anObject(fields, { expected: '{ agents: { … } }' })

/** Throws a `ConfigurationError` for a value that is no selector of versions. */
export function selectorsOf(given: unknown, where: string): Selectors {
  return given === undefined ? {} : readVersions(given, where).agents
}

const selectorFields: Fields<VersionSelector> = {
  status: optional(oneOf(...agentStatuses)),
  versionId: optional(aName),
}

function readSelector(given: unknown, where: string): VersionSelector {
  const selector = anObject(selectorFields, { expected: '{ status: … } or { versionId: … }' })(given, where)
  const { status, versionId } = selector
  if ((status === undefined) !== (versionId === undefined)) return selector
  throw wrong(given, where, '{ status: … } or { versionId: … }')
}
