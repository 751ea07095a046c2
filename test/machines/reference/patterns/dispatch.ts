/** The endings of a dispatcher: one decision, and then the ending of the chosen agent, workflow or tool. */
import type { Outcome } from 'troupe/testing'
import type { AgentInput } from '../../../../src/machines/contract/agent.ts'
import { Story } from '../story/story.ts'
import { referenceOf, type Row } from '../table.ts'
import { undecided, withoutBudget } from './decisions.ts'
import { cancelled, failed, lastTurn, outOfBudget, preparing } from './loop.ts'

class DispatchStory extends Story {
  /** The chosen one is at work, or has reported. */
  hasChosen = false
  #isObserved = false
  readonly #isOneAgent: boolean

  constructor(input: AgentInput) {
    super(input)
    const { subagents, tools } = input.profile.toolset
    this.#isOneAgent = subagents.size === 1 && tools.size === 0
  }

  override goOn(): void {
    const isDecided = this.isPrepared && (this.#isOneAgent || this.said('decision'))
    if (isDecided && (!this.has('onStepFinish') || this.#isObserved)) this.hasChosen = true
  }

  protected override takeOutcome(child: string, outcome: Outcome): void {
    super.takeOutcome(child, outcome)
    this.#isObserved ||= child === 'hook:onStepFinish'
  }
}

/** The ending of the one child is that of the agent. */
export const childEndings: readonly Row[] = [
  { ending: 'completed', when: (story) => story.gets('delegation', 'is succeeded') },
  { ending: 'completed', when: (story) => story.gets('call', 'succeeds') },
  { ending: 'bailed', when: (story) => story.gets('delegation', 'is bailed') },
  { ending: 'exhausted subagent', when: (story) => story.gets('delegation', 'is exhausted') },
  { ending: 'cancelled cancelled', when: (story) => story.gets('delegation', 'is cancelled') },
  { ending: 'failed FAILED', when: (story) => story.gets('delegation', 'is failed') },
  { ending: failed, when: (story) => story.fails('delegation') || story.fails('call') },
]

/** The chosen one ends with the results that it has when the time of the run is up: its ending is the dispatcher's. */
const rows: readonly Row<DispatchStory>[] = [
  { ending: cancelled, when: (story) => story.hears('cancel') },
  ...preparing,
  {
    ending: outOfBudget,
    when: ({ isOutOfTime, hasChosen }) => isOutOfTime && !hasChosen,
    lastTurn: 'unless silent',
  },
  {
    ending: 'failed NO_CANDIDATES',
    when: ({ isPrepared, profile: { toolset, dynamic } }) =>
      isPrepared && dynamic.length === 0 && toolset.subagents.size + toolset.tools.size === 0,
  },
  ...withoutBudget,
  { ending: (story) => `failed ${undecided(story)}`, when: (story) => undecided(story) !== undefined },
  ...childEndings,
]

export const dispatchReference = referenceOf<DispatchStory>(
  { rows, lastTurn, crossing: [] },
  (input) => new DispatchStory(input),
)
