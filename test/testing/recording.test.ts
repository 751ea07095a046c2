/** A recorded run as a regression test: it fits, or the first difference is told. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  ConfigurationError,
  createTool,
  createTroupe,
  type JournalEntry,
  type SupervisorOptions,
} from 'troupe'
import { recordRun, replayRecording, type RecordingDifference, type RecordingReport } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, calls, lead, to, worker } from '../support/agents/agents.ts'
import { suspendedBy } from '../durability/processes.ts'

interface Variant {
  readonly instructions?: string
  readonly toolDescription?: string
  readonly options?: SupervisorOptions
}

/** Looks something up, and delegates. `ran` notes what was done outside. */
function desk({ instructions, toolDescription = 'Looks up.', options = {} }: Variant = {}) {
  const ran: string[] = []
  const lookup = createTool({
    id: 'lookup',
    description: toolDescription,
    inputSchema: z.object({ q: z.string() }),
    execute: ({ q }) => {
      ran.push(q)
      return { found: q }
    },
  })
  const helper = worker('helper', [calls({ name: 'lookup', args: { q: 'x' } }), 'The help.'], {
    tools: { lookup },
  })
  const boss = lead('lead', [calls(to('helper', 'Help me')), 'Done.'], {
    agents: { helper: helper.agent },
    ...(instructions && { instructions }),
    ...options,
  })
  return { agent: boss.agent, ran, models: [boss.model, helper.model] }
}

async function recorded(made = desk(), options: SupervisorOptions = {}) {
  const troupe = createTroupe({ agents: [made.agent] })
  const run = await troupe.start(made.agent, 'Go', { stream: false, ...options })
  const result = await run.result
  const journal = await troupe.journal(run.id)
  return { run, result, journal, recording: recordRun(journal) }
}

function differenceOf(report: RecordingReport): RecordingDifference {
  if (report.ok) throw new Error('The recording was replayed, a difference was expected.')
  return report.difference
}

