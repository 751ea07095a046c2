/** A story has the rows, the entries and the actors of a run, and needs neither its service nor its agents. */
import { createTroupe, memoryStore, type Trail } from 'troupe'
import { recordStory, type InspectedContent } from 'troupe/inspector'
import { storedRuns } from 'troupe/kit'
import { describe, expect, test, vi } from 'vitest'
import { byRecord } from '../../../src/inspector/story/by-record.ts'
import { readStory } from '../../../src/inspector/embed/story-file.ts'
import { StoryRun } from '../../../src/inspector/embed/story-run.ts'
import { viewDetail } from '../../../src/inspector/files/details.ts'
import { firstLease } from '../../../src/runtime/journal/store.ts'
import type { PatternName } from '../../restate/soak/seeded-team.ts'
import { seededRun } from '../../runtime/trail/seeded-run.ts'
import { boss } from '../browser/support/office.ts'

const storeOfAll = () => memoryStore({ endedRuns: 10 })

/** A run with a delegation and an approval, to its end. */
async function paid() {
  const store = storeOfAll()
  const agent = boss()
  const troupe = createTroupe({ agents: [agent], store })
  const run = await troupe.start(agent, 'Pay the bill.')
  for await (const event of run.events)
    if (event.type === 'tool-call-approval') await run.approve(event.payload.toolCallId, { by: 'ann' })
  return { troupe, store, runId: run.id }
}

const storyOf = (text: string) => new StoryRun(readStory(text))

/** The actors of a trail after a number of rows that have a machine. */
function actorsAt(trail: Trail, rows: number) {
  return trail.view(rows).filter(({ machine }) => machine !== undefined)
}

describe('the actors of a story', () => {
  const runs: readonly (readonly [PatternName, number])[] = [
    ['react', 0],
    ['supervisor', 1],
    ['router', 0],
    ['planner', 0],
    ['fan-out', 0],
    ['reflexion', 0],
    ['debate', 0],
  ]

  test.each(runs)('of a run of %s are those of its trail after each entry', async (pattern, seed) => {
    const { troupe, runId } = await seededRun(seed, pattern)
    const trail = await troupe.trail(runId)
    const story = storyOf(await recordStory(troupe, runId))
    expect(story.model.value.rows).toHaveLength(trail.length)
    let compared = 0
    for (const row of trail.entries.keys())
      for (const view of actorsAt(trail, row + 1)) {
        compared++
        const shown = JSON.parse(JSON.stringify(viewDetail(view))) as object
        expect([row, story.view(row, view.path)]).toEqual([row, shown])
      }
    expect(compared).toBeGreaterThan(trail.length - 1)
    await troupe.close()
  })

  test('stay as they were last when they have ended, and are not there before they have started', async () => {
    const { troupe, runId } = await paid()
    const story = storyOf(await recordStory(troupe, runId))
    const { rows } = story.model.value
    const clerk = 'boss/delegation:1.1/clerk'
    const started = rows.findIndex(({ actorsAdded }) => actorsAdded.some(({ path }) => path === clerk))
    expect(started).toBeGreaterThan(0)
    expect(() => story.view(started - 1, clerk)).toThrow(expect.objectContaining({ status: 404 }))
    expect(story.view(rows.length - 1, clerk).path).toBe(clerk)
    expect(() => story.view(0, 'nobody')).toThrow(expect.objectContaining({ status: 404 }))
    expect(() => story.row(rows.length)).toThrow(expect.objectContaining({ status: 404 }))
  })
})

