/**
 * What has happened to an agent so far, in the words of the guides. It is told each outcome and each event in their order, and
 * decides nothing: the tables do.
 */
import type { Outcome, Stimulus } from 'troupe/testing'
import { speaks } from '../../suites/loop-outcomes.ts'
import { Sayings } from './sayings.ts'
import { Steps } from './steps.ts'

export class Story extends Steps {
  /** The name of the cap on the steps. */
  readonly cap: 'maxSteps' | 'maxIterations' = 'maxSteps'
  /** Those that input processors check. */
  readonly sayings = new Sayings(this.checksSayings ? (this.input.opening.line?.sayings ?? []).length : 0)
  /** There is an answer, and results from the background are still to come. */
  waitsForBackground = false

  /** Whether the model of the pattern reads messages of people. */
  get readsSayings(): boolean {
    return false
  }

  get checksSayings(): boolean {
    return this.readsSayings && this.has('processInput')
  }

  override get areChildrenAtWork(): boolean {
    return super.areChildrenAtWork || this.sayings.areBeingChecked
  }

  /** A message that is not checked may be one to read. */
  override get isIdle(): boolean {
    return super.isIdle && this.sayings.areJudged
  }

  /** The thread is with another agent: the conversation is handed on, and no model is called. */
  get isResumingHandoff(): boolean {
    return this.steps === 0 && this.isPrepared && this.said('memory', 'remembers that billing goes on')
  }

  /** A step that ends with a handoff is neither reviewed nor scored. */
  get isHandingOff(): boolean {
    return this.isResumingHandoff || (this.isStepDone && this.reply?.handsOff === true)
  }

  get isReviewed(): boolean {
    return (
      this.isStepDone &&
      !this.isHandingOff &&
      (!this.has('onIterationComplete') || this.said('onIterationComplete'))
    )
  }

  get isObjectedTo(): boolean {
    return this.said('onIterationComplete', 'objects')
  }

  /** Each answer is scored, or each step; but not one to which the reviewer objects. */
  get mustBeScored(): boolean {
    const { completion, scoreEvery } = this.profile
    return completion !== undefined && !this.isObjectedTo && (scoreEvery === 'iteration' || this.isAnswer)
  }

  get isScored(): boolean {
    return this.isReviewed && (!this.mustBeScored || this.said('completion'))
  }

  get isAnswer(): boolean {
    return this.reply?.isAnswer === true
  }

  /** Something was called in this step. */
  get hasCalled(): boolean {
    return this.reply !== undefined && this.reply.value.toolCalls.length > 0
  }

  get isAccepted(): boolean {
    return this.mustBeScored ? this.said('completion', 'passes') : this.isAnswer && !this.isObjectedTo
  }

  get isAskedWhetherToStop(): boolean {
    return this.isScored && !this.sayings.areBeingChecked && this.has('stopWhen') && !this.said('stopWhen')
  }

  /** Work that the scorers have accepted is followed by a step in which the answer is written. */
  get isAnswerWritten(): boolean {
    return false
  }

  /** Nothing ends the agent here but a cap. */
  get isJudged(): boolean {
    if (this.isOutOfTime || this.sayings.areBeingChecked) return false
    return this.isScored && (!this.has('stopWhen') || this.said('stopWhen'))
  }

  get isAtCap(): boolean {
    return this.steps >= this.input.maxSteps
  }

  override take(stimulus: Stimulus): void {
    const wasScored = this.isScored
    const wasJudged = this.isJudged
    super.take(stimulus)
    if (this.readsSayings && this.hears(speaks)) this.#hear()
    if (stimulus.type === 'outcome' && this.gets('screening')) this.#takeJudgement(stimulus.outcome)
    else if (!wasScored && this.isScored) this.#check()
    const begins = !wasJudged && this.isJudged && this.isAccepted && !this.hasNotices
    const isOver = this.hasNotices && !this.isAtCap
    this.waitsForBackground = (begins || this.waitsForBackground) && this.background.areOpen && !isOver
    if (this.waitsForBackground) this.#check()
  }

  protected override beginStep(): void {
    super.beginStep()
    this.sayings.read()
    this.#check()
  }

  /** A message of a person is read with the next request, as a notice from the background is. */
  #hear(): void {
    if (this.checksSayings) this.sayings.add()
    else this.hasNotices = true
  }

  /** Where the step begins, its own request has the messages that passed. */
  #takeJudgement(outcome: Outcome): void {
    this.sayings.take(outcome)
    if (this.reply === undefined) this.sayings.read()
    this.hasNotices ||= this.sayings.havePassed
    this.#check()
  }

  /** Those that came meanwhile are checked in their turn. */
  #check(): void {
    if (!this.isOutOfTime) this.sayings.check()
  }

  /** No row of the table has held: another step begins when nothing is left to be asked. */
  goOn(): void {
    if (this.isResumingHandoff) return
    if (this.steps === 0 ? this.isPrepared : this.isJudged && !this.waitsForBackground) this.beginStep()
  }
}
