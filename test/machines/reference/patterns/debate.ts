/** The endings of a debate: rounds of proposals, and then an answer that reconciles them. */
import type { Outcome } from 'troupe/testing'
import type { HookOutcome } from '../../../../src/actors/effects/effect-kinds.ts'
import type { AgentInput } from '../../../../src/machines/contract/agent.ts'
import { Story } from '../story/story.ts'
import { referenceOf, type Row } from '../table.ts'
import { capped, interrupted, judging, lastTurn, preparing, replying } from './loop.ts'

class DebateStory extends Story {
  /** The agents take part in a round, or its results are judged. */
  isInRounds = false
  #agents: readonly string[]
  /** Agents that take part in the present round, in the order of their delegations. */
  #speakers: readonly string[] = []
  readonly #proposers = new Set<string>()

  constructor(input: AgentInput) {
    super(input)
    this.#agents = [...input.profile.toolset.subagents.keys()]
  }

  get isRoundOver(): boolean {
    return this.isInRounds && !this.isOutOfTime && !this.calls.areOpen
  }

  /** By default all agents but one, and at least one. */
  get hasQuorum(): boolean {
    const quorum = this.profile.caps.quorum ?? Math.max(1, this.#agents.length - 1)
    return this.#proposers.size >= quorum
  }

  /** With one proposal alone there is nothing to criticise; and the last step is for the answer. */
  get isCriticised(): boolean {
    const isRoundLeft = this.steps <= this.profile.caps.rounds
    return isRoundLeft && this.#proposers.size > 1 && this.steps + 1 < this.input.maxSteps
  }

  protected override get mayCall(): boolean {
    return false
  }

  override goOn(): void {
    if (this.steps === 0) {
      if (this.isPrepared) this.#beginRound(this.#agents)
    } else if (!this.isRoundOver) super.goOn()
    else if (this.isCriticised) this.#beginRound(this.#agents.filter((agent) => this.#proposers.has(agent)))
    else {
      this.isInRounds = false
      this.beginStep()
    }
  }

  protected override takeOutcome(child: string, outcome: Outcome): void {
    super.takeOutcome(child, outcome)
    if (child === 'hook:configure' && outcome.error === undefined) {
      this.#agents = Object.keys((outcome.value as HookOutcome<'configure'>).agents)
    }
    if (!child.startsWith('delegation:')) return
    // An answer that a cap has cut off is a proposal too; an agent that fails keeps its earlier one.
    const speaker = this.#speakers[Number(child.slice(child.indexOf('.') + 1)) - 1]
    if (['is succeeded', 'is exhausted'].includes(outcome.name)) this.#proposers.add(speaker ?? '')
  }

  #beginRound(speakers: readonly string[]): void {
    this.beginStep()
    this.isInRounds = true
    this.#speakers = speakers
    this.calls.add(speakers.map((_, index) => `delegation:${this.steps}.${index + 1}`))
  }
}

/** Too few proposals come before another round, and the last step is never a round alone. */
const rounds: readonly Row<DebateStory>[] = [
  { ending: 'failed NO_QUORUM', when: ({ isRoundOver, hasQuorum }) => isRoundOver && !hasQuorum },
  {
    ending: 'exhausted maxSteps',
    when: ({ isRoundOver, isCriticised, isAtCap }) => isRoundOver && !isCriticised && isAtCap,
    lastTurn: 'unless silent',
  },
]

export const debateReference = referenceOf<DebateStory>(
  {
    rows: [...interrupted, ...preparing, ...rounds, ...replying, ...judging, ...capped],
    lastTurn,
    crossing: [],
  },
  (input) => new DebateStory(input),
)
