/** Remarks on an iteration: by the agent itself, by hooks and by scorers. */
import type { RunEvent } from '../../runtime/handle/run-event.ts'
import { encoded } from '../rdf/uris.ts'
import type { Ledger } from './ledger.ts'
import type { Moment, Session } from './session.ts'

type Payload<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>['payload']

export function recordCritique(
  ledger: Ledger,
  session: Session,
  { step, satisfied, critique }: Payload<'critique'>,
  moment: Moment,
): void {
  const uri = ledger.uris.mint(`${session.uri}/i${step}/critique`)
  ledger
    .entity(session, uri, ['troupe:Critique'], { moment, from: session.frontier, text: critique })
    .flag('troupe:satisfied', satisfied)
  session.goOn(uri)
}

export function recordScore(
  ledger: Ledger,
  session: Session,
  { id, score, reason, passed, error }: Payload<'scorer-result'>,
  moment: Moment,
): void {
  const uri = ledger.uris.mint(`${session.uri}/i${session.lastStep}/score/${encoded(id)}`)
  ledger
    .entity(session, uri, ['troupe:Score'], { moment, from: session.frontier, text: reason })
    .text('troupe:scorerId', id)
    .number('troupe:score', score)
    .flag('troupe:passed', passed)
    .text('troupe:errorCode', error?.code)
  session.scores = [...session.scores, uri]
}

/** Records the feedback that the model receives before it goes on. */
export function recordFeedback(
  ledger: Ledger,
  session: Session,
  { iteration, message }: Payload<'iteration-feedback'>,
  moment: Moment,
): void {
  const uri = ledger.uris.mint(`${session.uri}/i${iteration}/feedback`)
  const from = [...session.frontier, ...session.scores]
  ledger.entity(session, uri, ['troupe:Feedback'], { moment, from, text: message })
  session.scores = []
  session.goOn(uri)
}