describe('a story', () => {
  test('has the entries, the charts and the facts of the run', async () => {
    const { troupe, runId } = await paid()
    const text = await recordStory(troupe, runId)
    const { head, lines } = readStory(text)
    const journal = await troupe.journal(runId)
    expect(head.run).toMatchObject({ runId, agent: 'boss', outcome: 'completed' })
    expect(lines.map(({ detail }) => detail?.entry.type)).toEqual(journal.map(({ type }) => type))
    expect(head.charts.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['supervisor', 'react', 'delegation', 'tool-call']),
    )
    expect(head.untold).toBeUndefined()
    expect(await recordStory(troupe, runId)).toBe(text)
  })

  test('that was cut between two lines is refused', async () => {
    const { troupe, runId } = await paid()
    const lines = (await recordStory(troupe, runId)).trimEnd().split('\n')
    expect(() => readStory(lines.slice(0, -1).join('\n'))).toThrow(
      `The story has ${lines.length - 2} of ${lines.length - 1} entries: the file was cut.`,
    )
  })

  test('needs no agents where the journal has them on record', async () => {
    const { store, troupe, runId } = await paid()
    const withAgents = readStory(await recordStory(troupe, runId))
    const { head, lines } = readStory(await recordStory(byRecord(storedRuns({ store, agents: [] })), runId))
    expect(head.untold).toBeUndefined()
    expect(head.charts.map(({ id }) => id).toSorted()).toEqual(
      withAgents.head.charts.map(({ id }) => id).toSorted(),
    )
    expect(lines.map(({ row }) => row.transitions)).toEqual(
      withAgents.lines.map(({ row }) => row.transitions),
    )
  })

  test('of a journal without agents has its entries alone, and says so', async () => {
    const { troupe, runId } = await paid()
    const journal = await troupe.journal(runId)
    const store = storeOfAll()
    const bare = journal.map((entry) => {
      if (entry.type !== 'run.started') return entry
      const { agents: _, ...rest } = entry
      return rest
    })
    await store.append(bare.map((entry) => ({ runId, entry, lease: firstLease(runId) })))
    const story = storyOf(await recordStory(byRecord(storedRuns({ store, agents: [] })), runId))
    expect(story.untold.value?.code).toBe('AGENT_NOT_HERE')
    expect(story.model.value.rows).toHaveLength(journal.length)
    expect(story.row(0).entry.type).toBe('run.started')
  })

  test('of a run that waits has its question', async () => {
    const agent = boss()
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Pay the bill.')
    for await (const event of run.events) if (event.type === 'suspended') break
    const { head } = readStory(await recordStory(troupe, run.id))
    expect(head.run).toMatchObject({ status: 'suspended', awaiting: [{ toolName: 'pay' }] })
    await run.cancel('enough')
    await run.result
  })

  test('of a run that there is not is refused', async () => {
    const { troupe } = await paid()
    await expect(recordStory(troupe, 'gone')).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
  })

  test.each([[undefined], [{}], [7]])('of the service %j is refused', async (service) => {
    await expect(recordStory(service as never, 'run')).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
    })
  })
})

describe('sanitize', () => {
  test('changes every part of a story', async () => {
    const { troupe, runId } = await paid()
    const without = await recordStory(troupe, runId)
    expect(without).toContain('Pay the bill.')
    expect(without).toContain('ann')
    const types = new Set<string>()
    const sanitize = (content: InspectedContent): InspectedContent => {
      types.add(content.type)
      const text = JSON.stringify(content)
        .replaceAll('Pay the bill.', 'Do it.')
        .replaceAll('"ann"', '"someone"')
      return JSON.parse(text) as InspectedContent
    }
    const story = await recordStory(troupe, runId, { sanitize })
    expect([...types].toSorted()).toEqual(['actor', 'entry', 'row'])
    expect(story).not.toContain('Pay the bill.')
    expect(story).not.toContain('"ann"')
    expect(storyOf(story).row(0).entry).toMatchObject({ task: 'Do it.' })
  })

  test('that fails withholds the content, and leaves the course of the run', async () => {
    const { troupe, runId } = await paid()
    const onError = vi.fn<() => void>()
    const sanitize = (): never => {
      throw new Error('no')
    }
    const text = await recordStory(troupe, runId, { sanitize, onError })
    expect(onError).toHaveBeenCalled()
    expect(text).not.toContain('Pay the bill.')
    const story = storyOf(text)
    const { rows } = story.model.value
    expect(rows.at(-1)).toMatchObject({ type: 'run.settled', line: '[withheld]' })
    expect(() => story.row(0)).toThrow(expect.objectContaining({ status: 409 }))
    expect(() => story.view(3, 'boss')).toThrow(expect.objectContaining({ status: 409 }))
  })
})

describe('a file that is no story', () => {
  test('is refused with the reason', async () => {
    const { troupe, runId } = await paid()
    const text = await recordStory(troupe, runId)
    const [head = '', ...lines] = text.trimEnd().split('\n')
    const cases: readonly (readonly [string, string])[] = [
      ['', 'no story'],
      ['<!doctype html>', 'no story'],
      ['null', 'no story'],
      ['[]', 'no story'],
      [head.replace('"version":1', '"version":2'), 'version 2'],
      ['{"type":"troupe-story","version":1}', 'not whole'],
      [[head, ...lines].join('\n').slice(0, -30), `Line ${lines.length + 1}`],
      [[head, ...lines.slice(1)].join('\n'), 'Line 2'],
      [[head, '{"row":{"row":0}}'].join('\n'), 'Line 2'],
    ]
    for (const [given, reason] of cases) expect(() => readStory(given)).toThrow(reason)
  })
})
