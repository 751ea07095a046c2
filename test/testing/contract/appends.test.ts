/** What a store is given: JSON, and nothing of the runtime, so that a store may write the whole of it. */
import { createTroupe, memoryStore, type JournalAppend, type Store } from 'troupe'
import { expect, test } from 'vitest'
import { deskAgent, toolCallId } from '../../http/support/desk.ts'

test('an append comes back whole from JSON and from a structured clone, and a run goes on with it', async () => {
  const memory = memoryStore()
  const given: JournalAppend[] = []
  const store: Store = {
    ...memory,
    append(appends) {
      const written = JSON.parse(JSON.stringify(appends)) as JournalAppend[]
      expect(written).toEqual(structuredClone(appends))
      given.push(...written)
      return memory.append(written)
    },
  }
  const agent = deskAgent()
  const troupe = createTroupe({ agents: [agent], store })
  const run = await troupe.start(agent, 'Go')
  await run.whenIdle
  await run.approve(toolCallId)
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Paid.' })
  await troupe.close()
  const names = new Set(given.flatMap((append) => Object.keys(append)))
  expect(
    [...names].filter((name) => !['runId', 'entry', 'lease', 'queued', 'questions'].includes(name)),
  ).toEqual([])
})
