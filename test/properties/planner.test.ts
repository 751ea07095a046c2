/**
 * Planners on models that say anything: always a typed outcome, never more plans than allowed, no step twice. And a
 * planner whose process dies after any entry of its journal: another process comes to the same end.
 */
import fc from 'fast-check'
import {
  createTool,
  createTroupe,
  memoryStore,
  type JournalEntry,
  type PlanRecord,
  type RunResult,
} from 'troupe'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, only, worker } from '../support/agents/agents.ts'
import { plan, planner, statuses, type PlanScript } from '../support/agents/planner.ts'
import { withoutRunId } from '../support/without-run-id.ts'

const ids = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const step = fc.record(
  {
    id: ids,
    goal: fc.constant('Do it.'),
    toolHint: fc.constantFrom(null, '', 'lookup', 'breaks', 'agent-helper', 'nobody'),
    args: fc.constantFrom(null, {}, { q: 'x' }, { q: 7 }),
    dependsOn: fc.oneof(fc.constant(null), fc.uniqueArray(ids, { maxLength: 2 })),
  },
  { requiredKeys: ['id', 'goal'] },
)
const anything = fc.oneof(fc.json(), fc.string(), fc.constant('```json\n{"steps":[]}\n```'))
const plans = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ steps: fc.array(step, { maxLength: 6 }) }).map((value) => JSON.stringify(value)),
  },
  { weight: 1, arbitrary: anything },
)
const actions = fc.oneof(
  fc
    .record(
      {
        tool: fc.constantFrom(null, 'lookup', 'breaks', 'agent-helper', 'nobody'),
        args: fc.constantFrom(null, { q: 'x' }, { prompt: 'Go.' }),
        answer: fc.constantFrom(null, '', 'Known.'),
        replan: fc.constantFrom(null, '', 'No sense.'),
      },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value)),
  anything,
)
const reviews = fc.oneof(fc.constantFrom('{}', '{"replan":null}', '{"replan":"No."}'), anything)

const lookup = createTool({
  id: 'lookup',
  description: 'Looks something up.',
  inputSchema: z.object({ q: z.string() }),
  execute: ({ q }) => `facts on ${q}`,
})
const breaks = createTool({
  id: 'breaks',
  description: 'Fails.',
  inputSchema: z.object({}),
  execute: () => {
    throw new Error('broken')
  },
})

function everythingHolds(result: RunResult, maxReplans: number): void {
  const steps = result.plan?.steps ?? []
  expect(result.outcome).toMatch(/^(completed|exhausted|failed|bailed)$/)
  expect(steps.filter(({ status }) => status === 'pending' || status === 'running')).toEqual([])
  expect(result.plan?.revision ?? 0).toBeLessThanOrEqual(maxReplans + 1)
  // What is complete is not planned again, and is done once.
  const complete = steps.flatMap(({ id, status }) => (status === 'complete' ? [id] : []))
  expect(new Set(complete).size).toBe(complete.length)
  if (result.outcome === 'completed') expect(missing(result.plan)).toEqual([])
  if (result.outcome === 'exhausted' && result.reason === 'maxReplans') expect(steps).not.toEqual([])
}

function missing(record: PlanRecord | undefined): readonly string[] {
  return (record?.steps ?? []).flatMap(({ id, revision, status }) =>
    revision === record?.revision && status !== 'complete' ? [id] : [],
  )
}

const seen = new Set<string>()

