/** Forks of runs whose ids stand in their data, and forks behind the start of a call. */
import fc from 'fast-check'
import { createTool, createTroupe, memoryStore, type JournalEntry } from 'troupe'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, worker } from '../../support/agents/agents.ts'

interface Data {
  readonly runId: string
  readonly prompt: string
  readonly args: Readonly<Record<string, string>>
  readonly result: string
  readonly answer: string
}

async function paid({ runId, prompt, args, result, answer }: Data) {
  const refund = createTool({
    id: 'refund',
    description: 'Pays back.',
    inputSchema: z.record(z.string(), z.string()),
    execute: () => result,
  })
  const { agent } = worker('desk', [], {
    otherwise: ({ messages }) =>
      messages.some(({ role }) => role === 'tool') ? answer : calls({ name: 'refund', args }),
    tools: { refund },
    onFinish: () => undefined,
    memory: true,
  })
  const troupe = createTroupe({ agents: [agent], store: memoryStore() })
  const run = await troupe.start(agent, prompt, { runId })
  const { outcome } = await run.result
  return { troupe, run, outcome, journal: await troupe.journal(runId) }
}

function textWith(id: string) {
  return fc.constantFrom(id, `order ${id} is paid`, `${id}${id}`, encodeURIComponent(`/${id}/`), 'x')
}

const data = fc.constantFrom('A-17', 'a', 'desk', 'refund', '1', 'thread', 'fork').chain((runId) =>
  fc.record({
    runId: fc.constant(runId),
    prompt: textWith(runId),
    args: fc.dictionary(fc.constantFrom('order', 'threadId', 'runId', 'thread'), textWith(runId)),
    result: textWith(runId),
    answer: textWith(runId),
  }),
)

test('a run can be forked at every entry, wherever its id stands', async () => {
  await fc.assert(
    fc.asyncProperty(data, async (given) => {
      const { troupe, run, outcome, journal } = await paid(given)
      for (let at = 1; at < journal.length; at++) {
        const fork = await troupe.fork(run.id, { at })
        expect((await fork.result).outcome).toBe(outcome)
        const nested = await troupe.fork(fork.id, { at })
        expect((await nested.result).outcome).toBe(outcome)
      }
      await troupe.close()
    }),
    { numRuns: 20 },
  )
})

test('the arguments of a call are data, also where they are the id of the run', async () => {
  const digestOf = async (order: string): Promise<unknown> => {
    const { journal } = await paid({
      runId: 'A-17',
      prompt: 'x',
      args: { order },
      result: 'ok',
      answer: 'Paid.',
    })
    return journal.find((entry) => entry.type === 'effect.settled' && entry.kind === 'tool')
  }
  const [one, other] = [await digestOf('A-17'), await digestOf('')]
  expect(one).not.toMatchObject({ digest: (other as { digest: string }).digest })
})

describe.each(['retry', 'ask', 'fail'] as const)(
  'a fork behind the start of a call, onInterrupted %s',
  (onInterrupted) => {
    const isStart = ({ type }: JournalEntry): boolean => type === 'effect.started'

    async function acted() {
      const ids: string[] = []
      const act = createTool({
        id: 'act',
        description: 'Acts.',
        onInterrupted,
        inputSchema: z.object({}),
        execute: (_, { idempotencyKey }) => {
          ids.push(idempotencyKey)
          return 'ok'
        },
      })
      const { agent } = worker('solo', [], {
        otherwise: ({ messages }) =>
          messages.some(({ role }) => role === 'tool') ? 'END' : calls({ name: 'act' }, { name: 'act' }),
        tools: { act },
      })
      const store = memoryStore()
      const troupe = createTroupe({ agents: [agent], store })
      const run = await troupe.start(agent, 'Go')
      await run.result
      return { agent, ids, store, troupe, run, journal: await troupe.journal(run.id) }
    }

    test('makes the call again, also in a chain of forks', async () => {
      const { ids, troupe, run, journal } = await acted()
      let last = run.id
      for (let depth = 0; depth < 3; depth++) {
        const at = journal.findLastIndex(isStart) + 1
        const fork = await troupe.fork(last, { at })
        expect(await fork.result).toMatchObject({ outcome: 'completed', text: 'END' })
        expect(ids.filter((id) => id.startsWith(`${fork.id}/`))).toHaveLength(2)
        last = fork.id
      }
    })

    test('counts an interruption of the fork itself', async () => {
      const { agent, store, troupe, run, journal } = await acted()
      const at = journal.findIndex(isStart) + 1
      const fork = await troupe.fork(run.id, { at })
      await fork.result
      const forked = await troupe.journal(fork.id)
      const begun = forked.findIndex((entry, position) => position >= at && isStart(entry))
      expect(begun).toBeGreaterThan(0)
      // Its process ends when the fork has begun the call.
      const cut = memoryStore()
      const lease = { runId: fork.id, owner: 'gone', token: 1, expiresAt: 1 }
      await cut.append(forked.slice(0, begun + 1).map((entry) => ({ runId: fork.id, entry, lease })))
      expect((await store.list('runs', {})).items).toHaveLength(2)
      const next = createTroupe({ agents: [agent], store: cut, onError: () => undefined })
      const idle = await (await next.resume(fork.id)).whenIdle
      const codes = idle.steps.flatMap(({ toolResults }) => toolResults.map(({ error }) => error?.code))
      if (onInterrupted === 'ask') expect(idle).toMatchObject({ awaiting: [{ type: 'interruption' }] })
      else if (onInterrupted === 'fail') expect(codes).toContain('INTERRUPTED')
      else expect(codes).toEqual([undefined, undefined])
      await next.close()
    })
  },
)
