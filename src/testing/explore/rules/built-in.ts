/** The rules that always hold: they are checked at every step of every exploration. */
import type { AnyActorRef } from 'xstate'
import { bracketRule } from './brackets.ts'
import { callsInDoubtAreDecided, nothingFollowsLateEnds, nothingSettledIsRepeated } from './crashes.ts'
import { nothingLeft, oneOutcomeEach, usageIsThatOfJournal } from './endings.ts'
import { nothingIsScoredAfterBail, nothingStartsAfterCancel, nothingStartsAfterEnd } from './starts.ts'
import type { BuiltInRule, Visit } from './visit.ts'
import { isRecord } from '../../../actors/values/json.ts'
import { snapshotOf } from '../world/written.ts'

export interface BuiltInOptions {
  /** The limit of model calls, where the budget has one. */
  readonly modelCalls: number | undefined
}

/** Rules of one step. Rules of the whole graph are in `graph-rules.ts`. */
export function builtInRules({ modelCalls }: BuiltInOptions): readonly BuiltInRule[] {
  return [
    {
      name: 'the run does not throw',
      check: ({ world: { fault } }) => fault && `${fault.code}: ${fault.message}`,
    },
    {
      name: 'no machine fails',
      check: ({ world: { state } }) => machineFailure(state.output?.error?.code),
    },
    { name: 'each delegation has one outcome', check: oneOutcomeEach },
    { name: 'nothing is left at the end', check: nothingLeft },
    { name: 'nothing starts after a cancel', check: nothingStartsAfterCancel },
    { name: 'nothing starts after an end', check: nothingStartsAfterEnd },
    { name: 'no settled effect is repeated', check: nothingSettledIsRepeated },
    { name: 'a call in doubt is repeated as its tool says', check: callsInDoubtAreDecided },
    { name: 'nothing follows a late end', check: nothingFollowsLateEnds },
    { name: 'nothing is scored after a bail', check: nothingIsScoredAfterBail },
    { name: 'caps hold', check: capsHold },
    { name: 'the budget holds', check: budgetHolds(modelCalls) },
    { name: 'events come in pairs', check: bracketRule },
    { name: 'the usage is that of the journal', check: usageIsThatOfJournal },
    { name: 'no message of a person is lost', check: noMessageIsLost },
  ]
}

/** The rule of messages of people: a model reads each of them once, or the run tells that none has. */
function noMessageIsLost({ world: { state, hasEnded }, events }: Visit): string | undefined {
  const taken: string[] = []
  const heard: string[] = []
  for (const { type, payload } of events) {
    if (type === 'said') taken.push(payload.id)
    else if (type === 'heard') heard.push(payload.id)
  }
  const odd = heard.find((id, place) => !taken.includes(id) || heard.indexOf(id) !== place)
  if (odd !== undefined) return `The message ${odd} is read twice, or was not taken.`
  if (!hasEnded) return undefined
  const unheard = new Set((state.output?.unheard ?? []).map(({ id }) => id))
  const lost = taken.find((id) => heard.includes(id) === unheard.has(id))
  return lost === undefined
    ? undefined
    : `The message ${lost} is lost, or told as unheard though it was read.`
}

/** No agent is in a step beyond its cap. */
function capsHold({ world: { state } }: Visit): string | undefined {
  return beyondCap(state.agent)
}

/** No more model calls are made than the budget allows. */
function budgetHolds(limit: number | undefined): (visit: Visit) => string | undefined {
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

/** Of a machine that is no agent. */
export const machineRules: readonly BuiltInRule[] = [
  {
    name: 'the run does not throw',
    check: ({ world: { fault } }) => fault && `${fault.code}: ${fault.message}`,
  },
  {
    name: 'no machine fails',
    check: ({ world: { state } }) => {
      const { error } = state.output ?? {}
      return error && `The machine threw: ${error.message}`
    },
  },
  { name: 'nothing is left at the end', check: nothingLeft },
]

function machineFailure(code: string | undefined): string | undefined {
  return code === 'MACHINE_FAILED' ? 'A machine of the run threw.' : undefined
}
