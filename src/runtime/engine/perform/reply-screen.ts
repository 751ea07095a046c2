/**
 * Output processors at work on one reply while it comes. What the last of them gives out is shown and becomes the
 * reply; what that means for the run is for the chart to decide. Without streaming a reply is one part.
 */
import type { ModelDelta, ModelReply } from '../../../actors/chat-model.ts'
import type { EffectOutcome } from '../../../actors/effect-kinds.ts'
import type { OutputProcessor, Tripwire } from '../../../actors/processor.ts'
import { noUsage } from '../../../actors/usage.ts'
import { TerminalError, toErrorData, type ErrorData } from '../../../errors.ts'
import type { Clock } from '../../clock.ts'
import type { PerformContext } from './context.ts'
import { tooLate } from '../../in-time.ts'
import { abortOf, checkedAnswer } from './processors.ts'

type Screened = EffectOutcome<'model'>

interface Link {
  readonly id: string
  readonly processor: OutputProcessor
  readonly state: Record<string, unknown>
  readonly taken: Record<ModelDelta['type'], string>
  hasThrown: boolean
}

/** What a processor may take for one part of the reply. */
interface Limit {
  readonly clock: Clock
  /** Milliseconds; `undefined`: any time. */
  readonly timeout: number | undefined
}

export class ReplyScreen {
  readonly #chain: readonly Link[]
  readonly #show: ((delta: ModelDelta) => void) | undefined
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
    // Nothing unchecked is shown: who looks at whole replies alone has not seen the parts.
    this.#show = this.#chain.length === processors.length ? show : undefined
  }

  /** Settles when a processor refuses, with what the reply is then. */
  get refusal(): Promise<Screened> {
    return this.#refusal.promise
  }

  get hasRefused(): boolean {
    return this.#tripwire !== undefined
  }

  /** One part of the reply. It never throws: what a processor throws must not look like a fault of the model. */
  take({ type, text }: ModelDelta): void {
    if (this.#tripwire !== undefined || text === '') return
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

  /** The reply as the processors have it. What was never streamed is taken now. */
  finish(reply: ModelReply): Screened {
    this.take({ type: 'reasoning', text: this.#rest('reasoning', reply.reasoning ?? '') })
    this.take({ type: 'text', text: this.#rest('text', reply.text) })
    return this.#screened(reply)
  }

  /** A driver whose reply does not go on from what it streamed: what was streamed is the reply. */
  #rest(type: ModelDelta['type'], whole: string): string {
    return whole.startsWith(this.#came[type]) ? whole.slice(this.#came[type].length) : ''
  }

  #screened({ reasoning: _reasoning, ...reply }: ModelReply): Screened {
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

  /** What a processor gives for a part; one that has thrown is absent for the rest of the reply. */
  #ask(link: Link, type: ModelDelta['type'], text: string): string | null {
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
  answer.catch(() => undefined) // whatever becomes of it, the processor has failed already
  return new TerminalError(message, { code: 'INVALID_HOOK_RESULT' })
}
