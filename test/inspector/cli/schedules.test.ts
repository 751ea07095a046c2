/** `troupe schedules`: what it prints, and what it changes. */
import { createAgent } from 'troupe'
import { cron } from 'troupe/cron'
import { sqliteStore } from 'troupe/sqlite'
import { createTroupeOn, scriptedModel, virtualClock } from 'troupe/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand } from '../../../src/inspector/cli/run-command.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const folder = temporaryFolder()
const file = folder.file('runs.db')

beforeAll(async () => {
  const store = sqliteStore(file)
  const agent = createAgent({
    id: 'reporter',
    instructions: '',
    model: scriptedModel([], { otherwise: 'Done.' }),
  })
  const troupe = createTroupeOn(virtualClock({ start: Date.UTC(2026, 0, 1) }), {
    agents: [agent],
    store,
    cron,
  })
  await troupe.schedule(agent, 'Report.', { key: 'daily', cron: '0 9 * * *', timeZone: 'Europe/Vienna' })
  await troupe.schedule(agent, 'Report.', { key: 'hourly', every: 3_600_000 }, { resourceId: 'ann' })
  await troupe.close()
  await store.close()
})
afterAll(() => folder[Symbol.dispose]())

async function said(...args: readonly string[]) {
  let [out, error] = ['', '']
  const code = await runCommand(['schedules', file, ...args], {
    print: (text) => void (out += text),
    printError: (text) => void (error += text),
    interrupted: () => Promise.resolve(),
    columns: 100,
    color: false,
  } as Parameters<typeof runCommand>[1])
  return { code, out, error }
}

test('it lists, pauses, resumes and removes', async () => {
  expect(await said()).toEqual({
    code: 0,
    out: [
      'daily  reporter  waiting  0 9 * * * (Europe/Vienna)  next 2026-01-01T08:00:00.000Z  0 started\n',
      'hourly  reporter  waiting  every 3600000 ms  next 2026-01-01T01:00:00.000Z  0 started\n',
    ].join(''),
    error: '',
  })
  expect((await said('--resource', 'ann', '--json')).out).toContain('"key": "hourly"')
  expect((await said('--agent', 'nobody')).out).toBe('There is no such schedule.\n')
  expect((await said('daily', '--pause')).out).toContain('paused')
  expect((await said('daily')).out).toContain('paused')
  expect((await said('daily', '--resume')).out).toContain('waiting')
  expect(await said('hourly', '--cancel')).toMatchObject({ code: 0, out: 'hourly is removed.\n' })
  for (const change of ['--pause', '--cancel'])
    expect(await said('hourly', change)).toMatchObject({
      code: 2,
      error: 'There is no schedule "hourly" in this store.\n',
    })
  expect((await said('hourly')).code).toBe(2)
})

test('wrong arguments are named', async () => {
  expect(await said('--pause')).toMatchObject({ code: 1, error: expect.stringContaining('--pause is for') })
  expect(await said('daily', '--pause', '--cancel')).toMatchObject({ code: 1 })
  expect(await said('daily', 'more')).toMatchObject({ code: 1, error: expect.stringContaining('"more"') })
  expect(await said('--status', 'running')).toMatchObject({ code: 1 })
})
