/**
 * The wire of `useChat` against the AI SDK's own schema of its stream: whatever a run does, each chunk is one of
 * `uiMessageChunkSchema` of the package `ai`, and has no field that the schema does not know.
 * Nothing is left out.
 */
import { uiMessageChunkSchema } from 'ai'
import fc from 'fast-check'
import type { RunEvent } from 'troupe'
import { expect, test } from 'vitest'
import { ClientCalls } from '../../src/http/serving/client-tools.ts'
import { toChunks } from '../../src/http/ai-sdk-wire/to-chunks.ts'
import { runNested } from '../properties/nested-patterns.ts'
import { runRandomly } from '../properties/random-troupe.ts'
import { whole } from './support/whole.ts'

async function assertChunk(chunk: unknown): Promise<void> {
  const sent: unknown = JSON.parse(JSON.stringify(chunk))
  const read = await uiMessageChunkSchema().validate?.(sent)
  if (read?.success !== true) {
    throw new Error(`The schema refuses ${JSON.stringify(sent)}`, { cause: read?.error })
  }
  expect(read.value).toEqual(sent)
}

async function* each(events: readonly RunEvent[]): AsyncGenerator<RunEvent, void> {
  yield* events
}

const numbers = fc.array(fc.nat({ max: 1_000 }), { minLength: 200, maxLength: 400, size: 'max' })

test.each([
  ['with every kind of end', runRandomly],
  ['of every pattern below every other', runNested],
] as const)('each chunk of random runs %s is one of the schema', async (_, run) => {
  let chunks = 0
  await fc.assert(
    fc.asyncProperty(numbers, async (choices) => {
      const { along } = await run(choices)
      const options = { runId: 'r', addressOf: (ref: string) => `/f/${ref}`, clientCalls: new ClientCalls() }
      for await (const chunk of toChunks(each(along), options)) {
        await assertChunk(chunk)
        chunks++
      }
    }),
    { numRuns: whole ? 200 : 5 },
  )
  expect(chunks).toBeGreaterThan(20)
})
