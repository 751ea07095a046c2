/** Cases about failures: the class of an error tells the runtime whether another attempt may help. */
import type { ChatModel, ModelCallOptions } from '../../actors/chat-model.ts'
import { RetryableError, TroupeError } from '../../errors.ts'
import { ask, eitherWay, question, type Plan } from './asking.ts'
import { expectEqual, expectThat } from './check.ts'
import type { ContractFailure } from './subject.ts'

async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    (value) => expectThat(false, 'the call to reject', value),
    (error: unknown) => error,
  )
}

function expectRetryable(error: unknown, isRetryable: boolean): void {
  const name = error instanceof Error ? `${error.name}: ${error.message}` : error
  expectThat(error instanceof RetryableError === isRetryable, `a RetryableError: ${isRetryable}`, name)
}

function fails(name: string, failure: ContractFailure, isRetryable: boolean): readonly Plan[] {
  return eitherWay({
    name,
    needs: [failure],
    replies: [{ failure }],
    async check(model, isStreaming) {
      expectRetryable(await failureOf(ask(model, question, isStreaming)), isRetryable)
    },
  })
}

/** A call that is aborted once the server has it. */
function abortedCall(model: ChatModel, isStreaming: boolean): Promise<unknown> {
  const controller = new AbortController()
  const options: ModelCallOptions = {
    signal: controller.signal,
    idempotencyKey: 'contract/1',
    ...(isStreaming ? { onDelta: () => undefined } : {}),
  }
  const call = failureOf(model.generate(question, options))
  setTimeout(() => controller.abort(new Error('Enough.')), 20)
  return call
}

export const failurePlans: readonly Plan[] = [
  ...fails('lets the run try again after a rate limit', 'rate-limited', true),
  ...fails('lets the run try again where the server is unavailable', 'unavailable', true),
  ...fails('does not let the run repeat a request that the server refuses', 'refused', false),
  {
    name: 'tells how long the server wants to be left alone',
    needs: ['rate-limited'],
    replies: [{ failure: 'rate-limited' }],
    async check(model) {
      const error = await failureOf(ask(model, question, false))
      expectEqual(error instanceof RetryableError ? error.retryAfterMs : undefined, 2000, 'retryAfterMs')
    },
  },
  {
    name: 'lets the run try again after a stream that was cut',
    needs: ['cut'],
    replies: [{ text: 'The moon', failure: 'cut' }],
    async check(model) {
      expectRetryable(await failureOf(ask(model, question, true)), true)
    },
  },
  {
    name: 'answers after a failure: each request is one of its own',
    needs: ['unavailable'],
    replies: [{ failure: 'unavailable' }, { text: 'The moon.' }],
    async check(model) {
      await failureOf(ask(model, question, true))
      expectEqual((await ask(model, question, true)).reply.text, 'The moon.', 'the text')
    },
  },
  ...eitherWay({
    name: 'ends when it is aborted, and is not tried again',
    needs: ['silent'],
    replies: [{ failure: 'silent' }],
    async check(model, isStreaming) {
      const error = await abortedCall(model, isStreaming)
      expectRetryable(error, false)
      expectThat(!(error instanceof TroupeError) || error.code !== 'CONTRACT_BROKEN', 'the call to reject')
    },
  }),
]
