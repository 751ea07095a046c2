/** Runs that Restate does not try any more: killed ones end, paused ones wait for somebody. */
import { createTool, type AgentDefinition, type RunEvent } from 'troupe'
import { restateEndpoint, type RestateEndpointConfig } from 'troupe/restate'
import { z } from 'zod'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allOf } from '../../support/all-of.ts'
import { calls, lead, to, worker } from '../../support/agents/agents.ts'
import { Desk } from './desk.ts'

let desk: Desk

beforeAll(async () => {
  desk = await Desk.open()
})

afterAll(() => desk[Symbol.asyncDispose]())

/** Its first call goes on until its worker is gone; later ones end at once. */
function interrupted() {
  const begun = Promise.withResolvers<void>()
  let calls = 0
  const tool = createTool({
    id: 'interrupted',
    description: 'Works.',
    inputSchema: z.object({}),
    async execute() {
      if (calls++ > 0) return 'again'
      begun.resolve()
      return new Promise<string>(() => undefined)
    },
  })
  return { tool, begun: begun.promise }
}

/** A supervisor whose subagent is at work. */
function team(name: string) {
  const { tool, begun } = interrupted()
  const helper = worker(`${name}-helper`, [calls({ name: 'interrupted', args: {} }), 'Helped.'], {
    tools: { interrupted: tool },
  })
  const { agent } = lead(name, [calls(to('helper', 'Help')), 'Done.'], { agents: { helper: helper.agent } })
  return { agent, begun }
}

/** A worker of its own, which can be closed and opened again. */
async function openWorker(agent: AgentDefinition, retryPolicy: RestateEndpointConfig['retryPolicy']) {
  const namespace = agent.id
  const endpoint = restateEndpoint({ agents: [agent], namespace, retryPolicy, logger: () => undefined })
  const listener = await endpoint.listen({ port: 0 })
  await desk.server.register(listener.port)
  return {
    troupe: desk.client(agent, namespace),
    close: () => listener.close(),
    openAgain: () => endpoint.listen({ port: listener.port }),
  }
}

async function tellAdmin(invocation: string, what: 'kill' | 'resume'): Promise<void> {
  const { ok } = await fetch(`${desk.server.admin}/invocations/${invocation}/${what}`, { method: 'PATCH' })
  expect(ok).toBe(true)
}

test('a worker that is away for a while pauses nothing', async () => {
  const { agent } = worker('patient', ['Done.'])
  await desk.troupe(agent, { namespace: 'patiently' })
  const response = await fetch(`${desk.server.admin}/services/patiently.patient`)
  const { retry_policy: policy } = (await response.json()) as { readonly retry_policy: object }
  expect(policy).toMatchObject({ max_interval: '5s', max_attempts: 17_280, on_max_attempts: 'Pause' })
})

test('a paused run is listed with what is to be resumed, also of its subagents, and then goes on', async () => {
  const { agent, begun } = team('pausing')
  const { troupe, close, openAgain } = await openWorker(agent, { maxAttempts: 2 })
  const run = await troupe.start(agent, 'Go')
  await begun
  await close()
  const pausedOf = async () => (await troupe.runs()).items.flatMap(({ paused = [] }) => paused)
  while ((await pausedOf()).length < 2) await new Promise((resolve) => setTimeout(resolve, 20))
  expect((await troupe.runs()).items).toMatchObject([{ runId: run.id, agent: 'pausing', status: 'paused' }])
  const isOver = await Promise.race([run.result.then(() => true), Promise.resolve(false)])
  expect(isOver).toBe(false)

  const again = await openAgain()
  try {
    for (const invocation of await pausedOf()) await tellAdmin(invocation, 'resume')
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect((await troupe.runs()).items.map(({ status, paused }) => ({ status, paused }))).toEqual([
      { status: 'completed', paused: undefined },
    ])
  } finally {
    await again.close()
  }
})

test('where the policy says kill, a handle rejects when the run has been tried often enough', async () => {
  const { agent, begun } = team('killing')
  const { troupe, close, openAgain } = await openWorker(agent, { maxAttempts: 2, onMaxAttempts: 'kill' })
  const run = await troupe.start(agent, 'Go')
  const seen: RunEvent[] = []
  const read = async (): Promise<void> => {
    for await (const event of run.events) seen.push(event)
  }
  const reading = Promise.allSettled([read()]) // it may reject before the result does
  await begun
  await close()
  await expect(run.result).rejects.toMatchObject({ code: 'RESTATE_FAILED', runId: run.id })
  const again = await openAgain() // who reads needs a worker
  // A look at the journal may have been given up before the run was.
  const [end] = await reading
  if (end.status === 'rejected') expect(end.reason).toMatchObject({ code: 'RESTATE_FAILED' })
  expect(seen.filter(({ final }) => final)).toEqual([])
  await again.close()
})

test('of a run that is killed from the console the handle rejects, and the events end without a final one', async () => {
  const { agent, begun } = team('killed')
  const { troupe, close } = await openWorker(agent, undefined)
  const run = await troupe.start(agent, 'Go')
  const reading = allOf(run.events)
  await begun
  const { parts } = await troupe.journal(run.id)
  expect(parts.map(({ path }) => path)).toContain('killed')
  await tellAdmin(await invocationOf(run.id), 'kill')
  await expect(run.result).rejects.toMatchObject({ code: 'RESTATE_FAILED', runId: run.id })
  expect((await reading).filter(({ final }) => final)).toEqual([])
  await expect(allOf(run.textStream)).rejects.toMatchObject({ code: 'RESTATE_FAILED' })
  const lost = { code: 'RESTATE_FAILED', runId: run.id }
  await expect(allOf(troupe.watch(run.id))).rejects.toMatchObject(lost)
  await expect(allOf(troupe.watch(run.id).textStream)).rejects.toMatchObject(lost)
  await close()
})

async function invocationOf(runId: string): Promise<string> {
  const where = `target_service_key = '${runId}' AND target_handler_name = 'run'`
  const [row] = await desk.rows(`SELECT id FROM sys_invocation WHERE ${where}`)
  return String(row?.['id'])
}
