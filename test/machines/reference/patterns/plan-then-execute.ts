/** The endings of a planner: a plan, its steps, other plans for what remains, and then one answer. */
import type { Outcome, Stimulus } from 'troupe/testing'
import type { AgentInput } from '../../../../src/machines/contract/agent.ts'
import type { EffectOutcome } from '../../../../src/actors/effects/effect-kinds.ts'
import type { DecisionOutput, DelegationOutput } from '../../../../src/machines/contract/reports.ts'
import { Plan, type Proposed } from '../story/plan.ts'
import { Story } from '../story/story.ts'
import { referenceOf, type Row } from '../table.ts'
import { undecided } from './decisions.ts'
import {
  cancelled,
  capped,
  failed,
  judging,
  lastTurn,
  outOfBudget,
  preparing,
  replying,
  usageUnknown,
} from './loop.ts'

class PlannerStory extends Story {
  readonly plan: Plan
  work: 'planning' | 'approving' | 'executing' | 'writing' | undefined
  /** The plan that a person is asked about, or the function of the user. */
  #proposed: readonly Proposed[] = []
  /** The code of the error for which there is no plan, or the model cannot be called. */
  problem: string | undefined
  /** The answer is made of the results that there are. */
  isPartial = false
  #replans = 0

  constructor(input: AgentInput) {
    super(input)
    this.plan = new Plan(input.profile.toolCallConcurrency, input.profile.reviewSteps)
  }

  /** No step is under way, and none may begin. */
  get isAtRest(): boolean {
    return this.work === 'executing' && !this.isOutOfTime && !this.plan.isAtWork
  }

  /** The model fails, and not only its plans. */
  get cannotPlan(): boolean {
    return (
      this.problem !== undefined &&
      !['INVALID_DECISION', 'INVALID_PLAN', 'PLAN_REJECTED'].includes(this.problem)
    )
  }

  get mayReplan(): boolean {
    return !this.cannotPlan && this.#replans < this.profile.caps.maxReplans
  }

  /** At the bound of plans the answer is made of the results, if there are any. */
  get isAtBound(): boolean {
    return this.isAtRest && !this.plan.isCarriedOut && !this.mayReplan
  }

  get hasResults(): boolean {
    return this.plan.hasRun && !this.cannotPlan
  }

  override get areChildrenAtWork(): boolean {
    return this.plan.isAtWork
  }

  protected override get mayCall(): boolean {
    return false
  }

  override goOn(): void {
    if (this.work === undefined) {
      if (this.isPrepared) this.work = 'planning'
    } else if (this.work === 'writing') super.goOn()
    else if (this.isAtRest) this.#decide()
  }

  #decide(): void {
    if (this.plan.isCarriedOut || !this.mayReplan) {
      this.isPartial = !this.plan.isCarriedOut
      this.work = 'writing'
      this.beginStep()
    } else {
      this.#replans += 1
      this.problem = undefined
      this.work = 'planning'
    }
  }

  override take(stimulus: Stimulus): void {
    super.take(stimulus)
    if (stimulus.type === 'event') {
      const { type, child } = stimulus.event
      if (type === 'child.held' || type === 'child.released') this.plan.hold(child, type === 'child.held')
    }
    if (this.isOutOfTime) this.plan.isClosed = true
    if (this.work === 'executing' && this.problem === undefined) this.plan.begin()
  }

  protected override takeOutcome(child: string, outcome: Outcome): void {
    super.takeOutcome(child, outcome)
    if (this.work === 'planning' && child.startsWith('decision:')) this.#takePlan(outcome)
    else if (this.work === 'approving') this.#takeApproval(child, outcome)
    else if (this.work === 'executing') {
      this.plan.take(child, outcome)
      const code = undecided(this)
      if (code === 'BUDGET_EXCEEDED' || code === 'USAGE_UNKNOWN') this.problem = code
    }
  }

  #takePlan({ value }: Outcome): void {
    this.work = 'executing'
    this.problem = undecided(this)
    if (this.problem !== undefined) return
    const { steps } = (value as DecisionOutput).value as unknown as { readonly steps: readonly Proposed[] }
    const { approvePlan = false } = this.profile
    if (approvePlan !== false && this.plan.mayAdopt(steps)) {
      this.#proposed = steps
      this.work = 'approving'
    } else if (!this.plan.adopt(steps)) this.problem = 'INVALID_PLAN'
  }

  /** A failed function leads to a person where hook errors are ignored; changes that do not fit are asked about again. */
  #takeApproval(child: string, { value, error }: Outcome): void {
    if (child === 'hook:approvePlan') {
      if (error === undefined && value === false) this.#adopt(this.#proposed)
      return
    }
    if (child !== 'signal:plan') return
    const { approved, args } = value as EffectOutcome<'signal'>
    if (!approved) {
      this.work = 'executing'
      this.problem = 'PLAN_REJECTED'
      return
    }
    const steps = (args as { readonly steps: readonly Proposed[] } | undefined)?.steps ?? this.#proposed
    if (this.plan.mayAdopt(steps)) this.#adopt(steps)
  }

  #adopt(steps: readonly Proposed[]): void {
    this.work = 'executing'
    this.plan.adopt(steps)
  }
}

/** The code of the error with which a delegation has bailed. */
function bailError({ now }: Story): string {
  if (now?.type !== 'outcome' || now.outcome.error !== undefined) return ''
  const { error } = (now.outcome.value as DelegationOutput).record
  return error === undefined ? '' : ` ${error.code}`
}

/** Steps that are under way when the time of the run is up report first, and one of them may bail. */
const interrupted: readonly Row<PlannerStory>[] = [
  { ending: cancelled, when: (story) => story.hears('cancel') },
  { ending: (story) => `bailed${bailError(story)}`, when: (story) => story.gets('delegation', 'is bailed') },
  {
    ending: outOfBudget,
    when: (story) => story.isOutOfTime && story.isPrepared && !story.areChildrenAtWork,
    lastTurn: 'unless silent',
  },
]

const planning: readonly Row<PlannerStory>[] = [
  { ending: failed, when: (story) => story.fails('approvePlan') && !story.ignoresHookErrors },
  { ending: usageUnknown, when: ({ isAtRest, problem }) => isAtRest && problem === 'USAGE_UNKNOWN' },
  {
    ending: outOfBudget,
    when: ({ isAtRest, problem }) => isAtRest && problem === 'BUDGET_EXCEEDED',
    lastTurn: 'unless silent',
  },
  {
    ending: 'exhausted maxReplans',
    when: ({ isAtBound, hasResults, profile }) => isAtBound && hasResults && profile.onExhausted === 'stop',
  },
  {
    ending: ({ problem = 'INVALID_PLAN' }) => `failed ${problem}`,
    when: ({ isAtBound, hasResults }) => isAtBound && !hasResults,
  },
]

const answering: readonly Row<PlannerStory>[] = [
  {
    ending: 'exhausted maxReplans',
    when: ({ isPartial, isScored, isAccepted }) => isPartial && isScored && isAccepted,
  },
]

export const plannerReference = referenceOf<PlannerStory>(
  {
    rows: [...interrupted, ...preparing, ...planning, ...replying, ...answering, ...judging, ...capped],
    lastTurn,
    crossing: [],
  },
  (input) => new PlannerStory(input),
)
