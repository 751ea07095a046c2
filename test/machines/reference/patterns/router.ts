/** The endings of a router: in each iteration a decision, and then an agent, a workflow or a tool, or the answer. */
import type { Outcome } from 'troupe/testing'
import type { AgentInput } from '../../../../src/machines/contract/agent.ts'
import { Story } from '../story/story.ts'
import { referenceOf, type Row } from '../table.ts'
import { undecided, withoutBudget } from './decisions.ts'
import { capped, interrupted, judging, lastTurn, preparing, replying } from './loop.ts'

type Choice = 'agent' | 'workflow' | 'tool' | 'none'

class RouterStory extends Story {
  override readonly cap = 'maxIterations'
  /** The answer is written in a model call of its own. */
  isWriting = false
  #choice: Choice | undefined
  #isObserved = false
  #hasStarted = false
  #hasResult = false
  readonly #isOneAgent: boolean

  constructor(input: AgentInput) {
    super(input)
    const { subagents, tools } = input.profile.toolset
    this.#isOneAgent = subagents.size === 1 && tools.size === 0
  }

  /** An answer that is to have a shape, or that output processors check. */
  get writes(): boolean {
    return this.profile.responseFormat !== undefined || this.has('processOutput')
  }

  override get isStepDone(): boolean {
    if (this.isWriting) return super.isStepDone
    return this.#isRead && (this.#choice === 'none' || (this.#hasStarted && !this.calls.areOpen))
  }

  override get isAnswer(): boolean {
    return this.isWriting ? super.isAnswer : this.#choice === 'none'
  }

  override get hasCalled(): boolean {
    return !this.isWriting && this.#choice !== 'none'
  }

  /** The scorers accept the result of an agent, a workflow or a tool. */
  get isResultAccepted(): boolean {
    return this.isScored && this.isAccepted && !this.isAnswer && this.#hasResult
  }

  /** Then the answer is an iteration of its own, if one is left. */
  override get isAnswerWritten(): boolean {
    return this.isResultAccepted && this.writes && !this.isAtCap
  }

  protected override get mayCall(): boolean {
    return false
  }

  override goOn(): void {
    if (this.steps === 0) {
      if (this.isPrepared) this.beginStep()
    } else if (this.isAnswerWritten) {
      this.beginStep()
      this.isWriting = true
    } else if (this.isJudged) this.beginStep()
    else if (this.#choice === 'none' && this.writes) this.isWriting = true
    this.#start()
  }

  #start(): void {
    if (!this.#isRead || this.#choice === 'none' || this.#hasStarted) return
    this.#hasStarted = true
    this.calls.add([`${this.#choice === 'agent' ? 'delegation' : 'call'}:${this.steps}.1`])
  }

  /** A choice is made, and the observer has seen it. */
  get #isRead(): boolean {
    if (this.#choice === undefined || (this.#choice === 'none' && this.writes)) return false
    return this.#isObserved || !this.has('onStepFinish')
  }

  protected override beginStep(): void {
    super.beginStep()
    this.isWriting = false
    this.#isObserved = false
    this.#hasStarted = false
    this.#hasResult = false
    // With one agent alone there is nothing to decide at first; afterwards the task may be done.
    this.#choice = this.#isOneAgent && this.steps === 1 ? 'agent' : undefined
  }

  protected override takeOutcome(child: string, outcome: Outcome): void {
    super.takeOutcome(child, outcome)
    if (outcome.name.startsWith('takes ')) this.#choice = outcome.name.slice('takes '.length) as Choice
    if (child === 'hook:onStepFinish' && !this.isWriting) this.#isObserved = true
    if (['is succeeded', 'succeeds'].includes(outcome.name)) {
      this.#hasResult = true
      this.hasSpoken = true
    }
    if (outcome.name === 'takes none' && !this.writes) this.hasSpoken = true
  }
}

const routing: readonly Row<RouterStory>[] = [
  ...withoutBudget,
  { ending: (story) => `failed ${undecided(story)}`, when: (story) => undecided(story) !== undefined },
]

/** A result that the scorers accept is the answer, or the answer is written from it. */
const accepting: readonly Row<RouterStory>[] = [
  { ending: 'completed', when: ({ isResultAccepted, writes }) => isResultAccepted && !writes },
]

export const routerReference = referenceOf<RouterStory>(
  {
    rows: [...interrupted, ...preparing, ...routing, ...replying, ...accepting, ...judging, ...capped],
    lastTurn,
    crossing: [],
  },
  (input) => new RouterStory(input),
)
