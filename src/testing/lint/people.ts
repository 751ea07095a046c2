/** Calls for which a run waits for a person. */
import { planName } from '../../machines/plan-then-execute/plan-approval.ts'
import { delegationPrefix } from '../../actors/strict/ids.ts'
import { asksPerson, finding, type Confirmation, type Finding } from './finding.ts'
import { toolsOf, type AgentTree, type Place } from './tree.ts'

/** How runs are started: `generate` gives no handle by which a person could answer. */
export type Entry = 'troupe' | 'generate'

export function questions({ byAgent }: AgentTree, entry: Entry): Finding[] {
  return byAgent.flatMap(([place]) => [
    ...approvals(place, entry),
    ...delegations(place, entry),
    ...plans(place, entry),
    ...interruptions(place),
  ])
}

function approvals(place: Place, entry: Entry): Finding[] {
  return toolsOf(place).flatMap(([name, { requireApproval, approvalTimeout }]) => {
    if (requireApproval === false) return []
    const path = `${place.path}.tools.${name}`
    // A predicate may let every call run without a question.
    if (requireApproval !== true) return approval(path, 'Calls of it may wait', approvalTimeout, entry)
    const explore = asksPerson(place.definition.id, [name], 'tool-call-approval')
    return approval(path, 'Each call of it waits', approvalTimeout, entry, explore)
  })
}

function delegations(place: Place, entry: Entry): Finding[] {
  const { requireApproval = false, approvalTimeout } = place.profile.delegation
  if (requireApproval === false || place.subagents.size === 0) return []
  const path = `${place.path}.delegation.requireApproval`
  if (requireApproval !== true) return approval(path, 'Delegations may wait', approvalTimeout, entry)
  const tools = [...place.subagents.keys()].map((key) => delegationPrefix + key)
  const explore = asksPerson(place.definition.id, tools, 'tool-call-approval')
  return approval(path, 'Each delegation waits', approvalTimeout, entry, explore)
}

/** Silence is no answer to a plan: cancel such a run. */
function plans({ definition, path, profile }: Place, entry: Entry): Finding[] {
  const { approvePlan = false } = profile
  if (approvePlan === false || entry !== 'generate') return []
  if (approvePlan !== true) return approval(`${path}.approvePlan`, 'Plans may wait', undefined, entry)
  const explore = asksPerson(definition.id, [planName], 'tool-call-approval')
  return approval(`${path}.approvePlan`, 'Each plan waits', undefined, entry, explore)
}

function approval(
  path: string,
  calls: string,
  timeout: number | undefined,
  entry: Entry,
  explore?: Confirmation,
): Finding[] {
  if (entry === 'generate') {
    return [
      finding(
        'approval-without-handle',
        path,
        `${calls} for approval, and generate() comes back as suspended without a handle to give it. Start such runs with troupe.start or stream().`,
        explore,
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
        asksPerson(place.definition.id, [name], 'tool-call-suspended'),
      ),
    )
}
