/** The note on a resource in a fork: as its run knew it by the entry, and never that of the live resource. */
import { createTroupe, memoryStore, type JournalEntry, type Message } from 'troupe'
import { expect, test } from 'vitest'
import { textOf } from '../../../src/actors/content/content.ts'
import { calls, lead, to, worker } from '../../support/agents/agents.ts'

const note = (content: string) => ({ name: 'update-working-memory', args: { content } })

function noteIn(messages: readonly Message[]): string {
  const { content } = messages[0] ?? { content: '' }
  return /<working-memory>\n(.*)\n<\/working-memory>/.exec(textOf(content))?.[1] ?? ''
}

async function noted() {
  const helper = worker('helper', [], {
    otherwise: ({ messages }) => `I read ${noteIn(messages)}.`,
    memory: { workingMemory: true },
  })
  const boss = lead('boss', [], {
    otherwise: ({ messages }) => {
      const told = messages.filter(({ role }) => role === 'tool')
      const task = messages.findLast(({ role }) => role === 'user')?.content
      if (told.length === 0) return calls(note(`wish of ${textOf(task ?? '')}`))
      return told.length === 1
        ? calls(to('helper', 'Read'))
        : `${noteIn(messages)}; ${textOf(told.at(-1)?.content ?? '')}`
    },
    agents: { helper: helper.agent },
    memory: { workingMemory: true },
  })
  const troupe = createTroupe({ agents: [boss.agent], store: memoryStore() })
  const turn = async (task: string) => {
    const run = await troupe.start(boss.agent, task, { threadId: 'live', resourceId: 'ann' })
    const { text } = await run.result
    return { runId: run.id, text, journal: await troupe.journal(run.id) }
  }
  await troupe.memory.setWorkingMemory('ann', 'first wish')
  const turns = [await turn('One'), await turn('Two'), await turn('Three')]
  return { troupe, turns, boss: boss.agent }
}

function firstRecall(journal: readonly JournalEntry[]): number {
  return journal.findIndex((entry) => entry.type === 'effect.settled' && entry.kind === 'memory') + 1
}

test('is the note of that time at every entry behind the first recall, and the live one stays', async () => {
  const { troupe, turns } = await noted()
  expect(turns.map(({ text }) => text)).toEqual([
    'first wish; I read wish of One.',
    'wish of One; I read wish of Two.',
    'wish of Two; I read wish of Three.',
  ])
  for (const { runId, text, journal } of turns) {
    for (let at = firstRecall(journal); at < journal.length; at++) {
      const fork = await troupe.fork(runId, { at })
      expect(await fork.result).toMatchObject({ outcome: 'completed', text })
      expect(await troupe.memory.workingMemory('ann')).toBe('wish of Three')
      const again = await troupe.fork(fork.id, { at })
      expect(await again.result).toMatchObject({ outcome: 'completed', text })
    }
  }
  expect(await troupe.memory.workingMemory('ann')).toBe('wish of Three')
})

test('a fork that has not read it is refused by name, and begins nothing', async () => {
  const { troupe, turns } = await noted()
  const { runId, journal } = turns[0] ?? { runId: '', journal: [] }
  for (let at = 1; at < firstRecall(journal); at++) {
    await expect(troupe.fork(runId, { at })).rejects.toThrow('had not read its working memory')
  }
  expect((await troupe.runs()).items).toHaveLength(3)
})

test('with a thread that is given, a fork reads and writes the note of today', async () => {
  const { troupe, turns } = await noted()
  const fork = await troupe.fork(turns[0]?.runId ?? '', { at: 1 }, { threadId: 'live' })
  expect(await fork.result).toMatchObject({ text: 'wish of Three; I read wish of One.' })
  expect(await troupe.memory.workingMemory('ann')).toBe('wish of One')
})

test('a subagent that reads it in a fork of a run without it fails by name', async () => {
  const helper = worker('helper', [], { otherwise: 'Read.', memory: { workingMemory: true } })
  const boss = lead('boss', [], {
    otherwise: ({ messages }) =>
      messages.some(({ role }) => role === 'tool') ? 'Done.' : calls(to('helper', 'Read')),
    agents: { helper: helper.agent },
  })
  const troupe = createTroupe({ agents: [boss.agent], store: memoryStore() })
  const run = await troupe.start(boss.agent, 'Go', { resourceId: 'ann' })
  await run.result
  const fork = await troupe.fork(run.id, { at: 2 })
  expect((await fork.result).delegations).toMatchObject([
    { outcome: 'failed', error: { code: 'WORKING_MEMORY_NOT_KEPT' } },
  ])
})
