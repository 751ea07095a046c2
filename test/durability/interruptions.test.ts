/** A process that ends around a timeout, and how calls that were interrupted are counted. */
import {
  createTool,
  createTroupe,
  memoryStore,
  type AgentDefinition,
  type JournalEntry,
  type Store,
} from 'troupe'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, worker } from '../support/agents/agents.ts'
import { virtualClock } from '../support/clocks/virtual-clock.ts'

const inputSchema = z.object({})
const never = (): Promise<never> => new Promise(() => undefined)

/** A store that holds the beginning of a journal, as a process has left it that ended there. */
function leftBehind(entries: readonly JournalEntry[]): { readonly store: Store; readonly runId: string } {
  const [started] = entries
  if (started?.type !== 'run.started') throw new Error('A journal begins with run.started.')
  const { runId } = started
  const store = memoryStore()
  const lease = { runId, owner: 'dead', token: 1, expiresAt: 0 }
  void store.append(entries.map((entry) => ({ runId, entry, lease })))
  return { store, runId }
}

async function journalOf(agent: AgentDefinition, clock = virtualClock()): Promise<readonly JournalEntry[]> {
  const store = memoryStore()
  const run = await createTroupe({ agents: [agent], store, clock }).start(agent, 'Go')
  await passTime(clock, run.result)
  return (await store.read(run.id)) ?? []
}

/** Until `settles` has: one second whenever something waits for it. */
async function passTime<Value>(
  clock: ReturnType<typeof virtualClock>,
  settles: Promise<Value>,
): Promise<Value> {
  for (let seconds = 0; seconds < 100; seconds++) {
    const turn = clock.armed().then(() => new Promise<undefined>((resolve) => setTimeout(resolve)))
    const value = await Promise.race([settles, turn])
    if (value !== undefined) return value
    clock.advance(1_000)
  }
  throw new Error('The run has not ended.')
}

describe('a process that ends before or after a timeout is on record', () => {
  const slow = (performed: string[]) => {
    const act = createTool({
      id: 'act',
      description: 'Acts.',
      inputSchema,
      timeout: 1_000,
      execute: () => {
        performed.push('act')
        return never()
      },
    })
    return worker('worker', [calls({ name: 'act', args: {} })], { tools: { act }, otherwise: 'Done.' }).agent
  }
  const isTimeout = (entry: JournalEntry): boolean =>
    entry.type === 'effect.settled' && entry.settlement.error?.code === 'TOOL_TIMEOUT'

  test('the run ends as it would have, and what is on record is not done again', async () => {
    const whole = await journalOf(slow([]))
    expect(whole.filter(isTimeout)).toHaveLength(1)
    for (let length = 1; length < whole.length; length++) {
      const before = whole.slice(0, length)
      const { store, runId } = leftBehind(before)
      const performed: string[] = []
      const clock = virtualClock(before.at(-1)?.at)
      const agent = slow(performed)
      const replies = before.filter(
        (entry) => entry.type === 'effect.settled' && entry.kind === 'model',
      ).length
      const rest = worker('worker', replies === 0 ? [calls({ name: 'act', args: {} })] : [], {
        tools: agent.tools,
        otherwise: 'Done.',
      }).agent
      const troupe = createTroupe({ agents: [rest], store, clock })
      const run = await troupe.resume(runId)
      const result = await passTime(clock, run.result)
      expect(result, `cut after ${length}`).toMatchObject({
        outcome: 'completed',
        text: 'Done.',
        steps: [{ toolResults: [{ outcome: 'failed', error: { code: 'TOOL_TIMEOUT' } }] }, {}],
      })
      expect(performed).toHaveLength(before.some(isTimeout) ? 0 : 1)
      expect(((await store.read(runId)) ?? []).filter(isTimeout)).toHaveLength(1)
      expect((await troupe.replay(runId)).result).toEqual(result)
    }
  })
})

describe('calls of one step whose process has ended', () => {
  const names = ['one', 'two', 'three'] as const

  function team(execute: (name: string) => unknown, maxInterruptions: number, replies: 'calls' | 'answer') {
    const tools = Object.fromEntries(
      names.map((name) => [
        name,
        createTool({
          id: name,
          description: name,
          inputSchema,
          maxInterruptions,
          execute: () => execute(name),
        }),
      ]),
    )
    const step = calls(...names.map((name) => ({ name, args: {} })))
    return worker('worker', replies === 'calls' ? [step, 'Done.'] : ['Done.'], { tools }).agent
  }

  /** A journal that ends with the starts of all three. */
  async function started(maxInterruptions: number): Promise<readonly JournalEntry[]> {
    const journal = await journalOf(team(() => 'done', maxInterruptions, 'calls'))
    const last = journal.findLastIndex((entry) => entry.type === 'effect.started')
    const before = journal.slice(0, last + 1)
    expect(before.slice(-3).map(({ type }) => type)).toEqual(Array(3).fill('effect.started'))
    return before
  }

  test('only the one that had begun for certain counts; the others are run again', async () => {
    const { store, runId } = leftBehind(await started(0))
    const performed: string[] = []
    const agent = team((name) => performed.push(name), 0, 'answer')
    const run = await createTroupe({ agents: [agent], store, clock: virtualClock() }).resume(runId)
    expect(await run.whenIdle).toMatchObject({
      outcome: 'suspended',
      awaiting: [{ type: 'interruption', toolName: 'one' }],
    })
    expect(performed).toEqual(['two', 'three'])
    await run.resume('worker/call:1.1', { retry: true })
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(performed).toEqual(['two', 'three', 'one'])
  })

  test('are begun one after the other from then on, so that each record says that its call has begun', async () => {
    const { store, runId } = leftBehind(await started(3))
    const begun: Promise<readonly string[]>[] = []
    const startsOnRecord = async () =>
      ((await store.read(runId)) ?? []).flatMap((entry) =>
        entry.type === 'effect.started' && entry.key.endsWith('#2') ? [entry.key] : [],
      )
    const agent = team(
      () => {
        begun.push(startsOnRecord())
        return never()
      },
      3,
      'answer',
    )
    await createTroupe({ agents: [agent], store, clock: virtualClock() }).resume(runId)
    await expect.poll(() => begun.length).toBe(3)
    expect((await Promise.all(begun)).map((keys) => keys.length)).toEqual([1, 2, 3])
  })
})
