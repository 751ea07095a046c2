/** Tool calls are activities: they use the entities that caused them; their result, or failure, is an observation. */
import type { RunEvent } from '../../index.ts'
import { approvalOf } from './answers.ts'
import { causesOf, choseInBackground } from './causes.ts'
import type { Ledger } from './ledger.ts'
import type { Moment, Session, ToolCall } from './session.ts'

type Called = Extract<RunEvent, { type: 'tool-call' }>
type Moved = Extract<RunEvent, { type: 'tool-state' }>['payload']
type Ended = Extract<RunEvent, { type: 'tool-result' | 'tool-error' }>

export function beginCall(
  ledger: Ledger,
  session: Session,
  { payload }: Called,
  moment: Moment,
  inBackground: boolean,
): ToolCall {
  const { toolCallId, toolName, args } = payload
  if (inBackground) choseInBackground(ledger, session, toolCallId, toolName)
  else session.step?.actions.push(toolName)
  const from = causesOf(session, toolCallId)
  session.ledTo(from, moment.at)
  const [id = 'call'] = /call:\d+\.\d+$/.exec(toolCallId) ?? []
  const uri = ledger.uris.mint(`${session.uri}/${id}`)
  const described = ledger
    .activity(session, uri, ['troupe:ToolCall'], moment.at)
    .text('tg:action', toolName)
    .text('tg:arguments', JSON.stringify(args))
    .link('prov:used', ...from)
  if (inBackground) described.flag('troupe:background', true)
  return {
    uri,
    name: toolName,
    session,
    from,
    needsApproval: false,
    approval: undefined,
    answers: [],
    endedAt: undefined,
    observation: undefined,
  }
}

export function endCall(ledger: Ledger, call: ToolCall, ended: Ended, moment: Moment): void {
  const { session } = call
  call.endedAt = moment.at
  const approval = call.needsApproval ? recordApproval(ledger, call, ended, moment) : undefined
  const from = [...call.from, ...call.answers, ...(approval === undefined ? [] : [approval])]
  const uri = ledger.uris.mint(`${call.uri}/observation`)
  const making = { by: call.uri, moment, from }
  if (ended.type === 'tool-result') {
    const { result } = ended.payload
    const text = typeof result === 'string' ? result : JSON.stringify(result)
    ledger.entity(session, uri, ['tg:Observation'], { ...making, text }).text('troupe:outcome', 'succeeded')
  } else {
    const { outcome, error } = ended.payload
    ledger
      .entity(session, uri, ['tg:Observation', 'tg:Error'], making)
      .text('troupe:outcome', outcome)
      .text('tg:toolError', error?.message ?? `The tool call ${outcome}.`)
      .text('troupe:errorCode', error?.code)
  }
  call.observation = uri
  if (session.plan === undefined) session.goOn(uri)
}

/** Records that a successful call changed the state of its agent, by which tools are offered. */
export function recordToolState(ledger: Ledger, call: ToolCall | undefined, moved: Moved): void {
  if (call?.observation === undefined) return
  ledger
    .about(call.session, call.observation)
    .text('troupe:previousToolState', moved.previousState)
    .text('troupe:toolState', moved.state)
}

/** Records a person's choice; `undefined` where the call was cancelled before there was one. */
function recordApproval(ledger: Ledger, call: ToolCall, ended: Ended, moment: Moment): string | undefined {
  const outcome = ended.type === 'tool-error' ? ended.payload.outcome : 'succeeded'
  if (outcome === 'cancelled') return undefined
  const reason = ended.type === 'tool-error' ? ended.payload.error?.message : undefined
  const isDenied = outcome === 'denied'
  const decision = {
    ...call.approval,
    approved: !isDenied,
    ...(isDenied && reason !== undefined ? { reason } : {}),
  }
  const about = { uri: `${call.uri}/approval`, name: call.name }
  return approvalOf(ledger, call.session, about, decision, { by: call.uri, moment, from: call.from })
}

/** Records a result that came after the run had let go of the call: nothing is derived from it. */
export function recordLate(ledger: Ledger, call: ToolCall, text: string, moment: Moment): void {
  call.endedAt = Math.max(call.endedAt ?? moment.at, moment.at)
  const uri = ledger.uris.mint(`${call.uri}/late`)
  ledger.entity(call.session, uri, ['troupe:LateResult'], { by: call.uri, moment, from: call.from, text })
}

export function closeCall(ledger: Ledger, { session, uri, endedAt }: ToolCall): void {
  if (endedAt !== undefined) ledger.about(session, uri).time('prov:endedAtTime', endedAt)
}
