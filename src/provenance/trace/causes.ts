/** The causes of a call or a delegation: the goal, the plan step, the routing decision or the iteration behind it. */
import type { Ledger } from './ledger.ts'
import type { Session } from './session.ts'

/**
 * `path`: of the actor, whose id ends with two numbers: step and position, or in a planner the revision of the plan and
 * the place in it.
 */
export function causesOf(session: Session, path: string): readonly string[] {
  const goal = session.goals.get(path)
  if (goal !== undefined) return [goal.uri]
  const [first, second] = numbersOf(path)
  const { plan } = session
  if (plan !== undefined) {
    const step = plan.revision === first ? plan.steps[second - 1] : undefined
    if (step === undefined) return [plan.uri]
    return [step.uri, ...step.needs.flatMap((need) => session.results.get(need) ?? [])]
  }
  if (session.decision !== undefined) return [session.decision]
  const iteration = session.steps.get(first)
  return iteration === undefined ? session.frontier : [iteration]
}

/** The causes of a delegation: as of any call, and the approval where a person has answered. */
export function causesOfDelegation(session: Session, path: string): readonly string[] {
  const approval = session.approvals.get(path)
  return approval === undefined ? causesOf(session, path) : [...causesOf(session, path), approval]
}

/** Records the action of an iteration. A call that waited for a place begins when its iteration may have ended. */
export function choseInBackground(ledger: Ledger, session: Session, path: string, action: string): void {
  const [iteration] = causesOf(session, path)
  if (session.step !== undefined && session.step.uri === iteration) session.step.actions.push(action)
  else if (iteration !== undefined) ledger.about(session, iteration).text('tg:action', action)
}

function numbersOf(path: string): [number, number] {
  const [, first, second] = /:(\d+)\.(\d+)$/.exec(path) ?? []
  return [Number(first), Number(second)]
}
