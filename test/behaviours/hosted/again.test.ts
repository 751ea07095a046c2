/** An actor of an application that is stopped and started again: each start after a stop begins a run of its own. */
import { createTroupe, memoryStore, type RunEvent, type Troupe } from 'troupe'
import { createActor, toPromise, waitFor, type AnyActorRef, type InspectionEvent } from 'xstate'
import { expect, test, vi } from 'vitest'
import { calls, lead, only, to, worker } from '../../support/agents/agents.ts'
import { transfer } from '../../support/agents/handoffs.ts'
import { heard, heardFrom, stored } from '../../support/hosting.ts'

const input = { prompt: 'Tides', context: { tide: 'high' } }

async function endings(troupe: Troupe): Promise<readonly string[]> {
  return (await troupe.runs()).items.map(({ status, outcome }) => outcome ?? status)
}

test('before anything has begun: the second run has the same input, and an id of its own', async () => {
  const { agent, model } = worker('solo', ['Done.'])
  const troupe = createTroupe({ agents: [agent] })
  const actor = createActor(troupe.logic(agent), { input }).start()
  const first = actor.getSnapshot().runId
  actor.stop()
  expect(actor.getSnapshot().status).toBe('stopped')
  actor.start()
  const { status, runId, beginning, children } = actor.getSnapshot()
  expect(status).toBe('active')
  expect(runId).not.toBe(first)
  expect(beginning).toMatchObject({ runId, task: 'Tides', context: { tide: 'high' } })
  expect(children['solo']?.id).toBe('solo')
  expect(await toPromise(actor)).toMatchObject({ outcome: 'completed', text: 'Done.', runId })
  expect(model.calls).toHaveLength(1)
  const runs = (await troupe.runs()).items
  expect(runs.map((run) => [run.runId, run.outcome])).toEqual([
    [first, 'cancelled'],
    [runId, 'completed'],
  ])
  expect((await troupe.replay(runId)).result?.text).toBe('Done.')
})

test('in mid-run: the stop aborts the model call, and the actor shows the second run alone', async () => {
  using warn = vi.spyOn(console, 'warn')
  const writer = worker('writer', [{ hang: true }, 'Tides rise and fall.'])
  const boss = lead('boss', [calls(to('writer', 'Write')), calls(to('writer', 'Write')), 'It is written.'], {
    agents: { writer: writer.agent },
  })
  const troupe = createTroupe({ agents: [boss.agent] })
  const actor = createActor(troupe.logic(boss.agent), { input }).start()
  await expect.poll(() => writer.model.calls.length).toBe(1)
  const first = actor.getSnapshot().runId
  actor.stop()
  actor.start()
  const events = heardFrom(actor)
  const result = await toPromise(actor)
  expect(result).toMatchObject({ outcome: 'completed', text: 'It is written.' })
  expect(result.runId).not.toBe(first)
  const runEvents = events.filter((event): event is RunEvent => event.type !== 'signal-refused')
  expect(new Set(runEvents.map(({ runId }) => runId))).toEqual(new Set([result.runId]))
  expect(only(runEvents, 'run-start', 'run-finish').map(({ path }) => path)).toEqual(['boss', 'boss'])
  expect(writer.model.calls.map(({ signal }) => signal.aborted)).toEqual([true, false])
  expect(await endings(troupe)).toEqual(['cancelled', 'completed'])
  expect(warn.mock.calls).toEqual([])
})

test('again and again: one run is left over, and every root of a run is stopped', async () => {
  const { agent, model } = worker('solo', ['Done.'])
  const troupe = createTroupe({ agents: [agent] })
  const seen: InspectionEvent[] = []
  const actor = createActor(troupe.logic(agent), { input, inspect: (event) => void seen.push(event) })
  for (let start = 0; start < 4; start++) {
    actor.start()
    actor.stop()
  }
  actor.start()
  expect(await toPromise(actor)).toMatchObject({ outcome: 'completed' })
  expect(model.calls).toHaveLength(1)
  expect(await endings(troupe)).toEqual([...Array<string>(4).fill('cancelled'), 'completed'])
  const ids = (await troupe.runs()).items.map(({ runId }) => runId)
  const actors = seen.filter((event) => event.type === '@xstate.actor').map((event) => event.actorRef)
  const later = (actors as AnyActorRef[]).filter(({ id }) => ids.includes(id))
  expect(later.map((root) => root.getSnapshot().status)).toEqual(Array<string>(4).fill('done'))
})

