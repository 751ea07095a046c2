/**
 * BEHAVIOUR 46: whatever a handle hands out settles, with the right cause, however the run is lost and whenever; and the
 * run can be resumed and ends as its journal says.
 */
import fc from 'fast-check'
import {
  createTool,
  createTroupe,
  memoryStore,
  SignalError,
  TroupeError,
  type AgentDefinition,
  type Run,
  type RunEvent,
  type Store,
} from 'troupe'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { calls, worker } from '../support/agents/agents.ts'

const losses = ['close', 'lost lease', 'store failure'] as const
const phases = ['starting', 'running', 'hanging', 'asking', 'passivated', 'ended'] as const
type Loss = (typeof losses)[number]
type Phase = (typeof phases)[number]

const expectedCode = {
  close: 'TROUPE_CLOSED',
  'lost lease': 'LEASE_LOST',
  'store failure': 'STORE_FAILED',
} as const

/** An agent that digs, asks, and answers. `hangs`: its digging listens to nobody. */
function digger(hangs: boolean) {
  const dug = Promise.withResolvers<void>()
  const proceed = Promise.withResolvers<void>()
  const inputSchema = z.object({})
  const tools = {
    dig: createTool({
      id: 'dig',
      description: 'Digs.',
      inputSchema,
      execute: async () => {
        dug.resolve()
        await (hangs ? new Promise<void>(() => undefined) : proceed.promise)
        return 'earth'
      },
    }),
    ask: createTool({
      id: 'ask',
      description: 'Asks.',
      inputSchema,
      requireApproval: true,
      execute: () => 'yes',
    }),
  }
  const steps = [calls({ name: 'dig' }), calls({ name: 'ask' }), 'Done.']
  const { agent } = worker('digger', [], {
    tools,
    otherwise: ({ messages }) => steps[messages.filter(({ role }) => role === 'assistant').length] ?? 'Done.',
  })
  return { agent, dug: dug.promise, proceed: () => proceed.resolve() }
}

/** A store that can be made to refuse everything. */
function fragile(inner: Store) {
  let isBroken = false
  const guard =
    <Args extends readonly unknown[], Result>(act: (...args: Args) => Result) =>
    (...args: Args): Result => {
      if (isBroken) throw new Error('disk full')
      return act(...args)
    }
  const rejecting =
    <Args extends readonly unknown[], Result>(act: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> =>
      guard(act)(...args)
  const store: Store = {
    ...inner,
    append: guard(inner.append),
    read: rejecting(inner.read),
    claim: rejecting(inner.claim),
    renew: rejecting(inner.renew),
  }
  return { store, fail: () => (isBroken = true) }
}

/** Another process takes the run, whose owner is taken for dead. */
const muchLater = (store: Store): Store => ({
  ...store,
  claim: (runId, owner, _now, expiresAt) => store.claim(runId, owner, Number.MAX_VALUE, expiresAt),
})

interface Told {
  readonly events: readonly RunEvent[]
  readonly outcomes: Readonly<Record<'result' | 'whenIdle' | 'textStream', PromiseSettledResult<unknown>>>
}

async function listen(run: Run): Promise<Told> {
  const events: RunEvent[] = []
  const read = async (): Promise<void> => {
    for await (const event of run.events) events.push(event)
  }
  const speak = async (): Promise<string> => {
    let text = ''
    for await (const piece of run.textStream) text += piece
    return text
  }
  const [result, whenIdle, textStream, reading] = await Promise.allSettled([
    run.result,
    run.whenIdle,
    speak(),
    read(),
  ])
  expect(reading.status).toBe('fulfilled')
  return { events, outcomes: { result, whenIdle, textStream } }
}

/** Brings a run into this phase. */
async function enter(phase: Phase, run: Run, { dug, proceed }: ReturnType<typeof digger>): Promise<void> {
  if (phase === 'starting') return
  await dug
  if (phase === 'running' || phase === 'hanging') return
  proceed()
  await run.whenIdle
  if (phase !== 'ended') return
  await run.approve('digger/call:2.1')
  await run.result
}

/** Finishes the run elsewhere, from its journal. */
async function finish(store: Store, runId: string, agent: AgentDefinition): Promise<string> {
  const troupe = createTroupe({ agents: [agent], store: muchLater(store), passivateAfter: Infinity })
  const run = await troupe.resume(runId)
  const idle = await run.whenIdle
  if (idle.outcome === 'suspended') {
    await run.approve('digger/call:2.1').catch((error: unknown) => {
      if (!(error instanceof SignalError)) throw error // it was answered from where the run was before
    })
  }
  const { outcome } = await run.result
  const end = (await troupe.journal(runId)).at(-1)
  expect(end).toMatchObject({ type: 'run.settled', outcome })
  await troupe.close()
  return outcome
}

test('everything settles with the cause, and the run goes on elsewhere', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...losses),
      fc.constantFrom(...phases),
      fc.boolean(),
      fc.boolean(),
      async (loss, phase, asksBefore, approves) => {
        const inner = memoryStore()
        const { store, fail } = fragile(inner)
        const made = digger(phase === 'hanging')
        const passivateAfter = phase === 'passivated' ? 0 : Infinity
        const leases = { leaseTtl: 15, pollInterval: 5 }
        const onError = (): void => undefined
        const troupe = createTroupe({ agents: [made.agent], store, passivateAfter, onError, ...leases })
        const starting = troupe.start(made.agent, 'Go')
        const run = await starting
        await enter(phase, run, made)
        if (phase === 'passivated') {
          await expect.poll(async () => (await inner.list('runs', {})).items[0]?.isPassivated).toBe(true)
        }
        const early = asksBefore ? listen(run) : undefined
        const other = digger(false)
        other.proceed()
        const lose: Record<Loss, () => Promise<unknown>> = {
          close: () => troupe.close(),
          'lost lease': () => createTroupe({ agents: [other.agent], store: muchLater(inner) }).resume(run.id),
          'store failure': async () => fail(),
        }
        await lose[loss]()
        const approving = approves ? run.approve('digger/call:2.1') : undefined
        made.proceed()
        const late = listen(run)
        const settled = await Promise.allSettled([approving])
        if (settled[0]?.status === 'rejected' && !(settled[0].reason instanceof TroupeError)) {
          expect(settled[0].reason).toMatchObject({ message: 'disk full' }) // as the store has thrown it
        }
        // A handle of a run that has left memory follows it to its end elsewhere.
        expect(await finish(inner, run.id, other.agent)).toBe('completed')
        for (const told of [await late, ...(early === undefined ? [] : [await early])]) {
          check(told, { loss, phase, runId: run.id })
        }
        await Promise.allSettled([troupe.close()])
      },
    ),
    { numRuns: 150 },
  )
})

function check(
  { events, outcomes }: Told,
  { loss, phase, runId }: { readonly loss: Loss; readonly phase: Phase; readonly runId: string },
): void {
  const { result } = outcomes
  const isEnd = events.some(({ final }) => final === true)
  expect(isEnd).toBe(result.status === 'fulfilled')
  if (phase === 'ended') expect(result.status).toBe('fulfilled')
  for (const told of Object.values(outcomes)) {
    if (told.status === 'fulfilled') continue
    expect(told.reason).toMatchObject({ code: expectedCode[loss], runId })
    expect((told.reason as Error).message).toContain(runId)
  }
}
