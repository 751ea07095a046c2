/** The endings of a fan-out: goals for other agents in rounds, and then one answer. */
import type { Outcome } from 'troupe/testing'
import { Story } from '../story/story.ts'
import { referenceOf, type Row } from '../table.ts'
import { undecided, withoutBudget } from './decisions.ts'
import { capped, interrupted, judging, lastTurn, preparing, replying } from './loop.ts'

class FanOutStory extends Story {
  work: 'dividing' | 'round' | 'assessing' | 'writing' | undefined
  #rounds = 0
  #goals = 0

  get isRoundOver(): boolean {
    return this.work === 'round' && !this.isOutOfTime && !this.calls.areOpen
  }

  /** The model wants another round. */
  get wantsGoals(): boolean {
    return this.work === 'assessing' && this.said('decision', 'wants goals')
  }

  /** Between two rounds, too, the stop condition is asked. */
  override get isAskedWhetherToStop(): boolean {
    const isAsked = this.wantsGoals && this.has('stopWhen') && !this.said('stopWhen')
    return isAsked || super.isAskedWhetherToStop
  }

  protected override get mayCall(): boolean {
    return false
  }

  override goOn(): void {
    if (this.work === undefined) {
      if (this.isPrepared) this.work = 'dividing'
    } else if (this.work === 'dividing') {
      if (this.said('decision')) this.#beginRound()
    } else if (this.isRoundOver) {
      this.forget('decision')
      if (this.#rounds < this.profile.caps.maxRounds) this.work = 'assessing'
      else this.#write()
    } else if (this.wantsGoals) {
      if (!this.isAskedWhetherToStop) this.#beginRound()
    } else if (this.work === 'assessing') {
      // Without a judgement the answer is written all the same.
      if (this.said('decision')) this.#write()
    } else super.goOn()
  }

  protected override takeOutcome(child: string, outcome: Outcome): void {
    super.takeOutcome(child, outcome)
    if (outcome.name === 'wants goals') {
      this.#goals = (
        outcome.value as { readonly value: { readonly goals: readonly unknown[] } }
      ).value.goals.length
    }
    // The time of the round is up: no other goal begins, and those at work report first.
    if (child === 'timer:round') this.calls.drop()
  }

  #beginRound(): void {
    this.beginStep()
    this.work = 'round'
    this.#rounds += 1
    this.calls.add(Array.from({ length: this.#goals }, (_, index) => `delegation:${this.steps}.${index + 1}`))
  }

  #write(): void {
    this.work = 'writing'
    this.beginStep()
  }
}

const dividing: readonly Row<FanOutStory>[] = [
  {
    ending: 'failed NO_CANDIDATES',
    when: ({ isPrepared, profile: { toolset, dynamic } }) =>
      isPrepared && dynamic.length === 0 && toolset.subagents.size === 0,
  },
  ...withoutBudget,
  {
    ending: (story) => `failed ${undecided(story)}`,
    when: (story) => story.work === 'dividing' && undecided(story) !== undefined,
  },
  // A step is left for the answer, or no other round begins.
  {
    ending: 'exhausted maxSteps',
    when: ({ isRoundOver, isAtCap }) => isRoundOver && isAtCap,
    lastTurn: 'unless silent',
  },
]

export const fanOutReference = referenceOf<FanOutStory>(
  {
    rows: [...interrupted, ...preparing, ...dividing, ...replying, ...judging, ...capped],
    lastTurn,
    crossing: [],
  },
  (input) => new FanOutStory(input),
)
