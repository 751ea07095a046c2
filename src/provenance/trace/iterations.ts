/** Iterations: the offered tools, the text and the actions of the model in a step, and the remarks on it. */
import type { RunEvent } from '../../index.ts'
import type { Ledger } from './ledger.ts'
import type { Moment, Session } from './session.ts'
import { encoded } from '../rdf/uris.ts'

type StepStart = Extract<RunEvent, { type: 'step-start' }>['payload']
type StepFinish = Extract<RunEvent, { type: 'step-finish' }>['payload']

export function openStep(
  ledger: Ledger,
  session: Session,
  { step, offered = [] }: StepStart,
  begun: Moment,
): void {
  closeStep(ledger, session, begun.at)
  const uri = ledger.uris.mint(`${session.uri}/i${step}`)
  ledger.about(session, uri) // its position is here, before the entities derived from it
  session.step = {
    number: step,
    uri,
    begun,
    from: session.frontier,
    offered,
    actions: [],
    repliedAt: undefined,
    text: undefined,
    thought: undefined,
    usage: undefined,
    finishReason: undefined,
    failedAttempts: 0,
  }
  session.steps.set(step, uri)
  session.lastStep = step
  session.decision = undefined
  session.frontier = [uri]
}

export function finishStep(
  ledger: Ledger,
  session: Session,
  { usage, finishReason, handoffs = [] }: StepFinish,
  { at }: Moment,
): void {
  if (session.step === undefined) return
  session.step.usage = usage
  session.step.finishReason = finishReason
  session.step.actions.push(...handoffs)
  session.transfers = { asked: handoffs, offered: session.step.offered }
  closeStep(ledger, session, at)
}

/** Records the open iteration, if there is one. `at`: when it ended, or when the next event came. */
export function closeStep(ledger: Ledger, session: Session, at: number): void {
  const { step } = session
  if (step === undefined) return
  session.step = undefined
  const { uri, number, begun, from, text, thought, usage, offered, actions, failedAttempts } = step
  const moment = { at: step.repliedAt ?? at, seq: begun.seq }
  const described = ledger
    .entity(session, uri, ['tg:Analysis'], { moment, from, text })
    .number('tg:stepNumber', number)
    .text('tg:toolCandidate', ...offered)
    .text('tg:action', ...actions)
    .text('troupe:finishReason', step.finishReason)
    .number('tg:inToken', usage?.inputTokens)
    .number('tg:outToken', usage?.outputTokens)
    .number('troupe:cost', usage?.cost)
    .number('troupe:failedAttempts', failedAttempts === 0 ? undefined : failedAttempts)
  if (thought === undefined) return
  const thoughtUri = ledger.uris.mint(`${uri}/thought`)
  ledger.entity(session, thoughtUri, ['tg:Thought', 'troupe:Text'], { moment, from, text: thought })
  described.link('tg:thought', thoughtUri).link('prov:wasDerivedFrom', thoughtUri)
}

type Payload<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>['payload']

/** Remarks on an iteration: by the agent itself, by hooks and by scorers. */
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

/** Texts that were found for the task: the first iteration derives from them. */
export function recordRecalled(
  ledger: Ledger,
  session: Session,
  { passages }: Payload<'recalled'>,
  moment: Moment,
): void {
  const from = session.frontier
  const uris = passages.map(({ id, text, source, score }, index) => {
    const uri = ledger.uris.mint(`${session.uri}/recalled/${index + 1}`)
    ledger
      .entity(session, uri, ['troupe:Passage'], { moment, from, text })
      .text('troupe:passageId', id)
      .text('troupe:source', source)
      .number('troupe:score', score)
    return uri
  })
  session.goOn(...uris)
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
