/** Plans: each revision with its steps, and the results of the steps. */
import type { PlanStep, RunEvent } from '../../index.ts'
import { encoded } from '../rdf/uris.ts'
import type { Ledger } from './ledger.ts'
import type { Moment, Session, ToolCall } from './session.ts'

type Planned = Extract<RunEvent, { type: 'plan-created' | 'plan-revised' }>
type StepEnded = Extract<RunEvent, { type: 'plan-step-end' }>['payload']

export function recordPlan(
  ledger: Ledger,
  session: Session,
  { type, payload }: Planned,
  moment: Moment,
): void {
  const { revision, steps, offered = [] } = payload
  const uri = ledger.uris.mint(planUri(session, revision))
  const from = [...session.frontier, ...session.results.values()]
  const reason = type === 'plan-revised' ? payload.reason : undefined
  const described = ledger
    .entity(session, uri, ['tg:Plan'], { moment, from: [...new Set(from)] })
    .number('troupe:revision', revision)
    .text('tg:toolCandidate', ...offered)
  if (reason !== undefined) {
    const making = { moment, from: [...new Set(from)], text: reason }
    described.link('troupe:rationale', ledger.document(session, `${uri}/rationale`, making))
  }
  const places = steps.map((step) => ({
    uri: stepUri(planUri(session, step.revision), step.id),
    needs: needsOf(step, steps).map((needed) => stepUri(planUri(session, needed.revision), needed.id)),
  }))
  for (const [place, { revision: madeIn, goal, toolHint, toolGroups = [] }] of steps.entries()) {
    const step = places[place]
    if (madeIn !== revision || step === undefined) continue
    ledger
      .entity(session, ledger.uris.mint(step.uri), ['troupe:PlanStep', 'troupe:Text'], {
        moment,
        from: [uri],
        text: goal,
      })
      .text('tg:action', toolHint)
      .text('troupe:toolGroup', ...toolGroups)
      .link('troupe:dependsOn', ...step.needs)
    described.link('tg:planStep', step.uri).text('tg:action', toolHint)
  }
  session.plan = { uri, revision, steps: places }
  session.frontier = [uri]
}

/** `calls`: by the paths of their actors. */
export function recordStepEnd(
  ledger: Ledger,
  session: Session,
  { stepId, revision, status, result, error }: StepEnded,
  calls: ReadonlyMap<string, ToolCall>,
  moment: Moment,
): void {
  const step = stepUri(planUri(session, revision), stepId)
  const uri = ledger.uris.mint(`${step}/result`)
  const text = result === undefined || typeof result === 'string' ? result : JSON.stringify(result)
  ledger
    .entity(session, uri, ['tg:StepResult'], { moment, from: [step, ...workOn(session, step, calls)], text })
    .text('troupe:outcome', status)
    .text('troupe:error', error?.message)
    .text('troupe:errorCode', error?.code)
  session.results.set(step, uri)
  session.goOn(uri)
}

/** The results that a step needed, and that of the call or the delegation that carried it out, if there was one. */
function workOn(session: Session, step: string, calls: ReadonlyMap<string, ToolCall>): string[] {
  const { plan, path, conclusions, results } = session
  const place = plan?.steps.findIndex(({ uri }) => uri === step) ?? -1
  const position = `${plan?.revision}.${place + 1}`
  const needed = (plan?.steps[place]?.needs ?? []).map((need) => results.get(need))
  const observation = calls.get(`${path}/call:${position}`)?.observation
  const completion = conclusions.get(`${path}/delegation:${position}`)?.completion
  return [...needed, observation, completion].flatMap((uri) => (uri === undefined ? [] : [uri]))
}

/** Steps of the same revision, or finished before. */
function needsOf({ dependsOn, revision }: PlanStep, steps: readonly PlanStep[]): PlanStep[] {
  return steps.filter(
    (step) => dependsOn.includes(step.id) && (step.revision === revision || step.status === 'complete'),
  )
}

function planUri(session: Session, revision: number): string {
  return `${session.uri}/plan/${revision}`
}

export function stepUri(plan: string, id: string): string {
  return `${plan}/step/${encoded(id)}`
}
