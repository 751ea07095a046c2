/** A run as `stream` gives it: text, chunks, and promises of its parts. */
import type { Problem, Run } from '../index.ts'
import { errorOf } from '../kit/index.ts'
import type { AgentChunk } from './chunk.ts'
import { chunksOf } from './chunks.ts'
import { generateResultOf, type GenerateResult } from './generate-result.ts'

interface StreamState {
  /** How often the run was suspended before this stream. */
  readonly after: number
  readonly isJudged: boolean
  readonly isNetwork: boolean
  readonly report: (problem: Problem) => void
}

/**
 * A run that is under way. It may be read any number of times, each time from its beginning, up to its end or to its
 * suspension. A failure that nobody has read is reported.
 * @experimental
 */
export class AgentStream<Output = undefined> implements AsyncIterable<AgentChunk> {
  readonly runId: string
  readonly #run: Run
  readonly #state: StreamState
  #isRead = false

  constructor(run: Run, state: StreamState) {
    this.runId = run.id
    this.#run = run
    this.#state = state
    void this.#reportUnread()
  }

  async #reportUnread(): Promise<void> {
    const result = await this.#run.whenIdle.catch(() => undefined) // whoever reads gets the error
    if (result?.outcome !== 'failed' || this.#isRead) return
    const { runId, error } = result
    const message = `the run "${runId}" has failed, and nobody has read its text, its chunks or its result`
    this.#state.report({ message, code: 'RUN_FAILED', where: 'run', error: errorOf(error, runId), runId })
  }

  /** The run as this library gives it. */
  get run(): Run {
    this.#isRead = true
    return this.#run
  }

  /** The chunks of the agent; those of its subagents are in `tool-output`. */
  get fullStream(): AsyncIterable<AgentChunk> {
    return { [Symbol.asyncIterator]: () => chunksOf(this.run.events, this.#state) }
  }

  /** The text of the agent. Throws at its end the error of a run that has failed. */
  get textStream(): AsyncIterable<string> {
    return { [Symbol.asyncIterator]: () => this.#text() }
  }

  /** Settles at the end, or when the run is suspended. Rejects with the error of a run that has failed. */
  get result(): Promise<GenerateResult<Output>> {
    return this.run.whenIdle.then((result) => generateResultOf<Output>(result))
  }

  /** The final answer alone. As `result` settles. */
  get text(): Promise<string> {
    return this.result.then(({ text }) => text)
  }

  /** As `result` settles. */
  get object(): Promise<Output | undefined> {
    return this.result.then(({ object }) => object)
  }

  /** As `result` settles. */
  get finishReason(): Promise<string> {
    return this.result.then(({ finishReason }) => finishReason)
  }

  /** As `result` settles. */
  get usage(): Promise<GenerateResult['usage']> {
    return this.result.then(({ usage }) => usage)
  }

  /** As `result` settles. */
  get steps(): Promise<GenerateResult['steps']> {
    return this.result.then(({ steps }) => steps)
  }

  /** As `result` settles. */
  get toolCalls(): Promise<GenerateResult['toolCalls']> {
    return this.result.then(({ toolCalls }) => toolCalls)
  }

  /** As `result` settles. */
  get toolResults(): Promise<GenerateResult['toolResults']> {
    return this.result.then(({ toolResults }) => toolResults)
  }

  /** As `fullStream`. */
  [Symbol.asyncIterator](): AsyncIterator<AgentChunk> {
    return this.fullStream[Symbol.asyncIterator]()
  }

  async *#text(): AsyncGenerator<string, void> {
    for await (const chunk of this.fullStream) if (chunk.type === 'text-delta') yield chunk.payload.text
    await this.result
  }
}
