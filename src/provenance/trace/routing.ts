/** Routing decisions: the pattern for a task, and the primitive that works on it next, with the other candidates. */
import type { DecisionRecord, Primitive, RunEvent } from '../../index.ts'
import type { Ledger, Option } from './ledger.ts'
import type { Moment, Session } from './session.ts'

type PatternSelected = Extract<RunEvent, { type: 'pattern-selected' }>['payload']
type Routed = Extract<RunEvent, { type: 'routing-decision' }>['payload']

/** Records a meta-router's decision: two choices, of the type of the task and of the pattern, and their result. */
export function recordPattern(
  ledger: Ledger,
  session: Session,
  selected: PatternSelected,
  moment: Moment,
): void {
  const { uris } = ledger
  const uri = uris.mint(`${session.uri}/routing`)
  let from = session.frontier
  for (const decision of selected.decisions) {
    const choice = uris.mint(`${uri}/${decision.subject}`)
    const candidates = decision.candidates.map((name) => optionOf(ledger, decision, name))
    const chosen = optionOf(ledger, decision, decision.choice)
    ledger.choice(session, choice, [], { ...decision, candidates, chosen }, { moment, from })
    from = [choice] // the type determines which patterns are valid
    if (decision.subject !== 'pattern') continue
    const described = ledger.about(session, uri)
    described.link('tg:candidatePatterns', ...candidates.map((candidate) => candidate.uri))
    if (decision.rationale !== undefined) described.link('tg:routingRationale', `${choice}/rationale`)
  }
  const { pattern, taskType, terminationCriteria } = selected
  const described = ledger
    .entity(session, uri, ['tg:RoutingDecision'], { moment, from })
    .link('tg:selectedPattern', ledger.option({ uri: uris.pattern(pattern), label: pattern }))
    .text('troupe:terminationCriteria', terminationCriteria)
  if (taskType !== undefined) {
    described.link('tg:taskType', ledger.option({ uri: uris.taskType(taskType), label: taskType }))
  }
  decided(session, uri)
}

/** Records a router's or dispatcher's decision. The first of a session is `/routing`, later ones add the iteration. */
export function recordRouting(ledger: Ledger, session: Session, routed: Routed, moment: Moment): void {
  const { candidates, criterion, selectionReason, iteration } = routed
  const wanted = iteration === 1 ? `${session.uri}/routing` : `${session.uri}/routing/${iteration}`
  const uri = ledger.uris.mint(wanted)
  const option = (primitive: Primitive) => primitiveOf(ledger, session, primitive)
  session.step?.actions.push(routed.primitiveId)
  ledger
    .choice(
      session,
      uri,
      ['tg:RoutingDecision'],
      {
        subject: 'primitive',
        candidates: candidates.map(option),
        chosen: option(routed),
        criterion: criterion === 'onlyCandidate' ? 'only candidate' : criterion,
        rationale: selectionReason,
      },
      { moment, from: session.frontier, text: routed.prompt },
    )
    .link('tg:routingRationale', `${uri}/rationale`)
  decided(session, uri)
}

function decided(session: Session, uri: string): void {
  session.decision = uri
  session.frontier = [uri]
}

function optionOf({ uris }: Ledger, { subject }: DecisionRecord, name: string): Option {
  return { uri: subject === 'task-type' ? uris.taskType(name) : uris.pattern(name), label: name }
}

function primitiveOf(
  { uris }: Ledger,
  { agent }: Session,
  { primitiveType, primitiveId }: Primitive,
): Option {
  return {
    uri: uris.primitive(agent, primitiveType, primitiveId),
    label: primitiveType === 'none' ? 'none' : `${primitiveType} ${primitiveId}`,
  }
}
