/**
 * Watches the rules of a user. The key of a state contains the answers to all questions that the rules ask: two states
 * that differ for a rule are two states.
 */
import type { EventType } from '../../../machines/contract/events.ts'
import type { RunEvent } from '../../../runtime/handle/run-event.ts'
import { fits, readFilter, type Condition, type EventFilter, type Rule, type RunView } from './user-rules.ts'
import type { Broken, Visit, VisitedRun } from './visit.ts'

interface Question {
  readonly type: EventType
  readonly filter: EventFilter
  /** What an answer is: whether there is such an event, how many there are, or the calls under way that they are about. */
  readonly answer: 'any' | 'count' | 'calls'
}

/** The names that the rules ask about. */
export interface RuleNames {
  readonly types: readonly string[]
  readonly agents: readonly string[]
  readonly tools: readonly string[]
}

export class Monitor {
  readonly #rules: readonly (readonly [string, Rule])[]
  readonly #questions = new Map<string, Question>()
  /** Rules of the kind `sometimes` that have not held yet. */
  readonly #unmet: Set<string>
  /** The types that `precedes` waits for. */
  readonly #followed: EventType[] = []

  constructor(rules: Readonly<Record<string, Rule>>) {
    this.#rules = Object.entries(rules)
    this.#unmet = new Set(this.#rules.filter(([, { kind }]) => kind === 'sometimes').map(([name]) => name))
    for (const [, rule] of this.#rules) {
      if (rule.kind === 'precedes') {
        this.#ask(rule.first, rule.filter, 'calls')
        this.#followed.push(rule.second)
      } else for (const answer of [false, true]) this.#learn(rule.condition, answer)
    }
  }

  /** The number of questions: when it grows, keys that were made before are too coarse. */
  get questions(): number {
    return this.#questions.size
  }

  get names(): RuleNames {
    const asked = [...this.#questions.values()]
    return {
      types: [...asked.map(({ type }) => type), ...this.#followed],
      agents: asked.flatMap(({ filter: { agent } }) => agent ?? []),
      tools: asked.flatMap(({ filter: { tool } }) => tool ?? []),
    }
  }

  get unmet(): readonly string[] {
    return [...this.#unmet]
  }

  /** The answers to all questions; rules of the kind `eventually` remember whether they have held. */
  memoryOf({ state }: Pick<VisitedRun, 'state'>): string {
    if (this.#rules.length === 0) return ''
    const events = state.recorder.log.toArray()
    const answers = [...this.#questions.values()].map(({ type, filter, answer }) => {
      const found = events.filter((event) => fits(event, type, filter))
      if (answer === 'calls') return underWay(found, events)
      return answer === 'count' ? found.length : Math.min(1, found.length)
    })
    const held = this.#rules.flatMap(([, rule]) =>
      rule.kind === 'eventually' ? [this.#hasHeld(rule.condition, events)] : [],
    )
    return JSON.stringify([answers, held])
  }

  check({ world, events, before }: Visit): readonly Broken[] {
    const run = this.#viewOf(events, world.state.isSettled)
    return this.#rules.flatMap(([name, rule]): readonly Broken[] => {
      switch (rule.kind) {
        case 'never':
          return rule.condition(run) ? [{ rule: name, message: 'It holds, and never should.' }] : []
        case 'always':
          return rule.condition(run) ? [] : [{ rule: name, message: 'It does not hold.' }]
        case 'sometimes':
          if (rule.condition(run)) this.#unmet.delete(name)
          return []
        case 'eventually':
          return !world.state.isSettled || this.#hasHeld(rule.condition, events, true)
            ? []
            : [{ rule: name, message: 'The run has ended, and it has not held.' }]
        case 'precedes': {
          const { first, second, filter } = rule
          const isPreceded = events.every(
            (event, index) =>
              index < before ||
              !fits(event, second, filter) ||
              events.slice(0, index).some((one) => fits(one, first, filter) && mayBeOneCall(one, event)),
          )
          return isPreceded ? [] : [{ rule: name, message: `There is ${second}, and no ${first} before it.` }]
        }
      }
    })
  }

  /** Whether the condition has held after any event. */
  #hasHeld(condition: Condition, events: readonly RunEvent[], hasEnded = false): boolean {
    if (condition(this.#viewOf(events, hasEnded))) return true
    return events.some((_, index) => condition(this.#viewOf(events.slice(0, index), false)))
  }

  #viewOf(events: readonly RunEvent[], hasEnded: boolean): RunView {
    const has = (type: EventType, filter: EventFilter = {}): boolean => {
      this.#ask(type, filter, 'any')
      return events.some((event) => fits(event, type, filter))
    }
    const finish = hasEnded ? events.findLast(({ type }) => type === 'run-finish') : undefined
    return viewOf({
      outcome: finish?.type === 'run-finish' ? finish.payload.outcome : undefined,
      has,
      count: (type, filter = {}) => {
        this.#ask(type, filter, 'count')
        return events.filter((event) => fits(event, type, filter)).length
      },
    })
  }

  /** Asks a rule about runs in which everything, or nothing, has occurred: it shows most of its questions. */
  #learn(condition: Condition, answer: boolean): void {
    condition(
      viewOf({
        outcome: answer ? 'completed' : undefined,
        has: (type, filter = {}) => {
          this.#ask(type, filter, 'any')
          return answer
        },
        count: (type, filter = {}) => {
          this.#ask(type, filter, 'count')
          return answer ? 1 : 0
        },
      }),
    )
  }

  #ask(type: EventType, filter: EventFilter, answer: Question['answer']): void {
    const id = JSON.stringify([
      type,
      filter.agent,
      filter.tool,
      filter.outcome,
      filter.subagentOutcome,
      answer,
    ])
    if (this.#questions.has(id)) return
    this.#questions.set(id, { type, filter: readFilter(filter, `the filter of "${type}"`), answer })
  }
}

/** The call or the delegation that an event is about. */
function callOf({ payload }: RunEvent): string | undefined {
  const { toolCallId, delegationId } = payload as Readonly<Record<string, unknown>>
  const id = toolCallId ?? delegationId
  return typeof id === 'string' ? id : undefined
}

/** Two events that are both about a call belong together where it is the same call. */
function mayBeOneCall(first: RunEvent, second: RunEvent): boolean {
  const [one, other] = [callOf(first), callOf(second)]
  return one === undefined || other === undefined || one === other
}

const ends: ReadonlySet<EventType> = new Set<EventType>(['tool-result', 'tool-error', 'delegation-end'])

/** Of what was found, the calls that have not ended: what is known of others makes no difference any more. */
function underWay(found: readonly RunEvent[], events: readonly RunEvent[]): readonly string[] {
  const ended = new Set(events.filter(({ type }) => ends.has(type)).map(callOf))
  const calls = found.map((event) => callOf(event) ?? '')
  return [...new Set(calls.filter((call) => !ended.has(call)))].toSorted()
}

function viewOf(asked: Pick<RunView, 'outcome' | 'has' | 'count'>): RunView {
  const { has } = asked
  return {
    ...asked,
    succeeded: (agent) => has('delegation-end', { agent, subagentOutcome: 'succeeded' }),
    failed: (agent) => has('delegation-end', { agent, subagentOutcome: 'failed' }),
    bailed: (agent) => has('delegation-bail', { agent }),
    rejected: (agent) => has('delegation-rejected', { agent }),
    started: (agent) => has('delegation-start', { agent }),
    returned: (tool) => has('tool-result', { tool }),
  }
}
