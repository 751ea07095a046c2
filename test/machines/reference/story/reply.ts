/** One reply of the model: what it says, and how far processors, observers and the requested shape are with it. */
import type { Outcome } from 'troupe/testing'
import type { EffectOutcome, HookOutcome } from '../../../../src/actors/effects/effect-kinds.ts'
import type { AgentProfile } from '../../../../src/machines/contract/agent.ts'
import { Screening } from './screening.ts'

type Value = EffectOutcome<'model'>
type Processed = HookOutcome<'processOutput'>

export class Reply {
  readonly value: Value
  /** `undefined`: the agent has no output processors. */
  readonly screening: Screening | undefined
  shape: 'right' | 'wrong' | undefined
  /** A call was required, and the model has been asked for it in vain. */
  isUncalled = false
  readonly #profile: AgentProfile
  #text: string
  #isObserved = false

  constructor(profile: AgentProfile, outcome: Outcome) {
    this.#profile = profile
    this.value = outcome.value as Value
    this.#text = this.value.text
    if (profile.hooks.processOutput === undefined) return
    this.screening = new Screening(profile.processors.output.length, profile.hookErrors === 'ignore')
    if (this.value.screening !== undefined) this.screening.takeStreamed(this.value.screening)
  }

  process(outcome: Outcome): void {
    this.screening?.take(outcome)
    if (outcome.error === undefined) this.#text = (outcome.value as Processed).text
  }

  observe(): void {
    this.#isObserved = true
  }

  get isAccepted(): boolean {
    return this.screening === undefined || this.screening.isAccepted
  }

  get saysSomething(): boolean {
    return this.isAccepted && !this.isRefusal && this.#text.trim() !== ''
  }

  /** Text without calls, and not cut off. */
  get isAnswer(): boolean {
    return this.saysSomething && this.value.toolCalls.length === 0 && this.value.finishReason !== 'length'
  }

  /** Nothing more is asked about what it says. */
  get isRead(): boolean {
    return this.isAccepted && (this.#isObserved || this.#profile.hooks.onStepFinish === undefined)
  }

  /** As `isRead`, of one that is right: an answer has the requested shape. */
  get isDone(): boolean {
    const isShaped = this.#profile.responseFormat === undefined || this.shape === 'right'
    return this.isRead && !this.isRefusal && !this.isUncalled && (!this.isAnswer || isShaped)
  }

  get isRefusal(): boolean {
    return ['refusal', 'content-filter'].includes(this.value.finishReason)
  }

  /** It has been read, and calls nothing. One that was cut off could have had a call. */
  get isWithoutCall(): boolean {
    const { toolCalls, finishReason } = this.value
    return this.isRead && !this.isRefusal && toolCalls.length === 0 && finishReason !== 'length'
  }

  get handsOff(): boolean {
    return this.value.toolCalls.some(({ name }) => name.startsWith('transfer-to-'))
  }

  /** Its calls, without handoffs, and the children that carry them out. */
  callsIn(step: number): readonly { readonly name: string; readonly child: string }[] {
    return this.value.toolCalls.flatMap(({ name }, index) => {
      const kind = name.startsWith('agent-') ? 'delegation' : 'call'
      return name.startsWith('transfer-to-') ? [] : [{ name, child: `${kind}:${step}.${index + 1}` }]
    })
  }
}
