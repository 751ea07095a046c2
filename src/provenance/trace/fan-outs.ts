/** Rounds of a fan-out, under their correlation ids: goals, completions of all of them, and the synthesis. */
import type { RunEvent } from '../../index.ts'
import { encoded } from '../rdf/uris.ts'
import { chose, conclude } from './delegations.ts'
import type { Ledger } from './ledger.ts'
import { stepUri } from './plans.ts'
import type { Moment, Session } from './session.ts'

type FannedOut = Extract<RunEvent, { type: 'fan-out' }>['payload']
type FannedIn = Extract<RunEvent, { type: 'fan-in' }>
type Synthesised = Extract<RunEvent, { type: 'synthesis-start' }>['payload']

export function recordFanOut(ledger: Ledger, session: Session, fanOut: FannedOut, moment: Moment): void {
  const { correlationId, goals } = fanOut
  const uri = ledger.uris.mint(`${session.uri}/fanout/${encoded(correlationId)}`)
  const described = ledger
    .entity(session, uri, ['tg:FanOut'], { moment, from: session.frontier })
    .text('tg:correlationId', correlationId)
    .number('tg:expectedSiblings', goals.length)
  for (const [index, { id, goal, context, agentId, agentName, toolGroups = [] }] of goals.entries()) {
    chose(session, agentName)
    const goalUri = ledger.uris.mint(`${uri}/goal/${index + 1}`)
    const text = context === undefined ? goal : `${goal}\n\n${context}`
    ledger
      .entity(session, goalUri, ['troupe:Goal', 'troupe:Text'], { moment, from: [uri], text })
      .text('troupe:toolGroup', ...toolGroups)
    described.link('tg:subagentGoals', goalUri)
    session.goals.set(id, { uri: goalUri, goal, correlationId, agentId })
  }
  session.frontier = [uri]
}

/** Records the completion of goals that were never delegated to their agents. */
export function recordFanIn(
  ledger: Ledger,
  session: Session,
  { runId, payload }: FannedIn,
  moment: Moment,
): void {
  for (const [path, outcome] of Object.entries(payload.completions)) {
    const agentId = session.goals.get(path)?.agentId
    if (session.conclusions.has(path) || agentId === undefined) continue
    conclude(ledger, session, { runId, path, agentId, outcome }, moment)
  }
}

/** A synthesis is derived from every answer there is, and from the completions, which also record the missing ones. */
export function recordSynthesis(
  ledger: Ledger,
  session: Session,
  synthesis: Synthesised,
  moment: Moment,
): void {
  const { correlationId, missing } = synthesis
  const name = correlationId === undefined ? 'synthesis' : `synthesis/${encoded(correlationId)}`
  const uri = ledger.uris.mint(`${session.uri}/${name}`)
  const gathered = correlationId === undefined ? resultsOf(session) : conclusionsOf(session, correlationId)
  const from = [...new Set([...session.frontier, ...gathered])]
  ledger
    .entity(session, uri, ['tg:Synthesis'], { moment, from })
    .text('tg:correlationId', correlationId)
    .link('troupe:missing', ...missing.flatMap((id) => missed(session, id)))
  session.frontier = [uri]
}

function conclusionsOf(session: Session, correlationId: string): string[] {
  return Array.from(session.goals).flatMap(([path, goal]) => {
    const conclusion = goal.correlationId === correlationId ? session.conclusions.get(path) : undefined
    if (conclusion === undefined) return []
    const { answer, completion } = conclusion
    return answer === undefined ? [completion] : [answer, completion]
  })
}

function resultsOf({ results, plan }: Session): string[] {
  return [...(plan === undefined ? [] : [plan.uri]), ...results.values()]
}

/** `id`: of a delegation, or of a step of the plan in force. */
function missed({ conclusions, plan }: Session, id: string): string[] {
  const completion = conclusions.get(id)?.completion
  if (completion !== undefined) return [completion]
  return plan === undefined ? [] : [stepUri(plan.uri, id)]
}
