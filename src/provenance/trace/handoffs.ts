/** Handoffs: an agent hands its conversation on, and its successor goes on with it in a session of its own. */
import type { RunEvent } from '../../index.ts'
import { handoffPrefix } from '../../kit/host.ts'
import { sibling, successorId } from '../../kit/index.ts'
import type { Ledger, Option } from './ledger.ts'
import type { Moment, Session } from './session.ts'
import { beginSession, endSession } from './sessions.ts'

type HandedOn = Extract<RunEvent, { type: 'handoff' }>

/** Records a handoff, and returns the session of the successor. */
export function handOn(
  ledger: Ledger,
  session: Session,
  { runId, payload }: HandedOn,
  moment: Moment,
): Session {
  const { from, to, reason, input, resumed } = payload
  const { asked, offered } = session.transfers
  const [chosen = to] = keysOf(asked) // of several calls the first counts
  const option = (key: string): Option => ({
    uri: ledger.uris.primitive(session.agent, 'handoff', key),
    label: key,
  })
  const uri = ledger.uris.mint(`${session.uri}/handoff`)
  const handoff = ledger.choice(
    session,
    uri,
    ['troupe:Handoff'],
    {
      subject: 'handoff',
      candidates: [...new Set([...keysOf(offered), chosen])].map(option),
      chosen: option(chosen),
      criterion: resumed === true ? 'goes on with a conversation' : 'model',
      rationale: reason,
    },
    { moment, from: session.frontier },
  )
  endSession(ledger, session, { outcome: 'handedOff', text: '', hasBailed: false }, moment)
  const successor = beginSession(
    ledger,
    {
      runId,
      path: sibling(session.path, successorId(to, session.handoffs + 1)),
      agent: to,
      question: session.goal,
      parent: session.parent,
      correlationId: session.correlationId,
      before: session,
      causes: [uri, session.question],
    },
    moment,
  )
  ledger.about(successor, successor.uri).link('prov:used', uri)
  handoff
    .text('troupe:agentId', from)
    .text('tg:arguments', input === undefined ? undefined : JSON.stringify(input))
    .link('troupe:successor', successor.uri)
  session.successor = successor
  return successor
}

function keysOf(calls: readonly string[]): string[] {
  return calls.flatMap((name) => (name.startsWith(handoffPrefix) ? [name.slice(handoffPrefix.length)] : []))
}
