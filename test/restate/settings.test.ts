/** What Restate is told of the workflows of agents, as its admin API gives it back. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { worker } from '../support/agents/agents.ts'
import { Desk } from './crashes/desk.ts'

let desk: Desk

beforeAll(async () => {
  desk = await Desk.open()
})

afterAll(() => desk[Symbol.asyncDispose]())

async function serviceOf(namespace: string, agent: string): Promise<unknown> {
  return (await fetch(`${desk.server.admin}/services/${namespace}.${agent}`)).json()
}

test('runs are given time, unless the endpoint says otherwise', async () => {
  const { agent } = worker('slow', ['At last.'])
  await desk.serve({ agents: [agent], namespace: 'patient' })
  expect(await serviceOf('patient', 'slow')).toMatchObject({
    inactivity_timeout: '10m',
    abort_timeout: '1d',
  })
  await desk.serve({
    agents: [agent],
    namespace: 'hasty',
    inactivityTimeout: { seconds: 30 },
    abortTimeout: 60_000,
  })
  expect(await serviceOf('hasty', 'slow')).toMatchObject({ inactivity_timeout: '30s', abort_timeout: '1m' })
})