test('a recording is a line of JSON for each entry, and survives a file', async () => {
  const { journal, recording, run, result } = await recorded()
  const lines = recording.split('\n')
  expect(lines.pop()).toBe('')
  expect(lines.map((line) => JSON.parse(line) as JournalEntry)).toEqual(journal)

  const folder = mkdtempSync(join(tmpdir(), 'troupe-'))
  try {
    const file = join(folder, 'run.jsonl')
    writeFileSync(file, recording)
    const today = desk()
    const report = await replayRecording(readFileSync(file, 'utf8'), { agents: [today.agent] })
    expect(report).toEqual({
      ok: true,
      runId: run.id,
      entries: journal.length,
      result,
      events: await allEvents(run),
    })
    expect(today.ran).toEqual([])
    expect(today.models.map((model) => model.calls.length)).toEqual([0, 0])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('a journal will do as well, and so do other line ends and empty lines', async () => {
  const { journal, recording, result } = await recorded()
  const { agent } = desk()
  expect(await replayRecording(journal, { agents: [agent] })).toMatchObject({ ok: true, result })
  const edited = `\n${recording.replaceAll('\n', '\r\n\r\n')}`
  expect(await replayRecording(edited, { agents: [agent] })).toMatchObject({ ok: true, result })
})

test('options of the run stand in the recording; functions among them are not called', async () => {
  let called = 0
  const onStepFinish = (): void => void called++
  const { recording } = await recorded(desk(), { maxSteps: 4, onStepFinish })
  expect(called).toBe(2)
  expect(await replayRecording(recording, { agents: [desk().agent] })).toMatchObject({ ok: true })
  expect(called).toBe(2)
})

test('a run that had not ended is replayed as far as it came', async () => {
  const ask = createTool({
    id: 'ask',
    description: 'Asks.',
    inputSchema: z.object({}),
    requireApproval: true,
    execute: () => 'yes',
  })
  const { agent } = worker('solo', [calls({ name: 'ask' })], { tools: { ask } })
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go')
  await suspendedBy(run)
  const report = await replayRecording(recordRun(await troupe.journal(run.id)), { agents: [agent] })
  expect(report).toMatchObject({ ok: true, entries: 2, result: undefined })
  await troupe.close()
})

describe('the first difference', () => {
  test('is where today’s agent asks for something else, and says what', async () => {
    const { recording } = await recorded()
    const { agent } = desk({ instructions: 'Lead firmly.' })
    const difference = differenceOf(await replayRecording(recording, { agents: [agent] }))
    expect(difference).toMatchObject({
      entry: 1,
      type: 'effect.settled',
      key: 'lead/model#1',
      field: 'digest of the input',
      recorded: expect.any(String),
      actual: expect.any(String),
      asked: { agent: 'lead', messages: [{ role: 'system', content: 'Lead firmly.' }, { content: 'Go' }] },
      actors: [{ path: 'lead', state: { thinking: 'calling' } }],
    })
    expect(difference.recorded).not.toBe(difference.actual)
    expect(difference.message).toContain('Journal entry 1 (lead/model#1) does not match the run')
  })

  test('may be deep in the tree', async () => {
    const { recording, journal } = await recorded()
    const { agent } = desk({ toolDescription: 'Searches.' })
    const difference = differenceOf(await replayRecording(recording, { agents: [agent] }))
    const key = 'lead/delegation:1.1/helper/model#1'
    expect(difference).toMatchObject({ key, field: 'digest of the input', asked: { agent: 'helper' } })
    expect(journal[difference.entry]).toMatchObject({ key })
  })

  test('is where today’s agent asks for nothing', async () => {
    const { recording } = await recorded()
    const { agent } = desk({ options: { delegation: { onDelegationStart: () => undefined } } })
    const difference = differenceOf(await replayRecording(recording, { agents: [agent] }))
    expect(difference).toMatchObject({
      entry: 2,
      key: 'lead/delegation:1.1/helper/model#1',
      field: 'key',
      actual: 'these open: lead/delegation:1.1/hook:onDelegationStart#1',
    })
    expect(difference).not.toHaveProperty('asked')
  })

  test('is where the run ends otherwise', async () => {
    const { agent: was } = worker('solo', ['', ''], { maxSteps: 2, onExhausted: 'stop' })
    const troupe = createTroupe({ agents: [was] })
    const run = await troupe.start(was, 'Go')
    await run.result
    const { agent: now } = worker('solo', [], { maxSteps: 3, onExhausted: 'stop' })
    const report = await replayRecording(recordRun(await troupe.journal(run.id)), { agents: [now] })
    expect(differenceOf(report)).toMatchObject({
      entry: 3,
      type: 'run.settled',
      field: 'outcome',
      recorded: 'exhausted',
      actual: 'a run that goes on',
      actors: [{ path: 'solo', status: 'active' }],
    })
  })

  test('is the first entry, when its protocol is another', async () => {
    const { journal } = await recorded()
    const old = journal.map((entry) => (entry.type === 'run.started' ? { ...entry, protocol: 0 } : entry))
    expect(differenceOf(await replayRecording(old, { agents: [desk().agent] }))).toMatchObject({
      entry: 0,
      type: 'run.started',
      field: 'protocol',
      recorded: 0,
      actors: [],
    })
  })
})

test.each([
  ['an empty text', '', 'a recording begins with the entry "run.started"'],
  ['a text without its beginning', '{"type":"timer.fired","at":1}', 'a recording begins with the entry'],
  [
    'a text that is no JSON',
    '{"type":"run.started","at":1}\nnonsense',
    'line 2 is no entry of a journal, as JSON: nonsense',
  ],
  ['JSON that is no entry', '[1]', 'line 1 is no entry'],
])('%s is a ConfigurationError', async (_, text, message) => {
  const replaying = replayRecording(text, { agents: [desk().agent] })
  await expect(replaying).rejects.toThrow(ConfigurationError)
  await expect(replayRecording(text, { agents: [desk().agent] })).rejects.toThrow(message)
})

test('a root agent that is missing is a ConfigurationError', async () => {
  const { recording } = await recorded()
  await expect(replayRecording(recording, { agents: [worker('other', []).agent] })).rejects.toThrow(
    ConfigurationError,
  )
})
