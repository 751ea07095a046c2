/** Answers and messages of people. Approvals are choices, data for a call is an entity that its observation derives from. */
import type { RunEvent, AnswerPayload, Saying } from '../../index.ts'
import { placeOf } from '../../kit/index.ts'
import type { Description } from '../rdf/statements.ts'
import { iriOf } from '../rdf/terms.ts'
import { causesOf } from './causes.ts'
import type { Ledger, Making } from './ledger.ts'
import type { Moment, Session, ToolCall } from './session.ts'
import { encoded } from '../rdf/uris.ts'

type Answered = Extract<RunEvent, { type: 'tool-call-answered' }>

const approve = { uri: iriOf('troupe:approve'), label: 'approve' }
const deny = { uri: iriOf('troupe:deny'), label: 'deny' }

/** The answer to a question about a call. Its approval is recorded with its end. */
export function answerCall(ledger: Ledger, call: ToolCall, { payload }: Answered, moment: Moment): void {
  if (payload.type === 'approval') {
    call.approval = payload
    return
  }
  const uri = ledger.uris.mint(`${call.uri}/answer`)
  const text = payload.data === undefined ? payload.reason : JSON.stringify(payload.data)
  const making = { by: call.uri, moment, from: call.from, text }
  said(ledger.entity(call.session, uri, ['troupe:Answer'], making), payload)
  call.answers.push(uri)
}

/** The answer to a question about a delegation: its subagent, or its rejection, derives from it. */
export function answerDelegation(
  ledger: Ledger,
  session: Session,
  { path, payload }: Answered,
  moment: Moment,
): void {
  const id = path.slice(path.lastIndexOf('/') + 1)
  const about = { uri: `${session.uri}/${id}/approval`, name: payload.toolName }
  const uri = approvalOf(ledger, session, about, payload, { moment, from: causesOf(session, path) })
  session.approvals.set(path, uri)
}

/** The answer to a question about a plan: the plan that comes into force, or the next one, derives from it. */
export function answerPlan(ledger: Ledger, session: Session, { payload }: Answered, moment: Moment): void {
  const place = placeOf(payload.toolCallId)
  const about = { uri: `${session.uri}/plan-approval/${place}`, name: 'the plan' }
  const from = [...new Set([...session.frontier, ...session.results.values()])]
  session.goOn(approvalOf(ledger, session, about, payload, { moment, from }))
}

/** Records a person's choice. Returns its URI. */
export function approvalOf(
  ledger: Ledger,
  session: Session,
  { uri: wanted, name }: { readonly uri: string; readonly name: string },
  answer: Omit<AnswerPayload, 'type'>,
  making: Making,
): string {
  const uri = ledger.uris.mint(wanted)
  const choosing = {
    subject: `approval of ${name}`,
    candidates: [approve, deny],
    chosen: answer.approved ? approve : deny,
    criterion: 'person',
    rationale: answer.approved ? undefined : answer.reason,
  }
  said(ledger.choice(session, uri, ['troupe:Approval'], choosing, making), answer)
  return uri
}

function said(described: Description, { by, note, args }: Omit<AnswerPayload, 'type'>): void {
  described
    .text('troupe:answeredBy', by)
    .text('troupe:note', note)
    .text('troupe:changedArguments', args === undefined ? undefined : JSON.stringify(args))
}

/** Messages of people in mid-run: entities from outside of the run, which the next reply of the model derives from. */
export class Messages {
  readonly #ledger: Ledger
  /** The messages that an agent has taken, by id; a successor may be the one that reads them. */
  readonly #taken = new Map<string, { readonly saying: Saying; readonly at: number }>()

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  taken(saying: Saying, { at }: Moment): void {
    this.#taken.set(saying.id, { saying, at })
  }

  /** The model of the session reads the message with its next request. */
  heard(session: Session, { id }: Pick<Saying, 'id'>, moment: Moment): void {
    const taken = this.#taken.get(id)
    if (taken === undefined) return
    const { message, by } = taken.saying
    const ledger = this.#ledger
    const uri = ledger.uris.mint(`${session.uri}/message/${encoded(id)}`)
    const described = ledger
      .about(session, uri)
      .is('prov:Entity', 'troupe:Message')
      .text('prov:value', message)
      .time('prov:generatedAtTime', taken.at)
      .number('troupe:sequence', moment.seq)
    if (by !== undefined) described.link('prov:wasAttributedTo', ledger.person(by))
    ledger.about(session, session.uri).link('prov:used', uri)
    session.goOn(uri)
  }
}
