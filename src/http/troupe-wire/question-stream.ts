/**
 * The questions that wait, as server-sent events: `asked` for each that waits now or is asked later, and `closed` once one does
 * not wait any more. The stream goes on until its reader leaves; one that comes back gets all that wait then.
 */
import type { StoreListener } from '../../index.ts'
import { startTimer } from '../../kit/index.ts'
import { type Call, assertNames, leavable, refusalOf, serverFailure, textsOf } from '../../kit/wire/index.ts'
import type { ServedQuestion } from '../access/authorize.ts'
import { type ListFilter, narrowed } from '../access/gate.ts'
import { servedQuestion } from '../access/served-run.ts'
import { eventStream } from '../serving/run-stream.ts'
import type { Serving } from '../serving/serving.ts'
import { sseRetry, sseText } from '../stream/sse.ts'

/** A question that does not wait any more. */
type ClosedQuestion = Pick<ServedQuestion, 'runId' | 'toolCallId' | 'since'>

const names = ['agent', 'threadId', 'conversationId', 'runId'] as const

/** Milliseconds between two looks at the list: the least after a change, and the most without one. */
const pause = { least: 100, most: 2_000 } as const

export async function streamQuestions(serving: Serving, { request, url }: Call): Promise<Response> {
  const allowed = await serving.gate.toList(request, 'questions')
  assertNames(url.searchParams, names)
  const filter = narrowed(allowed, textsOf(url.searchParams, ...names))
  const changes = new Changes(serving)
  async function* texts(): AsyncGenerator<string, void> {
    yield sseRetry(serving.options.retry)
    let known: ReadonlyMap<string, ServedQuestion> = new Map()
    while (!changes.hasEnded) {
      const open = await openQuestions(serving, filter)
      for (const [key, question] of open) {
        if (!known.has(key)) yield sseText({ event: 'asked', data: question })
      }
      for (const [key, { runId, toolCallId, since }] of known) {
        const closed: ClosedQuestion = { runId, toolCallId, since }
        if (!open.has(key)) yield sseText({ event: 'closed', data: closed })
      }
      known = open
      await changes.next()
    }
  }
  const reading = leavable(texts(), async () => changes.end())
  return eventStream(serving, request, reading, (error) => {
    const refusal = refusalOf(error) ?? serverFailure(error)
    serving.report({
      message: 'the open questions could not be streamed',
      code: 'QUESTIONS_STREAM_FAILED',
      where: 'request',
      error,
    })
    return sseText({ event: 'failure', data: { code: refusal.code, message: refusal.message } })
  })
}

/** All that wait, the oldest first, by their runs, calls and times. */
async function openQuestions(
  { service }: Serving,
  filter: ListFilter | undefined,
): Promise<ReadonlyMap<string, ServedQuestion>> {
  const open = new Map<string, ServedQuestion>()
  if (filter === undefined) return open
  let before: string | undefined
  for (;;) {
    const page = await service.awaiting({
      ...filter,
      order: 'oldest',
      ...(before === undefined ? {} : { before }),
    })
    for (const question of page.items.map(servedQuestion)) {
      open.set(JSON.stringify([question.runId, question.toolCallId, question.since]), question)
    }
    before = page.next
    if (before === undefined) break
  }
  return open
}

/** When the list may have changed: where the store tells of it, and after a while in any case. */
class Changes {
  hasEnded = false
  #hasNews = false
  #wake: () => void = () => undefined
  readonly #forget: () => void

  constructor({ service }: Serving) {
    const listener: StoreListener = () => {
      this.#hasNews = true
      this.#wake()
    }
    this.#forget = service.subscribe?.(listener) ?? (() => undefined)
  }

  /** Resolves once the list is to be read again. */
  async next(): Promise<void> {
    await this.#wait(pause.least, false)
    if (!this.#hasNews && !this.hasEnded) await this.#wait(pause.most, true)
    this.#hasNews = false
  }

  end(): void {
    this.hasEnded = true
    this.#wake()
    this.#forget()
  }

  async #wait(delay: number, isForNews: boolean): Promise<void> {
    if (this.hasEnded) return
    await new Promise<void>((resolve) => {
      const stop = startTimer(delay, resolve)
      this.#wake = () => {
        if (!isForNews && !this.hasEnded) return
        stop()
        resolve()
      }
    })
  }
}
