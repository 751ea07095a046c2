/** Begins and ends the session of an agent: its question, and the answer that is derived from its work. */
import type { ErrorData } from '../../index.ts'
import { closeStep } from './iterations.ts'
import type { Ledger } from './ledger.ts'
import { Session, type Moment } from './session.ts'

export interface Beginning {
  readonly runId: string
  /** The path of its agent. */
  readonly path: string
  readonly agent: string
  readonly question: string
  readonly parent?: Session | undefined
  /** The session that handed the conversation to it. */
  readonly before?: Session
  /** The entities of its parent, or of the session before, that caused it. */
  readonly causes: readonly string[]
  /** In a fan-out, where it has one goal of several. */
  readonly correlationId?: string | undefined
}

export function beginSession(ledger: Ledger, beginning: Beginning, moment: Moment): Session {
  const { runId, path, agent, question: goal, parent, before, causes, correlationId } = beginning
  const { uris } = ledger
  const asker = before ?? parent
  const uri = uris.mint(uris.session(runId, asker && path))
  const question = uris.mint(`${uri}/question`)
  const handoffs = before === undefined ? 0 : before.handoffs + 1
  const id = asker === undefined ? runId : `${runId}/${path}`
  const session = new Session({ id, uri, path, agent, goal, question, parent, correlationId, handoffs })
  asker?.ledTo(causes, moment.at)
  if (asker === undefined) {
    // The question came from outside: the run does not know its author or its time.
    ledger
      .about(session, question)
      .is('prov:Entity', 'troupe:Task')
      .text('prov:value', goal)
      .number('troupe:sequence', moment.seq)
  } else {
    ledger.entity(session, question, ['troupe:Task'], { by: asker.uri, moment, from: causes, text: goal })
  }
  const described = ledger
    .activity(session, uri, ['tg:Question', 'tg:AgentQuestion'], moment.at)
    .text('rdfs:label', `${agent} at work`)
    .text('tg:query', goal)
    .text('troupe:runId', runId)
    .text('troupe:sessionId', id)
    .link('prov:used', question)
  if (asker !== undefined) described.link('prov:wasInformedBy', asker.uri)
  if (parent !== undefined) {
    described.text('tg:parentSessionId', parent.id).text('tg:parentCorrelationId', correlationId)
    if (parent.agent !== agent) {
      ledger.statements.about(ledger.agent(agent)).link('prov:actedOnBehalfOf', ledger.agent(parent.agent))
    }
  }
  return session
}

export interface Ending {
  readonly outcome: string
  /** Of the subagent, where its delegation ended otherwise. */
  readonly subagentOutcome?: string | undefined
  readonly text: string
  readonly reason?: string | undefined
  readonly error?: ErrorData | undefined
  readonly hasBailed: boolean
}

/** Ends a session. Returns the URI of its answer; `undefined` where it has none. */
export function endSession(
  ledger: Ledger,
  session: Session,
  ending: Ending,
  moment: Moment,
): string | undefined {
  const { outcome, subagentOutcome, text, reason, error, hasBailed } = ending
  closeStep(ledger, session, moment.at)
  ledger
    .about(session, session.uri)
    .time('prov:endedAtTime', moment.at)
    .text('troupe:outcome', outcome)
    .text('troupe:subagentOutcome', subagentOutcome)
    .text('tg:terminationReason', reason)
    .text('troupe:errorCode', error?.code)
    .text('troupe:error', error?.message)
  if (text === '') return undefined
  const answer = ledger.uris.mint(`${session.uri}/answer`)
  const from = hasBailed && session.bail !== undefined ? [session.bail] : session.frontier
  ledger
    .entity(session, answer, ['tg:Conclusion', 'tg:Answer'], { moment, from, text })
    .text('tg:terminationReason', reason ?? outcome)
    .link('prov:wasAttributedTo', ledger.agent(session.agent))
  return answer
}
