/** In any order of calls, lost sessions and restarts, no call is begun twice, and only a call that was cut is asked about. */
import fc from 'fast-check'
import type { ToolExecution } from 'troupe'
import { expect, test } from 'vitest'
import { callTool } from '../../src/mcp/tools/call.ts'
import { connectionToDesk, desk } from './support/stateful.ts'

class Suspended extends Error {}

const executionOf = (key: string): ToolExecution =>
  ({
    signal: new AbortController().signal,
    idempotencyKey: key,
    runId: 'run',
    agent: 'clerk',
    toolCallId: key,
    answers: [],
    resumeData: undefined,
    emit: () => undefined,
    suspend: () => {
      throw new Suspended()
    },
  }) as unknown as ToolExecution

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => void setImmediate(resolve))
}

const step = fc.record({
  what: fc.constantFrom('book', 'book', 'slow', 'slow', 'forget', 'restart', 'release'),
  /** Turns of the event loop until the next step. */
  after: fc.integer({ min: 0, max: 40 }),
})

test('each call is begun at most once, and ends with its answer or with a question about what was cut', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 24 }), async (steps) => {
      const server = desk()
      const connection = connectionToDesk(server)
      const clients = {
        client: () => connection.client(),
        lost: (client: Awaited<ReturnType<typeof connection.client>>) => connection.lost(client),
      }
      let restarts = 0
      const ends = new Map<string, string>()
      const begin = (name: string, key: string): Promise<void> =>
        callTool({ name, onInterrupted: 'ask' }, { n: key }, executionOf(key), clients, {}).then(
          (value) => void ends.set(key, typeof value === 'string' ? value : 'no text'),
          (error: unknown) => void ends.set(key, error instanceof Suspended ? 'asked' : String(error)),
        )
      const under: Promise<void>[] = []
      for (const [index, { what, after }] of steps.entries()) {
        if (what === 'forget') server.forget()
        else if (what === 'release') server.release()
        else if (what === 'restart') {
          restarts++
          server.stop()
          server.start()
        } else under.push(begin(what, `${index}`))
        await turns(after)
      }
      const over = new AbortController()
      const all = Promise.all(under).then(() => over.abort())
      while (!over.signal.aborted) {
        server.release()
        await turns(1)
      }
      await all
      await connection.close()
      for (const [key, end] of ends) {
        const begun = server.begun.filter((one) => one === key).length
        if (end === 'asked') expect([key, begun <= 1, restarts > 0]).toEqual([key, true, true])
        else expect([key, end, begun]).toEqual([key, `booked ${key}`, 1])
      }
    }),
    { numRuns: 40 },
  )
}, 120_000)
