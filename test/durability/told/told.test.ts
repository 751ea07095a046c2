/** BEHAVIOUR 44: what a promise or an event has told survives a crash at that moment. Every kill is a real one. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { createTroupe, type FinalResult, type RunEvent, type RunResult } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import type { Asked, Told, ToldOptions } from './told-process.ts'
import { sceneOf, scenes, type SceneName } from './told-scenes.ts'

const program = join(import.meta.dirname, 'told-process.ts')

/** What a process was told before it was killed. Rejects when it ends in any other way. */
function killed(options: ToldOptions): Promise<Told> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [program, JSON.stringify(options)], (error, stdout, stderr) => {
      if (error?.signal === 'SIGKILL' && stdout !== '') resolve(JSON.parse(stdout) as Told)
      else reject(new Error(`It was not killed when it was told something. ${stdout}${stderr}`))
    })
  })
}

/** A kill leaves what the system has buffered: so one event shows for all that `normal` tells no sooner than `full`. */
const watched = {
  full: Object.entries(sceneOf),
  normal: Object.entries(sceneOf).filter(([type]) => type === 'run-finish'),
}

describe.each(['full', 'normal'] as const)('on a store that is synchronous: %s', (synchronous) => {
  /** Asks one process, kills it, and opens its store in this one. */
  async function survived(scene: SceneName, asked: Asked, file: string) {
    const { runId, told } = await killed({ file, synchronous, scene, asked })
    const store = sqliteStore(file, { synchronous })
    const troupe = createTroupe({ agents: [scenes[scene]().agent], store })
    const journal = await troupe.journal(runId)
    const replay = await troupe.replay(runId)
    await troupe.close()
    await store.close()
    return { runId, told, journal, replay }
  }

  /** Lets the leases of killed processes be over. */
  async function unfinished(file: string, scene: SceneName): Promise<string> {
    const { runId } = await killed({ file, synchronous, scene, asked: { what: 'event', type: 'step-start' } })
    const store = sqliteStore(file, { synchronous })
    expect(await store.claim(runId, 'test', Number.MAX_SAFE_INTEGER, 0)).toBeDefined()
    await store.close()
    return runId
  }

  test('start: the run is there', async () => {
    using folder = temporaryFolder()
    const { runId, journal } = await survived('work', { what: 'start' }, folder.file('runs.db'))
    expect(journal[0]).toMatchObject({ type: 'run.started', runId })
  })

  test('result: the journal has that end', async () => {
    using folder = temporaryFolder()
    const { told, journal, replay } = await survived('work', { what: 'result' }, folder.file('runs.db'))
    const { outcome, text } = told as FinalResult
    expect(journal.at(-1)).toMatchObject({ type: 'run.settled', outcome, text })
    expect(JSON.parse(JSON.stringify(replay.result))).toEqual(told)
  })

  test('whenIdle of a run that is suspended: the questions are open', async () => {
    using folder = temporaryFolder()
    const { told, replay } = await survived('asks', { what: 'whenIdle' }, folder.file('runs.db'))
    const { outcome, awaiting } = told as Extract<RunResult, { outcome: 'suspended' }>
    expect(outcome).toBe('suspended')
    expect(replay.events.at(-1)).toMatchObject({ type: 'suspended', payload: { awaiting } })
  })

  test('textStream at its end: the journal has that text', async () => {
    using folder = temporaryFolder()
    const { told, replay } = await survived('bails', { what: 'textStream' }, folder.file('runs.db'))
    expect(replay.result).toMatchObject({ outcome: 'bailed', text: told })
  })

  test.each(['resume', 'recover'] as const)('%s: the run is there, and what that led to', async (what) => {
    using folder = temporaryFolder()
    const file = folder.file('runs.db')
    const runId = await unfinished(file, 'work')
    const again = await survived('work', { what, runId }, file)
    expect(again.runId).toBe(runId)
    expect(again.journal[0]).toMatchObject({ type: 'run.started', runId })
  })

  test('fork: the new run is there, with what it shares', async () => {
    using folder = temporaryFolder()
    const file = folder.file('runs.db')
    const of = await unfinished(file, 'work')
    const { runId, journal } = await survived('work', { what: 'fork', runId: of }, file)
    expect(runId).not.toBe(of)
    expect(journal[0]).toMatchObject({ type: 'run.started', runId, forkedFrom: expect.anything() })
  })

  test.each(watched[synchronous])('the event %s: replay tells it again', async (type, scene) => {
    using folder = temporaryFolder()
    const { told, replay } = await survived(scene, { what: 'event', type }, folder.file('runs.db'))
    const event = told as RunEvent
    expect(event.type).toBe(type)
    expect(JSON.parse(JSON.stringify(replay.events.find(({ seq }) => seq === event.seq)))).toEqual(event)
  })
})
