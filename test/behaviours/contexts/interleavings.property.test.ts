/** Random requests of several people, which start, answer, resume and cancel each other's runs: nobody sees another's context. */
import fc from 'fast-check'
import { createAgent, createTool, createTroupe, memoryStore, SignalError, type Run, type Store } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { afterAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { reply, user } from './desk.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

let databases = 0

const names = ['ann', 'bob', 'cyd'] as const

const request = fc.record({
  by: fc.constantFrom(...names),
  act: fc.constantFrom('start', 'start', 'approve', 'approve', 'deny', 'cancel', 'resume', 'say'),
  /** Which of the runs so far. */
  run: fc.nat({ max: 20 }),
  /** Turns of the event loop until the next request. */
  turns: fc.nat({ max: 3 }),
})

type Request = typeof request extends fc.Arbitrary<infer Given> ? Given : never

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** The functions of a desk: each knows who has started its run, by the task or the arguments, and tells who it meets. */
function deskOf(meet: (starter: string) => void) {
  const pay = createTool({
    id: 'pay',
    description: 'Pays.',
    inputSchema: z.object({ who: z.enum(names) }).refine(({ who }) => (meet(who), true)),
    requireApproval: ({ who }) => (meet(who), true),
    execute: async ({ who }) => {
      meet(who)
      await turn()
      meet(who)
    },
  })
  return createAgent({
    id: 'desk',
    model: {
      provider: 'test',
      modelId: 'm',
      generate: async ({ messages }) => {
        const who = messages.find(({ role }) => role === 'user')?.content as (typeof names)[number]
        meet(who)
        await turn()
        return messages.at(-1)?.role === 'tool'
          ? reply('Done.')
          : reply('', { id: 'c1', name: 'pay', args: { who } })
      },
    },
    tools: { pay },
    instructions: ({ context }) => {
      meet(context)
      return 'Serve.'
    },
    contextSchema: z.string(),
  })
}

async function strangersIn(requests: readonly Request[], stores: readonly Store[], passivateAfter: number) {
  let met = 0
  const strangers: string[] = []
  const agent = deskOf((starter) => {
    met++
    const here = user.getStore()
    if (here !== starter) strangers.push(`${starter} met ${here}`)
  })
  const troupes = stores.map((store) => createTroupe({ agents: [agent], store, passivateAfter }))
  const runs: { readonly run: Run; readonly troupe: (typeof troupes)[number] }[] = []
  const serve = async ({ by, act, run: which }: Request): Promise<unknown> => {
    const chosen = runs[which % Math.max(1, runs.length)]
    const troupe = troupes[which % troupes.length]
    if (act === 'start' && troupe !== undefined) {
      return runs.push({ troupe, run: await troupe.start(agent, by, { context: by }) })
    }
    if (chosen === undefined) return undefined
    const { run } = chosen
    const toolCallId = 'desk/call:1.1'
    switch (act) {
      case 'approve':
        return run.approve(toolCallId)
      case 'deny':
        return run.deny(toolCallId)
      case 'cancel':
        return run.cancel()
      case 'say':
        return run.say('More.')
      default:
        return chosen.troupe.resume(run.id)
    }
  }
  const served: Promise<PromiseSettledResult<unknown>[]>[] = []
  for (const given of requests) {
    served.push(Promise.allSettled([user.run(given.by, () => serve(given))]))
    for (let left = given.turns; left > 0; left--) await turn()
  }
  const ends = (await Promise.all(served)).flat()
  const failures = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []))
  for (const failure of failures) expect(failure).toBeInstanceOf(SignalError)
  for (const { run } of runs) await user.run('the last', () => run.cancel())
  await Promise.all(runs.map(({ run }) => run.result))
  for (const troupe of troupes) await troupe.close()
  return { met, strangers }
}

const kinds: Readonly<Record<string, () => readonly (Store & { close?: () => Promise<void> })[]>> = {
  'in memory': () => [memoryStore()],
  'in memory, a transaction a turn': () => [
    { ...memoryStore(), schedule: (flush) => void setImmediate(flush) },
  ],
  'on two databases': () =>
    ['a', 'b'].map((name) => sqliteStore(folder.file(`${name}${++databases}.db`), { synchronous: 'normal' })),
}

describe.each(Object.entries(kinds))('%s', (_, open) => {
  test('every function meets the starter of its run, and nobody else', async () => {
    let met = 0
    const requests = fc.array(request, { minLength: 4, maxLength: 25 })
    await fc.assert(
      fc.asyncProperty(requests, fc.constantFrom(0, 10_000), async (given, passivateAfter) => {
        const stores = open()
        const found = await strangersIn(given, stores, passivateAfter)
        for (const store of stores) await store.close?.()
        met += found.met
        expect(found.strangers).toEqual([])
      }),
      { numRuns: 12 },
    )
    expect(met).toBeGreaterThan(30) // few where most requests are short
  })
})
