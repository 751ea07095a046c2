/** How far an agent is with its preparation, its present step, the reply of its model and its children. */
import type { Outcome, Stimulus } from 'troupe/testing'
import type { EffectOutcome } from '../../../../src/actors/effects/effect-kinds.ts'
import type { AgentInput } from '../../../../src/machines/contract/agent.ts'
import { Background, placesOf } from './background.ts'
import { Calls } from './calls.ts'
import { Heard } from './heard.ts'
import { Reply } from './reply.ts'
import { Screening } from './screening.ts'

export class Steps extends Heard {
  /** Parts of the preparation that have not ended. */
  readonly #preparation: Set<string>
  readonly prompt: Screening
  /** The time of the run is up. */
  isOutOfTime = false
  /** Model calls that count as steps. */
  steps = 0
  /** Attempts of the present call that have failed for now. */
  failures = 0
  /** Requests since the last reply that were too long for the server. */
  overflows = 0
  /** Once a request was too long, the window counts as shorter than any conversation of the suites. */
  wasTooLong = false
  /** Models of the row that have failed in the present step. */
  fallen = 0
  /** What has just happened leads to the next model of the row. */
  isFalling = false
  repairs = 0
  refusals = 0
  /** The model has called something in an earlier step. */
  hasCalledBefore = false
  isLastTurn = false
  reply: Reply | undefined
  /** Something that can be the answer has been said. */
  hasSpoken = false
  calls: Calls
  readonly background = new Background()
  /** A call in the background has ended, and the model has not read its result. */
  hasNotices = false
  hasBailed = false

