/**
 * Runs output processors on one reply as it arrives. The output of the last one is shown and becomes the reply; the
 * chart decides the consequence for the run. Without streaming a reply is one part.
 */
import type { ModelDelta, SpokenPart } from '../../../actors/chat-model.ts'
import type { EffectOutcome } from '../../../actors/effects/effect-kinds.ts'
import { toldDelta } from '../../../actors/models/told-delta.ts'
import type { OutputProcessor, Tripwire } from '../../../actors/processor.ts'
import type { SignedReply } from '../../../actors/messages/provider-data.ts'
import { noUsage } from '../../../actors/usage.ts'
import { TerminalError, toErrorData, type ErrorData } from '../../../errors.ts'
import type { Clock } from '../../clock.ts'
import type { PerformContext } from './context.ts'
import { tooLate } from '../../in-time.ts'
import { abortOf, checkedAnswer } from './processor-answer.ts'

type Screened = EffectOutcome<'model'>

interface Link {
  readonly id: string
  readonly processor: OutputProcessor
  readonly state: Record<string, unknown>
  readonly taken: Record<SpokenPart['type'], string>
  hasThrown: boolean
}

/** The time that a processor may take for one part of the reply. */
interface Limit {
  readonly clock: Clock
  /** Milliseconds; `undefined`: no limit. */
  readonly timeout: number | undefined
}

export class ReplyScreen {
  readonly #chain: readonly Link[]
  readonly #show: ((delta: SpokenPart) => void) | undefined
  readonly #refusal = Promise.withResolvers<Screened>()
  readonly #came = { text: '', reasoning: '' }
  readonly #given = { text: '', reasoning: '' }
  readonly #failed: PerformContext['failed']
  readonly #failures: ErrorData[] = []
  readonly #limit: Limit
  #tripwire: Tripwire | undefined

  constructor(
    processors: readonly OutputProcessor[],
    show: ((delta: ModelDelta) => void) | undefined,
    failed: PerformContext['failed'],
    limit: Limit,
  ) {
    this.#failed = failed
    this.#limit = limit
    this.#chain = processors.flatMap((processor) =>
      processor.processOutputStream === undefined ? [] : [linkOf(processor)],
    )
    // Nothing unchecked is shown: a processor that checks only whole replies has not seen the parts.
    this.#show = this.#chain.length === processors.length ? show : undefined
  }

  /** Resolves when a processor refuses, with the reply as it is then. */
  get refusal(): Promise<Screened> {
    return this.#refusal.promise
  }

  get hasRefused(): boolean {
    return this.#tripwire !== undefined
  }

  /**
   * Takes one part of the reply. A part that no processor checks is not told: arguments of calls, and types that are
   * unknown. It throws for what is no part alone: an exception of a processor must not look like a fault of the model.
   */
  take(piece: ModelDelta): void {
    const delta = toldDelta(piece)
    if (this.#tripwire !== undefined || delta === undefined || delta.type === 'tool-args') return
    const { type, text } = delta
    this.#came[type] += text
    let part: string | null = text
    for (const link of this.#chain) {
      part = this.#ask(link, type, part)
      if (part === null || part === '') return
    }
    this.#given[type] += part
    // Once a processor has thrown, the chart must first say whether its absence is accepted.
    if (this.#failures.length === 0) this.#show?.({ type, text: part })
  }

  /** Returns the reply as the processors changed it. Text that was never streamed is taken now. */
  finish(reply: Screened): Screened {
    this.take({ type: 'reasoning', text: this.#rest('reasoning', reply.reasoning ?? '') })
    this.take({ type: 'text', text: this.#rest('text', reply.text) })
    return this.#screened(reply)
  }

  /**
   * The part of the reply that was not streamed. Where the reply does not continue the streamed text, the streamed text
   * is the reply.
   */
  #rest(type: SpokenPart['type'], whole: string): string {
    return whole.startsWith(this.#came[type]) ? whole.slice(this.#came[type].length) : ''
  }

  #screened({ reasoning: _reasoning, ...reply }: SignedReply): Screened {
    const { text, reasoning } = this.#given
    const screening = {
      failures: this.#failures,
      ...(this.#tripwire === undefined ? {} : { tripwire: this.#tripwire }),
    }
    const hasPassed = this.#tripwire === undefined && this.#failures.length === 0
    return {
      ...reply,
      text,
      ...(reasoning === '' ? {} : { reasoning }),
      toolCalls: [...reply.toolCalls],
      ...(hasPassed ? {} : { screening }),
    }
  }

  /** Returns the output of a processor for a part; a processor that has thrown is absent for the rest of the reply. */
  #ask(link: Link, type: SpokenPart['type'], text: string): string | null {
    if (link.hasThrown) return text
    link.taken[type] += text
    const { clock, timeout = Number.POSITIVE_INFINITY } = this.#limit
    const due = clock.now() + timeout
    try {
      const answer: unknown = link.processor.processOutputStream?.({
        part: { type, text },
        text: link.taken[type],
        state: link.state,
        abort: abortOf(link.id, (tripwire) => this.#trip(tripwire)),
      })
      if (isPromise(answer)) throw notAtOnce(link.id, answer)
      if (clock.now() >= due) throw tooLate(`processOutputStream of "${link.id}"`, timeout)
      const given = checkedAnswer('processOutputStream', link.id, answer)
      if (this.#tripwire !== undefined) return null
      return given === undefined ? text : given
    } catch (thrown) {
      if (this.#tripwire !== undefined) return null
      link.hasThrown = true
      this.#failures.push(toErrorData(thrown, 'HOOK_FAILED'))
      this.#failed(thrown, link.id)
      return text
    }
  }

  #trip(tripwire: Tripwire): void {
    if (this.#tripwire !== undefined) return
    this.#tripwire = tripwire
    const reply = { text: '', toolCalls: [], finishReason: 'unknown', usage: noUsage } as const
    this.#refusal.resolve(this.#screened(reply))
  }
}

function linkOf(processor: OutputProcessor): Link {
  const { id } = processor
  return { id, processor, state: {}, taken: { text: '', reasoning: '' }, hasThrown: false }
}

function isPromise(answer: unknown): answer is Promise<unknown> {
  return answer instanceof Promise
}

function notAtOnce(processor: string, answer: Promise<unknown>): TerminalError {
  const message = `processOutputStream of "${processor}" answered with a promise; it must answer at once.`
  answer.catch(() => undefined) // its outcome does not matter: the processor has failed already
  return new TerminalError(message, { code: 'INVALID_HOOK_RESULT' })
}
