/** An agent as a language model of the AI SDK: the way back, for `streamText`, `generateText` and chats over them. */
import { type AnyAgent, type CallOptions, type Run, type Troupe, TroupeError } from '../../index.ts'
import { type Fields, anything, deliveredFiles, having, optional, readOptions } from '../../kit/index.ts'
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { contentOf, finalOf, finishOf, metadataOf, usageOf } from './answer.ts'
import { readCall } from './call.ts'
import { partsOf } from './parts.ts'

/** The options of `toLanguageModel`. */
export interface LanguageModelOptions {
  /** The troupe that runs the agent, one of its agents. Without one each call has a troupe of its own, in memory. */
  readonly troupe?: Troupe
  /** Options of each run. A call adds its own by `providerOptions: { troupe: { threadId: '…' } }`. */
  readonly run?: CallOptions
}

const fields: Fields<LanguageModelOptions> = {
  troupe: optional(having('a troupe', 'start')),
  run: optional(anything),
}

/**
 * A language model whose every call is a run of the agent: its answer is the answer of the run, and the calls and
 * delegations of the agent are calls that the provider has executed; a stream has their arguments as they are written.
 * `toolChoice` is that of the run, for an agent that has the option. Instructions, tools and settings of a call are not
 * used, and the answer warns of them. `providerMetadata.troupe` of an answer names the run and its outcome.
 *
 * Throws a `ConfigurationError` for an unknown option. A call rejects with the error of a run that has failed, and with
 * the error `ANSWER_NEEDED` for one that waits for a person: in a troupe of yours it then waits on, and can be answered.
 */
export function toLanguageModel(agent: AnyAgent, options: LanguageModelOptions = {}): LanguageModelV4 {
  const { troupe, run: common } = readOptions<LanguageModelOptions>(options, 'toLanguageModel', fields)

  async function begin(call: LanguageModelV4CallOptions, stream: boolean) {
    call.abortSignal?.throwIfAborted()
    const { prompt, options: own, warnings } = readCall(call, agent)
    const all: CallOptions = { ...common, ...own, stream }
    const run: Run = troupe === undefined ? agent.stream(prompt, all) : await troupe.start(agent, prompt, all)
    return { run, warnings }
  }

  /** Nothing can answer a suspended run of a troupe that no one else has. */
  async function release(run: Run): Promise<void> {
    if (troupe === undefined) await run.cancel('No one can answer it.')
  }

  return {
    specificationVersion: 'v4',
    provider: 'troupe',
    modelId: agent.id,
    supportedUrls: {},
    async doGenerate(call) {
      const { run, warnings } = await begin(call, false)
      const idle = await run.whenIdle
      if (idle.outcome === 'suspended') await release(run)
      const result = finalOf(idle, call.abortSignal)
      return {
        content: contentOf(result, await deliveredFiles(result.files, troupe?.blobs)),
        finishReason: finishOf(result),
        usage: usageOf(result.usage),
        providerMetadata: metadataOf(result),
        warnings,
      }
    },
    async doStream(call) {
      const { run, warnings } = await begin(call, true)
      const parts = partsOf(run, { warnings, signal: call.abortSignal, blobs: troupe?.blobs })
      return { stream: readable(parts, run, () => release(run)) }
    },
  }
}

/** A reader that leaves cancels the run. */
function readable(
  parts: AsyncGenerator<LanguageModelV4StreamPart, void>,
  run: Run,
  release: () => Promise<void>,
): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await parts.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      } catch (error) {
        if (error instanceof TroupeError && error.code === 'ANSWER_NEEDED') await release()
        throw error
      }
    },
    async cancel() {
      await run.cancel('The reader has left.')
      await parts.return(undefined)
    },
  })
}