  constructor(input: AgentInput) {
    super(input)
    const { profile } = input
    this.#preparation = new Set([
      ...(profile.dynamic.length > 0 ? ['hook:configure'] : []),
      ...(profile.memory === undefined ? [] : ['memory:recall']),
    ])
    this.prompt = new Screening(profile.processors.input.length, this.ignoresHookErrors)
    this.calls = new Calls(profile.toolCallConcurrency)
  }

  get isPrepared(): boolean {
    return this.#preparation.size === 0 && (!this.has('processInput') || this.prompt.isAccepted)
  }

  /** The reply has been read, and its calls have their outcomes. */
  get isStepDone(): boolean {
    return this.reply?.isDone === true && !this.calls.areOpen
  }

  /** The request was too long, and is made again with a shorter conversation. */
  get isMadeShorter(): boolean {
    return this.gets('model', 'is too long') && this.overflows === 1
  }

  get areChildrenAtWork(): boolean {
    return this.calls.areAtWork || this.background.areAtWork
  }

  /** No call is at work in the background, and the model has read the results of all. */
  get isIdle(): boolean {
    return !this.background.areOpen && !this.hasNotices
  }

  take(stimulus: Stimulus): void {
    this.now = stimulus
    this.isFalling = false
    this.#takeReport(stimulus)
    if (stimulus.type === 'event') this.#hear(stimulus.name)
    else if (stimulus.child === 'model') this.#takeReply(stimulus.outcome)
    else this.takeOutcome(stimulus.child, stimulus.outcome)
  }

  /** The outcome of a child that is no model. */
  protected takeOutcome(child: string, outcome: Outcome): void {
    const reply = this.reply
    if (outcome.error === undefined) this.#preparation.delete(child)
    this.record(child, outcome)
    if (child === 'hook:processInput') this.prompt.take(outcome)
    else if (child === 'hook:onStepFinish') this.#read(() => reply?.observe())
    else if (child === 'hook:processOutput') this.#read(() => reply?.process(outcome))
    else if (child === 'hook:validateObject') this.#checkShape(outcome)
    if (reply?.screening?.wantsAnother === true && this.mayAskForAnother) {
      this.refusals += 1
      this.#askAgain()
    }
  }

  /** The model is called once more, without tools: a refusal of its reply is final. */
  beginLastTurn(): void {
    this.isLastTurn = true
    this.reply = undefined
  }

  protected beginStep(): void {
    this.steps += 1
    this.hasCalledBefore ||= this.reply !== undefined && this.reply.value.toolCalls.length > 0
    this.reply = undefined
    this.failures = 0
    this.overflows = 0
    this.fallen = 0
    this.repairs = 0
    this.refusals = 0
    this.hasNotices = false
    this.calls = new Calls(this.profile.toolCallConcurrency)
    this.forgetAll()
  }

  /** The model is offered calls; otherwise none that it writes is carried out. */
  protected get mayCall(): boolean {
    return true
  }

  get mayAskForAnother(): boolean {
    return !this.isLastTurn && this.refusals < this.profile.maxProcessorRetries
  }

  #hear(event: string): void {
    if (event !== 'budget spent') return
    this.isOutOfTime = true
    this.calls.drop()
    this.background.drop()
  }

  #takeReply(outcome: Outcome): void {
    if (outcome.error?.code === 'CONTEXT_LENGTH_EXCEEDED') this.#takeOverflow()
    if (outcome.error?.retryable === true) this.failures += 1
    if (this.#falls(outcome)) {
      this.isFalling = true
      this.fallen += 1
      this.failures = 0
      return
    }
    if (outcome.error !== undefined) return
    this.overflows = 0
    this.#read(() => {
      this.reply = new Reply(this.profile, outcome)
    })
  }

  /** Another model is left, and the reply is a refusal, or an error that is not tried again. The last turn tries none again. */
  #falls({ error, value }: Outcome): boolean {
    if (this.fallen >= (this.profile.fallbacks?.models.length ?? 0)) return false
    if (error === undefined) return (value as EffectOutcome<'model'>).finishReason === 'refusal'
    return error.retryable !== true || this.isLastTurn || this.failures > this.profile.retries
  }

  /** Its calls begin when the reply is read. */
  #read(change: () => void): void {
    const wasDone = this.reply?.isDone === true
    change()
    this.hasSpoken ||= this.reply?.saysSomething === true
    this.#checkCall()
    if (wasDone || this.reply?.isDone !== true) return
    if (!this.mayCall) return
    const calls = this.reply
      .callsIn(this.steps)
      .map((call) => ({ ...call, places: placesOf(this.input, call.name) }))
    this.calls.add(calls.flatMap(({ child, places }) => (places === undefined ? [child] : [])))
    for (const { name, child, places } of calls) {
      if (places !== undefined) this.background.add(name, places, child)
    }
  }

  /** The first request that is too long is made shorter: it counts as an attempt. */
  #takeOverflow(): void {
    this.wasTooLong = true
    this.overflows += 1
    if (this.overflows === 1) this.failures += 1
  }

  /** A reply without the call that was required is sent back once. */
  #checkCall(): void {
    const isRequired = this.profile.toolChoice === 'required' && !this.hasCalledBefore && !this.isLastTurn
    if (!isRequired || this.reply?.isWithoutCall !== true) return
    if (this.repairs > 0) {
      this.reply.isUncalled = true
      return
    }
    this.repairs += 1
    this.#askAgain()
  }

  #checkShape({ name }: Outcome): void {
    const reply = this.reply
    if (reply === undefined) return
    reply.shape = name === 'has the shape' ? 'right' : 'wrong'
    if (name !== 'has another shape' || this.repairs > 0) return
    this.repairs += 1
    this.#askAgain()
  }

  #askAgain(): void {
    this.reply = undefined
    this.failures = 0
  }

  #takeReport(stimulus: Stimulus): void {
    if (stimulus.type === 'outcome') {
      const isBackground = this.background.isAtWork(stimulus.child)
      this.hasNotices ||= isBackground
      if (isBackground || this.calls.isAtWork(stimulus.child))
        this.hasBailed ||= stimulus.outcome.name === 'is bailed'
    }
    this.calls.take(stimulus)
    this.background.take(stimulus)
  }
}
