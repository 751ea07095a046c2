/** The endings of a meta-router: a type, a pattern, and then the ending of the agent of the pattern. */
import type { Outcome } from 'troupe/testing'
import type { AgentInput } from '../../../../src/machines/contract/agent.ts'
import type { DecisionOutput } from '../../../../src/machines/contract/reports.ts'
import { Story } from '../story/story.ts'
import { referenceOf, type Row } from '../table.ts'
import { childEndings } from './dispatch.ts'
import { cancelled, outOfBudget, preparing } from './loop.ts'

type Route = NonNullable<AgentInput['profile']['route']>

class MetaRouterStory extends Story {
  /** The agent of the pattern is at work, or has reported. */
  hasChosen = false
  isDeciding = false
  #isConfigRead = false
  #types: Route['taskTypes']
  #type: string | undefined
  #hasPattern = false

  constructor(input: AgentInput) {
    super(input)
    this.#types = this.#route.taskTypes
    this.#type = this.#route.taskType
  }

  get #route(): Route {
    return this.profile.route ?? { taskTypes: [], patterns: [] }
  }

  /** The request names a type that is not configured. */
  get namesUnknownType(): boolean {
    const { taskType } = this.#route
    return this.#isConfigRead && taskType !== undefined && this.#types.every(({ name }) => name !== taskType)
  }

  override goOn(): void {
    if (!this.isPrepared || this.hasChosen || this.isDeciding) return
    if (this.#needsNoType) this.hasChosen = true
    else if (this.#isConfigRead) this.#choose()
  }

  get #needsNoType(): boolean {
    const { taskType, pattern } = this.#route
    return taskType === undefined && (pattern !== undefined || this.input.opening.history.length > 0)
  }

  /** One candidate takes no model call. */
  #choose(): void {
    if (this.#types.length <= 1) this.#type ??= this.#types[0]?.name ?? 'general'
    if (this.#type === undefined) {
      this.isDeciding = true
      return
    }
    const valid = this.#types.find(({ name }) => name === this.#type)?.valid_patterns
    const patterns = [...this.profile.toolset.subagents.keys()].filter(
      (key) => valid?.includes(key) !== false,
    )
    this.hasChosen = this.#route.pattern !== undefined || this.#hasPattern || patterns.length === 1
    this.isDeciding = !this.hasChosen
  }

  #readConfig({ error, value }: Outcome): void {
    this.#isConfigRead = true
    if (error !== undefined) return
    const { items } = value as Config
    const added = items.filter(({ kind }) => kind === 'agent-task-type').map((item) => item.value)
    this.#types = [...this.#types, ...added]
  }

  protected override takeOutcome(child: string, outcome: Outcome): void {
    super.takeOutcome(child, outcome)
    if (child === 'config') this.#readConfig(outcome)
    if (!child.startsWith('decision:')) return
    this.isDeciding = false
    if (this.#type === undefined) this.#type = typeOf(outcome)
    else this.#hasPattern = true
  }
}

interface Config {
  readonly items: readonly { readonly kind: string; readonly value: Route['taskTypes'][number] }[]
}

/** A decision that the model does not make falls back to the type `general`. */
function typeOf({ error, value }: Outcome): string {
  const decision = error === undefined ? (value as DecisionOutput) : undefined
  const chosen = decision?.value as { readonly taskType: string } | undefined
  return chosen?.taskType ?? 'general'
}

const rows: readonly Row<MetaRouterStory>[] = [
  { ending: cancelled, when: (story) => story.hears('cancel') },
  ...preparing,
  // A decision under way reports first. The agent of the pattern ends with the results that it has.
  {
    ending: outOfBudget,
    when: ({ isOutOfTime, hasChosen, isDeciding }) => isOutOfTime && !hasChosen && !isDeciding,
  },
  { ending: 'failed UNKNOWN_TASK_TYPE', when: ({ namesUnknownType }) => namesUnknownType },
  ...childEndings,
]

export const metaRouterReference = referenceOf<MetaRouterStory>(
  { rows, lastTurn: [], crossing: [] },
  (input) => new MetaRouterStory(input),
)
