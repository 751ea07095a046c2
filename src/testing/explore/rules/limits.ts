/** Rules of caps and budget. */
import type { AnyActorRef } from 'xstate'
import { isRecord } from '../../../actors/values/json.ts'
import { snapshotOf } from '../world/written.ts'
import type { Visit } from './visit.ts'

/** No agent is in a step beyond its cap. */
export function capsHold({ world: { state } }: Visit): string | undefined {
  return beyondCap(state.agent)
}

/** No more model calls are made than the budget allows. */
export function budgetHolds(limit: number | undefined): (visit: Visit) => string | undefined {
  return ({ world: { modelCalls } }) =>
    limit === undefined || modelCalls <= limit
      ? undefined
      : `The budget allows ${limit} model calls, and ${modelCalls} were made.`
}

function beyondCap(actor: AnyActorRef): string | undefined {
  const { context, children = {} } = snapshotOf(actor)
  if (isRecord(context) && typeof context['step'] === 'number' && isRecord(context['input'])) {
    const { maxSteps } = context['input']
    if (typeof maxSteps === 'number' && context['step'] > maxSteps) {
      return `${actor.id} is in step ${context['step']} of ${maxSteps}.`
    }
  }
  for (const child of Object.values(children)) {
    const found = child === undefined ? undefined : beyondCap(child)
    if (found !== undefined) return found
  }
  return undefined
}
