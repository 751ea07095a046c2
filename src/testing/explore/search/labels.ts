/** Effects as a report names them. */
import { agentAt, lastId, parentPath } from '../../../actors/actor-path.ts'
import { isKind, type PendingEffect } from '../../../runtime/state/effects/pending-effect.ts'

/** The agent, tool or function that an outcome comes from. */
export function subjectOf(effect: PendingEffect): string {
  const where = whereOf(effect)
  if (isKind(effect, 'model')) return `${where}:`
  if (isKind(effect, 'compaction')) return `the compaction of ${where}:`
  if (isKind(effect, 'tool')) return `${effect.request.input.tool} of ${where}`
  if (isKind(effect, 'hook')) return `${effect.request.input.hook} of ${where}`
  if (isKind(effect, 'scorer')) return `the scorer ${effect.request.input.scorer} of ${where}`
  if (isKind(effect, 'memory')) return `the memory of ${where}: ${effect.request.input.operation}`
  return `${effect.kind} of ${where}`
}

/** The agent, with the delegation that tells it from others of its name. */
export function whereOf({ source }: PendingEffect): string {
  const agent = agentAt(source.path)
  const delegation = source.delegationId
  if (delegation === undefined) return agent
  const place = lastId(delegation).replace('delegation:', '')
  const below =
    source.path === delegation ? ` (delegation ${place})` : ` (${agentAt(parentPath(delegation))} ${place})`
  return agent + below
}