test('300 planners on models that say anything', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(plans, { minLength: 1, maxLength: 6 }),
      fc.array(actions, { minLength: 1, maxLength: 6 }),
      fc.array(reviews, { minLength: 1, maxLength: 3 }),
      fc.record({
        maxReplans: fc.integer({ min: 1, max: 3 }),
        toolCallConcurrency: fc.integer({ min: 1, max: 3 }),
        reviewSteps: fc.boolean(),
        bails: fc.boolean(),
      }),
      async (plans, actions, reviews, { bails, ...options }) => {
        const turn = { plan: 0, step: 0, review: 0 }
        const next = (kind: keyof typeof turn, said: readonly string[]) =>
          said[turn[kind]++ % said.length] ?? ''
        const cast = planner(
          {
            plans: () => next('plan', plans),
            steps: () => next('step', actions),
            reviews: () => next('review', reviews),
          },
          {
            ...options,
            tools: { lookup, breaks },
            agents: { helper: worker('helper', [], { otherwise: 'Helped.' }).agent },
            delegation: { onDelegationComplete: ({ bail }) => void (bails && bail()) },
          },
        )
        const troupe = createTroupe({ agents: [cast.agent] })
        const run = await troupe.start(cast.agent, 'Go')
        const result = await run.result
        seen.add(result.outcome)
        everythingHolds(result, options.maxReplans)
        const events = await allEvents(run)
        const started = only(events, 'plan-step-start').map(
          ({ payload }) => `${payload.revision} ${payload.stepId}`,
        )
        const ended = only(events, 'plan-step-end').map(
          ({ payload }) => `${payload.revision} ${payload.stepId}`,
        )
        expect(ended.toSorted()).toEqual(started.toSorted())
        const replay = await troupe.replay(run.id)
        expect(replay.result).toEqual(result)
        expect(replay.events).toEqual(events)
      },
    ),
    { numRuns: 300 },
  )
  expect([...seen].toSorted()).toEqual(['bailed', 'completed', 'exhausted', 'failed'])
})

/** A plan with steps of every kind, one of which fails. What the model says depends on what it is asked alone. */
function company() {
  const ran: string[] = []
  const noting = createTool({
    id: 'lookup',
    description: 'Looks something up.',
    inputSchema: z.object({ q: z.string() }),
    execute: ({ q }) => {
      ran.push(q)
      if (q === 'wrong') throw new Error('broken')
      return `facts on ${q}`
    },
  })
  const script: PlanScript = {
    plans: (prompt) =>
      prompt.startsWith('The plan must be revised')
        ? plan(
            { id: 'f', toolHint: 'lookup', args: { q: 'right' }, dependsOn: ['a'] },
            { id: 'g', dependsOn: ['f'] },
          )
        : plan(
            { id: 'a', toolHint: 'lookup', args: { q: 'a' } },
            { id: 'b', toolHint: 'agent-helper' },
            { id: 'c', dependsOn: ['a', 'b'] },
            { id: 'd', toolHint: 'lookup', args: { q: 'wrong' }, dependsOn: ['c'] },
            { id: 'e', dependsOn: ['d'] },
          ),
    steps: { c: { tool: 'lookup', args: { q: 'c' } }, g: { answer: 'Known.' } },
  }
  const helper = worker('helper', [], { otherwise: 'Helped.' })
  const { agent } = planner(script, {
    tools: { lookup: noting },
    agents: { helper: helper.agent },
    reviewSteps: true,
  })
  return { agent, ran }
}

function comparable(given: RunResult) {
  const { delegations, ...result } = withoutRunId(given)
  return {
    ...result,
    delegations: delegations.map((delegation) => ({ ...delegation, duration: 0 })),
  }
}

test('a planner whose process dies after any entry comes to the same end elsewhere', async () => {
  const whole = company()
  const store = memoryStore()
  const run = await createTroupe({ agents: [whole.agent], store }).start(whole.agent, 'Go')
  const result = await run.result
  expect(statuses(result)).toEqual([
    'a: complete',
    'b: complete',
    'c: complete',
    'd: failed',
    'e: revised',
    'f: complete',
    'g: complete',
  ])
  const journal = (await store.read(run.id)) ?? []
  expect(journal.length).toBeGreaterThan(15)
  for (let kept = 1; kept < journal.length; kept++) {
    const left = memoryStore()
    const lease = { runId: run.id, owner: 'the dead', token: 1, expiresAt: 0 }
    await left.append(journal.slice(0, kept).map((entry) => ({ runId: run.id, entry, lease })))
    const { agent, ran } = company()
    const resumed = await createTroupe({ agents: [agent], store: left }).resume(run.id)
    expect(comparable(await resumed.result)).toEqual(comparable(result))
    // What was settled before is not done again.
    expect(ran.length).toBe(settledTools(journal) - settledTools(journal.slice(0, kept)))
  }
})

function settledTools(journal: readonly JournalEntry[]): number {
  return journal.filter((entry) => entry.type === 'effect.settled' && entry.kind === 'tool').length
}
