/** BEHAVIOUR 69: on Restate a watch outlives a source of deltas that fails, and a watch that failed is begun anew. */
import { createTroupe, TroupeError, type Problem, type RunEvent } from 'troupe'
import type { DeltaSource } from 'troupe/restate'
import { expect, test } from 'vitest'
import { asDefinition } from '../../../src/runtime/definition/definition.ts'
import { AgentRegistry } from '../../../src/runtime/definition/registry.ts'
import { RunWatches } from '../../../src/restate/client/run-watches.ts'
import type { ReadReply } from '../../../src/restate/wire/wire.ts'
import { worker } from '../../support/agents/agents.ts'
import { allOf } from '../../support/all-of.ts'

interface Restate {
  readonly deltas?: DeltaSource
  /** Returns how many turns a read sees; the reads are counted from 1. Default: all. */
  readonly visible?: (read: number) => number
  readonly find?: () => Promise<string>
}

/** The watches of a run that has ended; its journal has two turns. */
async function watches({ deltas, visible = () => 2, find = async () => 'solo' }: Restate) {
  const { agent } = worker('solo', ['Done.'])
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go')
  await run.result
  const journal = await troupe.journal(run.id)
  const registry = new AgentRegistry()
  registry.add(asDefinition(agent), 'test')
  const problems: Problem[] = []
  let reads = 0
  const watched = new RunWatches({
    registry,
    ingress: {
      async read(_address, { from }): Promise<ReadReply> {
        const turns = [{ entries: journal.slice(0, 1) }, { entries: journal.slice(1) }]
        return { turns: turns.slice(from, visible(++reads)) }
      },
      loss: async () => undefined,
    },
    pollInterval: 1,
    deltas,
    listQuestions: undefined,
    report: (problem) => problems.push(problem),
    find,
  })
  return { watched, runId: run.id, problems }
}

const failing: Readonly<Record<string, () => unknown>> = {
  'throws on subscribe': () => {
    throw new Error('no deltas')
  },
  'rejects on subscribe': () => Promise.reject(new Error('no deltas')),
  'throws on leave': () => () => {
    throw new Error('no deltas')
  },
  'rejects on leave': () => () => Promise.reject(new Error('no deltas')),
}

test.each(Object.entries(failing))(
  'a source that %s is reported, and messages come whole',
  async (_, subscribe) => {
    const { watched, runId, problems } = await watches({
      deltas: { subscribe: subscribe as () => () => void },
    })
    const events = await allOf(watched.watch(runId))
    expect(events.at(-1)).toMatchObject({ final: true })
    expect(events.filter(({ type }) => type === 'text-delta')).toMatchObject([{ payload: { text: 'Done.' } }])
    await expect.poll(() => problems).toMatchObject([{ runId, error: { message: 'no deltas' } }])
  },
)

test('a source that is slow to subscribe is left all the same', async () => {
  let isLeft = false
  const subscribe = async (): Promise<() => void> => () => void (isLeft = true)
  const { watched, runId, problems } = await watches({ deltas: { subscribe: subscribe as never } })
  await allOf(watched.watch(runId))
  await expect.poll(() => isLeft).toBe(true)
  expect(problems).toEqual([])
})

test('a watch that failed is begun anew by the next reader, although another one has not left', async () => {
  const visible = (read: number): number => {
    if (read === 2) throw new TroupeError('RESTATE_FAILED', 'It has failed.')
    return read
  }
  const { watched, runId } = await watches({ visible })
  const slow = watched.watch(runId)[Symbol.asyncIterator]()
  expect((await slow.next()).value).toMatchObject({ type: 'run-start' })
  await expect(allOf(watched.watch(runId))).rejects.toMatchObject({ code: 'RESTATE_FAILED' })
  const events: RunEvent[] = await allOf(watched.watch(runId))
  expect(events.at(-1)).toMatchObject({ final: true })
  await slow.return?.()
})

test('a run that was not found is looked for again', async () => {
  const found = Promise.withResolvers<string>()
  let searches = 0
  const find = async (): Promise<string> => (++searches === 1 ? found.promise : 'solo')
  const { watched, runId } = await watches({ find })
  const early = allOf(watched.watch(runId))
  found.reject(new TroupeError('RUN_NOT_FOUND', 'There is none.'))
  await expect(early).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
  expect((await allOf(watched.watch(runId))).at(-1)).toMatchObject({ final: true })
})
