/** Delegations: the session of a subagent is below its parent's, and the parent goes on from its completion. */
import type { DelegationOutcome, ErrorData, RunEvent, SubagentOutcome } from '../../index.ts'
import { below } from '../../kit/index.ts'
import { answeredWith } from '../../kit/host.ts'
import { causesOfDelegation, choseInBackground } from './causes.ts'
import type { Ledger } from './ledger.ts'
import type { Conclusion, Moment, Session } from './session.ts'
import { beginSession, endSession } from './sessions.ts'

type Started = Extract<RunEvent, { type: 'delegation-start' }>
type Ended = Extract<RunEvent, { type: 'delegation-end' }>
type Rejected = Extract<RunEvent, { type: 'delegation-rejected' }>

export function beginDelegation(
  ledger: Ledger,
  parent: Session,
  { runId, path, payload }: Started,
  moment: Moment,
  inBackground: boolean,
): Session {
  const { agentName, agentId, prompt, toolGroups = [] } = payload
  if (inBackground) choseInBackground(ledger, parent, path, `agent-${agentName}`)
  else chose(parent, agentName)
  const child = beginSession(
    ledger,
    {
      runId,
      path: below(path, agentId),
      agent: agentId,
      question: prompt,
      parent,
      causes: causesOfDelegation(parent, path),
      correlationId: parent.goals.get(path)?.correlationId,
    },
    moment,
  )
  const described = ledger.about(child, child.uri).text('troupe:toolGroup', ...toolGroups)
  if (inBackground) described.flag('troupe:background', true)
  return child
}

/** `child`: the session that had the conversation last; `undefined` where the subagent never ran. */
export function endDelegation(
  ledger: Ledger,
  parent: Session,
  child: Session | undefined,
  { runId, path, payload }: Ended,
  moment: Moment,
): void {
  const { outcome, subagentOutcome, text, error, agentId } = payload
  if (child === undefined) chose(parent, payload.agentName)
  const isUsable = outcome === 'succeeded' || outcome === 'bailed'
  const answer =
    child && endSession(ledger, child, { outcome, subagentOutcome, text, error, hasBailed: isUsable }, moment)
  const completion: Completion = { runId, path, agentId, outcome, subagentOutcome, error, child, answer }
  conclude(ledger, parent, completion, moment)
}

/** Records a delegation whose subagent never runs; the parent gets the reason. */
export function rejectDelegation(
  ledger: Ledger,
  parent: Session,
  { runId, path, payload }: Rejected,
  moment: Moment,
): void {
  const { agentId, agentName, reason } = payload
  chose(parent, agentName)
  conclude(ledger, parent, { runId, path, agentId, outcome: 'rejected', reason }, moment)
}

/** Records the delegation that the model requested, with any outcome. */
export function chose(parent: Session, agentName: string): void {
  parent.step?.actions.push(`agent-${agentName}`)
}

interface Completion {
  readonly runId: string
  /** The path of the delegation. */
  readonly path: string
  readonly agentId: string
  readonly outcome: DelegationOutcome
  /** Where the delegation ended otherwise. */
  readonly subagentOutcome?: SubagentOutcome | undefined
  readonly error?: ErrorData | undefined
  /** The reason of a rejection. */
  readonly reason?: string
  readonly child?: Session | undefined
  readonly answer?: string | undefined
}

/** Records the completion that the parent receives, failures included. */
export function conclude(
  ledger: Ledger,
  parent: Session,
  completion: Completion,
  moment: Moment,
): Conclusion {
  const { runId, path, agentId, outcome, subagentOutcome, error, reason, child, answer } = completion
  const { uris } = ledger
  const goal = parent.goals.get(path)
  const sessionUri = child?.uri ?? uris.session(runId, below(path, agentId))
  const uri = uris.mint(`${sessionUri}/completion`)
  const from = answer !== undefined ? [answer] : (child?.frontier ?? causesOfDelegation(parent, path))
  ledger
    .entity(child ?? parent, uri, ['tg:SubagentCompletion'], { moment, from })
    .text('tg:correlationId', goal?.correlationId)
    .text('tg:subagentSessionId', child?.id ?? `${runId}/${path}/${agentId}`)
    .text('tg:parentSessionId', parent.id)
    .text('tg:subagentGoal', goal?.goal ?? child?.goal)
    .text('troupe:agentId', agentId)
    .text('tg:status', answeredWith({ outcome, subagentOutcome }) === 'succeeded' ? 'success' : 'error')
    .text('troupe:outcome', outcome)
    .text('troupe:subagentOutcome', subagentOutcome)
    .text('troupe:error', error?.message ?? reason)
    .text('troupe:errorCode', error?.code)
    .link('tg:result', ...(answer === undefined ? [] : [answer]))
  ledger.about(parent, parent.uri).link('prov:used', uri)
  const conclusion = { completion: uri, answer }
  parent.conclusions.set(path, conclusion)
  if (parent.plan === undefined) parent.goOn(uri)
  recordRemark(ledger, parent, { uri: `${sessionUri}/feedback`, path, completion: uri }, moment)
  return conclusion
}

interface Remark {
  readonly uri: string
  /** The path of the delegation. */
  readonly path: string
  readonly completion: string
}

/** Records the feedback of `onDelegationComplete`, which was given before the delegation ended. */
function recordRemark(
  ledger: Ledger,
  parent: Session,
  { uri, path, completion }: Remark,
  moment: Moment,
): void {
  const text = parent.delegationFeedback.get(path)
  if (text === undefined) return
  parent.delegationFeedback.delete(path)
  const minted = ledger.uris.mint(uri)
  ledger.entity(parent, minted, ['troupe:Feedback'], { moment, from: [completion], text })
  parent.goOn(minted)
}
