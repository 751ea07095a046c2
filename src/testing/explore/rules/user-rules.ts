/** The rules of a user: over what has happened in a run so far, in every order in which it may happen. */
import { aBoolean, aFunction, aName } from '../../../actors/strict/checks.ts'
import { optional, readOptions, type Fields } from '../../../actors/strict/read-options.ts'
import type { EventType } from '../../../machines/contract/events.ts'
import type { Outcome } from '../../../machines/contract/records.ts'
import { ownOutcome } from '../../../machines/contract/subagent-outcome.ts'
import { atOnce } from '../../../runtime/user-function.ts'
import type { RunEvent } from '../../../runtime/handle/run-event.ts'

/** Which events of a type are meant; a field that is left out fits all. */
export interface EventFilter {
  /** The id of the agent that the event is about: of a delegation its subagent, else the agent that emits it. */
  readonly agent?: string
  /** The name of the tool. */
  readonly tool?: string
  /** For `delegation-end`, `bailed` is an outcome too. */
  readonly outcome?: string
  /** How the subagent of a `delegation-end` ended, whatever became of its delegation. */
  readonly subagentOutcome?: string
}

/** A run as rules see it. It answers questions about the past; two runs with equal answers are the same to the rules. */
export interface RunView {
  /** The outcome of a run that has ended. */
  readonly outcome: Outcome | undefined
  /** Whether such an event has occurred. */
  has(type: EventType, filter?: EventFilter): boolean
  /** How many such events have occurred. */
  count(type: EventType, filter?: EventFilter): number
  /** Whether the agent has succeeded, or failed, as a subagent: no bail, hook, cancel or limit after its end changes that. */
  succeeded(agent: string): boolean
  failed(agent: string): boolean
  /** Whether a hook has bailed with the answer of the agent. */
  bailed(agent: string): boolean
  /** Whether a delegation to the agent was rejected. */
  rejected(agent: string): boolean
  /** Whether a delegation to the agent has started. */
  started(agent: string): boolean
  /** Whether a call of the tool has returned. */
  returned(tool: string): boolean
}

const filterFields: Fields<EventFilter> = {
  agent: optional(aName),
  tool: optional(aName),
  outcome: optional(aName),
  subagentOutcome: optional(aName),
}

/** Throws a `ConfigurationError`. */
export function readFilter(given: EventFilter, where: string): EventFilter {
  return readOptions<EventFilter>(given, where, filterFields)
}

/** `View`: what the condition reads; of a machine that is no agent, its snapshot. Any answer but a boolean is an error. */
export type Condition<View = RunView> = (view: View) => boolean

/** A rule over what a condition reads. Made by `never`, `always`, `sometimes` and `eventually`. */
export interface ConditionRule<View = RunView> {
  readonly kind: 'never' | 'always' | 'sometimes' | 'eventually'
  readonly condition: Condition<View>
}

/** Made by `never`, `always`, `precedes`, `sometimes` and `eventually`. */
export type Rule =
  | ConditionRule
  | {
      readonly kind: 'precedes'
      readonly first: EventType
      readonly second: EventType
      readonly filter: EventFilter
    }

/** In no state of any run. */
export function never<View = RunView>(condition: Condition<View>): ConditionRule<View> {
  return conditionRule('never', condition)
}

/** In every state of every run. */
export function always<View = RunView>(condition: Condition<View>): ConditionRule<View> {
  return conditionRule('always', condition)
}

/** In some state of some run: the exploration fails when there is none. */
export function sometimes<View = RunView>(condition: Condition<View>): ConditionRule<View> {
  return conditionRule('sometimes', condition)
}

/** In some state of each run that ends. */
export function eventually<View = RunView>(condition: Condition<View>): ConditionRule<View> {
  return conditionRule('eventually', condition)
}

function conditionRule<View>(kind: ConditionRule['kind'], condition: Condition<View>): ConditionRule<View> {
  aFunction(condition, `${kind}: its condition`)
  const answer = `${kind}: the answer of its condition`
  return {
    kind,
    condition: (view) => aBoolean(atOnce(`the condition of ${kind}`, condition(view)), answer) === true,
  }
}

/**
 * Before each event of the type `second` there is an event of the type `first`, with the same filter. Where both are about a call or
 * a delegation, it is the same call or delegation.
 */
export function precedes(first: EventType, second: EventType, filter: EventFilter = {}): Rule {
  return { kind: 'precedes', first, second, filter: readFilter(filter, `precedes("${first}", "${second}")`) }
}

export function fits(event: RunEvent, type: EventType, filter: EventFilter): boolean {
  const { agent, tool, outcome, subagentOutcome } = filter
  if (event.type !== type) return false
  const { agentId, toolName, outcome: ended } = event.payload as Readonly<Record<string, unknown>>
  return (
    (agent === undefined || agent === (agentId ?? event.agent)) &&
    (tool === undefined || tool === toolName) &&
    (outcome === undefined || outcome === ended) &&
    (subagentOutcome === undefined || subagentOutcome === subagentOutcomeOf(event))
  )
}

function subagentOutcomeOf({ type, payload }: RunEvent): string | undefined {
  return type === 'delegation-end' ? ownOutcome(payload) : undefined
}
