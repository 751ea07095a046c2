/** Calls for which a run waits for a person. */
import { finding, type Finding } from './finding.ts'
import { toolsOf, type AgentTree, type Place } from './tree.ts'

/** How runs are started: `generate` gives no handle by which a person could answer. */
export type Entry = 'troupe' | 'generate'

export function questions({ byAgent }: AgentTree, entry: Entry): Finding[] {
  return byAgent.flatMap(([place]) => [
    ...approvals(place, entry),
    ...delegations(place, entry),
    ...interruptions(place),
  ])
}

function approvals(place: Place, entry: Entry): Finding[] {
  return toolsOf(place).flatMap(([name, { requireApproval, approvalTimeout }]) => {
    if (requireApproval === false) return []
    const calls = requireApproval === true ? 'Each call of it waits' : 'Calls of it may wait'
    return approval(`${place.path}.tools.${name}`, calls, approvalTimeout, entry)
  })
}

function delegations(place: Place, entry: Entry): Finding[] {
  const { requireApproval = false, approvalTimeout } = place.profile.delegation
  if (requireApproval === false || place.subagents.size === 0) return []
  const calls = requireApproval === true ? 'Each delegation waits' : 'Delegations may wait'
  return approval(`${place.path}.delegation.requireApproval`, calls, approvalTimeout, entry)
}

function approval(path: string, calls: string, timeout: number | undefined, entry: Entry): Finding[] {
  if (entry === 'generate') {
    return [
      finding(
        'approval-without-handle',
        path,
        `${calls} for approval, and generate() comes back as suspended without a handle to give it. Start such runs with troupe.start or stream().`,
      ),
    ]
  }
  if (timeout !== undefined) return []
  return [
    finding(
      'approval-without-deadline',
      path,
      `${calls} for approval without a deadline: the run is suspended until a person answers. approvalTimeout limits it.`,
    ),
  ]
}

function interruptions(place: Place): Finding[] {
  return toolsOf(place)
    .filter(([, { onInterrupted }]) => onInterrupted === 'ask')
    .map(([name]) =>
      finding(
        'interruption-asks',
        `${place.path}.tools.${name}`,
        'After a crash during the call the run waits for a person, without a deadline (onInterrupted: "ask").',
      ),
    )
}
