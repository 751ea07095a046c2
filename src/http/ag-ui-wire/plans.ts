/**
 * The plan of a planner as an activity, which a page shows as it changes. Steps are kept by their names, so that a change
 * names its step also in a stream that has not shown the plan.
 */
import type { PlanStep, RunEvent } from '../../index.ts'
import type { AgUiEvent } from './events.ts'
import { idIn, ownerOf } from './subagents.ts'

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>

const activityType = 'troupe.plan'

/** A plan replaces the one before. */
export function planShown({ path, runId, payload }: EventOf<'plan-created' | 'plan-revised'>): AgUiEvent {
  const { revision, steps } = payload
  return {
    type: 'ACTIVITY_SNAPSHOT',
    ...messageOf(runId, path),
    content: {
      revision,
      order: steps.map(nameOf),
      steps: Object.fromEntries(steps.map((step) => [nameOf(step), contentOf(step)])),
    },
  }
}

export function stepChanged(event: EventOf<'plan-step-start' | 'plan-step-end'>): AgUiEvent {
  const { path, runId, payload } = event
  const status = event.type === 'plan-step-start' ? 'running' : event.payload.status
  const name = nameOf({ id: payload.stepId, revision: payload.revision })
  return {
    type: 'ACTIVITY_DELTA',
    ...messageOf(runId, path),
    patch: [{ op: 'replace', path: `/steps/${pointer(name)}/status`, value: status }],
  }
}

function messageOf(runId: string, path: string) {
  return { messageId: idIn(runId, `${path}#plan`), activityType, ...ownerOf(runId, path) }
}

/** A revision may give the id of a step that it replaces to another step. */
function nameOf({ id, revision }: Pick<PlanStep, 'id' | 'revision'>): string {
  return `${revision}:${id}`
}

function contentOf({ id, revision, goal, dependsOn, status }: PlanStep) {
  return { id, revision, goal, dependsOn, status }
}

/** A name as a part of a JSON pointer, RFC 6901. */
function pointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
