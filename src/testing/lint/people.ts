/** Calls for which a run waits for a person. */
import { asksPerson } from './confirmations.ts'
import { finding, type Finding } from './finding.ts'
import { toolsOf, type AgentTree, type Place } from './tree.ts'

/** How runs are started: `generate` gives no handle by which a person could answer. */
export type Entry = 'troupe' | 'generate'

export function questions({ byAgent }: AgentTree, entry: Entry): Finding[] {
  return byAgent.flatMap(([place]) => [...approvals(place, entry), ...interruptions(place)])
}

function approvals(place: Place, entry: Entry): Finding[] {
  return toolsOf(place).flatMap(([name, { requireApproval, approvalTimeout }]) => {
    if (requireApproval === false) return []
    const path = `${place.path}.tools.${name}`
    const calls = requireApproval === true ? 'Each call of it waits' : 'Calls of it may wait'
    if (entry === 'generate') {
      return finding(
        'approval-without-handle',
        path,
        `${calls} for approval, and generate() comes back as suspended without a handle to give it. Start such runs with troupe.start or stream().`,
        // A predicate may approve every call.
        requireApproval === true ? asksPerson(place.definition.id, name, 'tool-call-approval') : undefined,
      )
    }
    if (approvalTimeout !== undefined) return []
    return finding(
      'approval-without-deadline',
      path,
      `${calls} for approval without a deadline: the run is suspended until a person answers. approvalTimeout limits it.`,
    )
  })
}

function interruptions(place: Place): Finding[] {
  return toolsOf(place)
    .filter(([, { onInterrupted }]) => onInterrupted === 'ask')
    .map(([name]) =>
      finding(
        'interruption-asks',
        `${place.path}.tools.${name}`,
        'After a crash during the call the run waits for a person, without a deadline (onInterrupted: "ask").',
        asksPerson(place.definition.id, name, 'tool-call-suspended'),
      ),
    )
}
