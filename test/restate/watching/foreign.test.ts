/** BEHAVIOUR 69: on Restate the journals of a run can be read without its agents, and one service that is gone hides no run. */
import { createTool } from 'troupe'
import { restateTroupe } from 'troupe/restate'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, lead, to, worker } from '../../support/agents/agents.ts'
import { allOf } from '../../support/all-of.ts'
import { Desk } from '../crashes/desk.ts'

let desk: Desk
const namespace = 'foreign'

beforeAll(async () => {
  desk = await Desk.open()
})

afterAll(() => desk[Symbol.asyncDispose]())

const ask = createTool({
  id: 'ask',
  description: 'Asks.',
  inputSchema: z.object({}),
  requireApproval: true,
  execute: () => 'asked',
})

/** A run whose second subagent waits for an answer, and a client that has none of its agents. */
async function waiting() {
  const helper = worker('helper', ['Help.']).agent
  const clerk = worker('clerk', [calls({ name: 'ask' }), 'Booked.'], { tools: { ask } }).agent
  const { agent } = lead('lead', [calls(to('helper', 'Help')), calls(to('clerk', 'Book')), 'Done.'], {
    agents: { helper, clerk },
  })
  await desk.serve({ agents: [agent], namespace })
  const troupe = desk.client(agent, namespace)
  const run = await troupe.start(agent, 'Go')
  await run.whenIdle
  const { ingress, admin } = desk.server
  const agents = [worker('stranger', []).agent]
  const stranger = restateTroupe({ ingress, admin, agents, namespace })
  return { agent, troupe, run, stranger }
}

test('the journals of all workflows are read without the agents, in progress and at the end', async () => {
  const { agent, run, stranger } = await waiting()
  const paths = ['lead', 'lead/delegation:1.1/helper', 'lead/delegation:2.1/clerk']
  // A client without `admin` finds the journals by a replay.
  const replaying = restateTroupe({ ingress: desk.server.ingress, agents: [agent], namespace })
  for (const isAnswered of [false, true]) {
    if (isAnswered) await run.approve('lead/delegation:2.1/clerk/call:1.1')
    if (isAnswered) await run.result
    const exported = await stranger.journal(run.id)
    expect(exported.parts.map(({ path }) => path)).toEqual(paths)
    const expected = await replaying.journal(run.id)
    const flat = ({ parts }: typeof exported) => parts.map(({ path, turns }) => [path, turns.flat()])
    expect(flat(exported)).toEqual(flat(expected))
    expect(await stranger.history(run.id)).toEqual(await replaying.history(run.id))
    expect((await replaying.replay(exported)).result?.text).toBe(isAnswered ? 'Done.' : undefined)
  }
})

test('to show the run takes its agents', async () => {
  const { run, stranger } = await waiting()
  const absent = { code: 'AGENT_NOT_HERE', runId: run.id }
  await expect(stranger.watch(run.id).ready).rejects.toMatchObject(absent)
  await expect(allOf(stranger.watch(run.id))).rejects.toMatchObject(absent)
  await expect(stranger.replay(run.id)).rejects.toMatchObject(absent)
  await expect(stranger.trail(run.id)).rejects.toMatchObject(absent)
  await expect(stranger.resume(run.id)).rejects.toMatchObject(absent)
  await expect(stranger.journal('nobody')).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
  await run.cancel()
})

test('an agent without a service hides no run of the others', async () => {
  const { agent, run } = await waiting()
  const agents = [worker('undeployed', []).agent, agent]
  const client = restateTroupe({ ingress: desk.server.ingress, agents, namespace })
  await expect(client.watch('nobody').ready).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
  expect((await client.journal(run.id)).agent).toBe('lead')
  await run.cancel()
})