test('after its run had ended, and before the actor knew: it gets that result, and there is no second run', async () => {
  const { agent } = worker('solo', ['Done.'])
  const troupe = createTroupe({ agents: [agent] })
  const actor = createActor(troupe.logic(agent), { input })
  const finished = heard(actor, 'run-finish')
  actor.on('run-finish', () => void actor.stop())
  actor.start()
  const { runId } = await finished
  expect(actor.getSnapshot().status).toBe('stopped')
  actor.start()
  const events = heardFrom(actor)
  expect(await toPromise(actor)).toMatchObject({ outcome: 'completed', text: 'Done.', runId })
  expect(events.at(-1)?.type).toBe('run-finish')
  expect(await endings(troupe)).toEqual(['completed'])
})

test('a second run that hands off: the actor shows the agent that took over', async () => {
  const billing = worker('billing', ['It is paid.'])
  const triage = lead('triage', [calls(transfer('billing'))], { handoffs: { billing: billing.agent } })
  const troupe = createTroupe({ agents: [triage.agent] })
  const actor = createActor(troupe.logic(triage.agent), { input }).start()
  actor.stop()
  actor.start()
  const shown: string[] = []
  actor.subscribe(({ children }) => {
    for (const id of ['triage', 'billing~1', 'billing']) if (children[id] !== undefined) shown.push(id)
  })
  expect(await toPromise(actor)).toMatchObject({ outcome: 'completed', text: 'It is paid.' })
  expect(shown.at(0)).toBe('triage')
  expect(shown.at(-1)).toMatch(/^billing/)
})

test('in a troupe that was closed meanwhile: the actor fails', async () => {
  const { agent, model } = worker('solo', [])
  const troupe = createTroupe({ agents: [agent] })
  const actor = createActor(troupe.logic(agent), { input }).start()
  actor.stop()
  await troupe.close()
  actor.subscribe({ error: () => undefined })
  actor.start()
  expect(actor.getSnapshot()).toMatchObject({ status: 'error', error: { code: 'TROUPE_CLOSED' } })
  expect(model.calls).toEqual([])
})

test('while it is being restored: the run is not cancelled, and goes on', async () => {
  const store = memoryStore()
  const monday = worker('solo', [{ hang: true }])
  const before = createTroupe({ agents: [monday.agent], store })
  const first = createActor(before.logic(monday.agent), { input }).start()
  await expect.poll(() => monday.model.calls.length).toBe(1)
  const snapshot = stored(first)
  await before.close()
  const tuesday = worker('solo', ['Done.'])
  const after = createTroupe({ agents: [tuesday.agent], store })
  const actor = createActor(after.logic(tuesday.agent), { input, snapshot }).start()
  actor.stop()
  actor.start()
  await waitFor(actor, ({ status }) => status !== 'stopped')
  expect(await toPromise(actor)).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(await endings(after)).toEqual(['completed'])
})

test('after it was restored: the second run has the input that is on record', async () => {
  const store = memoryStore()
  const monday = worker('solo', [{ hang: true }])
  const before = createTroupe({ agents: [monday.agent], store })
  const first = createActor(before.logic(monday.agent), { input }).start()
  await expect.poll(() => monday.model.calls.length).toBe(1)
  const snapshot = stored(first)
  await before.close()
  const tuesday = worker('solo', [{ hang: true }, 'Done.'])
  const after = createTroupe({ agents: [tuesday.agent], store })
  const actor = createActor(after.logic(tuesday.agent), { input, snapshot }).start()
  await expect.poll(() => tuesday.model.calls.length).toBe(1)
  actor.stop()
  actor.start()
  const { beginning } = actor.getSnapshot()
  expect(beginning).toMatchObject({ task: 'Tides', context: { tide: 'high' } })
  expect(await toPromise(actor)).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(await endings(after)).toEqual(['cancelled', 'completed'])
})
