/** Journals of older releases replay: to the same result, and as the same input of every effect. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTroupe, memoryStore, type JournalEntry, type RunResult } from 'troupe'
import { virtualClock } from 'troupe/testing'
import { expect, test } from 'vitest'
import { corpus } from './corpus/agents.ts'

interface Written {
  readonly journal: readonly JournalEntry[]
  readonly result: RunResult
}

const folder = join(import.meta.dirname, 'corpus/journals')
const agents = corpus()

function read(name: string): Written {
  return JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as Written
}

test('every journal has its agent, and every agent its journal', () => {
  expect(readdirSync(folder).toSorted()).toEqual(
    Object.keys(agents)
      .map((name) => `${name}.json`)
      .toSorted(),
  )
})

test.each(Object.entries(agents))('%s replays to its result', async (name, { agent }) => {
  const { journal, result } = read(name)
  const runId = journal[0]?.type === 'run.started' ? journal[0].runId : ''
  const store = memoryStore()
  const lease = { runId, owner: 'old', token: 1, expiresAt: 1 }
  await store.append(journal.map((entry) => ({ runId, entry, lease })))
  const troupe = createTroupe({ agents: [agent], store })
  const replay = await troupe.replay(runId)
  expect(JSON.parse(JSON.stringify(replay.result))).toEqual(result)
})

test.each(Object.entries(agents))(
  '%s goes on from its middle, and repeats nothing',
  async (name, { agent }) => {
    const { journal, result } = read(name)
    const runId = journal[0]?.type === 'run.started' ? journal[0].runId : ''
    const store = memoryStore()
    const lease = { runId, owner: 'old', token: 1, expiresAt: 1 }
    const half = journal.slice(0, Math.ceil(journal.length / 2))
    await store.append(half.map((entry) => ({ runId, entry, lease })))
    const clock = virtualClock({ start: half.at(-1)?.at ?? 0 }) // no deadline has passed meanwhile
    const troupe = createTroupe({ agents: [agent], store, clock })
    const run = await troupe.resume(runId)
    for (;;) {
      const idle = await run.whenIdle
      if (idle.outcome !== 'suspended') break
      for (const { toolCallId, type } of idle.awaiting) {
        if (type === 'approval') await run.approve(toolCallId)
        else await run.resume(toolCallId, 'yes')
      }
    }
    expect(await run.result).toMatchObject({ outcome: result.outcome, text: result.text })
    expect((await troupe.journal(runId)).slice(0, half.length)).toEqual(half)
  },
)
