import fc from 'fast-check'
import type { AnyActorRef } from 'xstate'
import { expect, test } from 'vitest'
import type { RunEvent } from 'troupe'
import { unpaired } from '../../src/testing/explore/rules/brackets.ts'
import { only } from '../support/agents/agents.ts'
import { knownRuns, runsByEnding } from './known-runs.ts'
import { maxSteps, runRandomly, type RandomRun } from './random-troupe.ts'

const seen = new Set<string>()
/** Of the messages that one who reads along has seen begin. */
const endings = new Set<string>()
const reasons = new Set<string>()
const handedTo = new Set<string>()
/** Of delegations in the background. */
const backgroundEnds = new Set<string>()

test.each(Object.entries(runsByEnding))('the known run ends so: %s', async (ending, choices) => {
  const { result } = await runRandomly(choices)
  expect(result.outcome === 'exhausted' ? `exhausted: ${result.reason}` : result.outcome).toBe(ending)
})

test('400 random runs end with one typed outcome, keep every rule, and replay exactly', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat({ max: 1_000 }), { minLength: 30, maxLength: 150, size: 'max' }),
      async (choices) => {
        const random = await runRandomly(choices)
        seen.add(random.result.outcome)
        if (random.result.outcome === 'exhausted') reasons.add(random.result.reason)
        everyDelegationEndsOnce(random.events)
        expect(unpaired(random.events)).toBeUndefined()
        expect(unpaired(random.along)).toBeUndefined()
        for (const event of random.along) if (event.type === 'text-end') endings.add(event.payload.status)
        everyBackgroundTaskEndsOnce(random.events)
        controlLeavesForGood(random)
        budgetHolds(random)
        nothingIsScoredAfterABail(random.events)
        aDelegationKeepsTheEndOfItsSubagent(random)
        capsHold(random.events)
        nothingStartsAfterItsEnd(random.events)
        expect(random.modelCallsAfterEnd).toBe(0)
        expect(random.faultsOfWork).toEqual([])
        expect(activeActors(random.run.actor)).toEqual([])
        usageAddsUp(random)
        messagesAreWhole(random)
        replayEqualsRun(random)
      },
    ),
    { numRuns: 400, examples: knownRuns },
  )
  expect([...endings]).toEqual(expect.arrayContaining(['complete', 'cut'])) // `rejected` is rare
  // The runs are worth their name only if they end in many ways.
  expect([...reasons]).toEqual(
    expect.arrayContaining(['budget', 'completion', 'handoffs', 'loop', 'maxSteps']),
  )
  expect([...backgroundEnds]).toEqual(expect.arrayContaining(['succeeded', 'failed', 'cancelled']))
  expect([...handedTo].sort()).toEqual(['manager', 'worker'])
  expect([...seen].sort()).toEqual([
    'bailed',
    'cancelled',
    'completed',
    'exhausted',
    'failed',
    'stopped',
    'tripped',
  ])
})

function everyDelegationEndsOnce(events: readonly RunEvent[]): void {
  const paths = (type: RunEvent['type']) =>
    events.filter((event) => event.type === type).map((event) => event.path)
  const started = paths('delegation-start')
  const ended = paths('delegation-end')
  expect(new Set(started).size).toBe(started.length)
  expect(new Set(ended).size).toBe(ended.length)
  expect(started.filter((path) => !ended.includes(path))).toEqual([])
  expect(paths('delegation-rejected').filter((path) => started.includes(path))).toEqual([])
}

function everyBackgroundTaskEndsOnce(events: readonly RunEvent[]): void {
  const atWork = new Map<string, string>()
  for (const event of events) {
    if (event.type === 'background-start') {
      expect(atWork.has(event.payload.taskId)).toBe(false)
      atWork.set(event.payload.taskId, event.path)
    } else if (event.type === 'background-end') {
      expect(atWork.delete(event.payload.taskId)).toBe(true)
      backgroundEnds.add(event.payload.outcome)
    } else if (event.type === 'delegation-end') {
      // A supervisor ends when nothing of its own is at work.
      expect([...atWork.values()].filter((path) => path.startsWith(`${event.path}/`))).toEqual([])
    }
  }
  expect([...atWork.keys()]).toEqual([])
}

/** What the run itself tells stands under the path of the agent that it began with. */
const ofTheRun = new Set<string>(['budget-warning', 'suspended', 'resumed', 'run-finish'])

/** Who has handed its conversation on is silent, and the result tells of each that the root was handed. */
function controlLeavesForGood({ events, result }: RandomRun): void {
  const gone: string[] = []
  for (const event of events) {
    expect(gone.filter((path) => event.path === path && !ofTheRun.has(event.type))).toEqual([])
    expect(gone.filter((path) => event.path.startsWith(`${path}/`))).toEqual([])
    if (event.type !== 'handoff') continue
    gone.push(event.path)
    handedTo.add(event.payload.to)
  }
  const ofRoot = events.flatMap((event) =>
    event.type === 'handoff' && event.delegationId === undefined ? [event.payload] : [],
  )
  expect(result.handoffs ?? []).toEqual(ofRoot)
  if (ofRoot.length > 0 && result.outcome !== 'bailed') expect(result.by).toBe(ofRoot.at(-1)?.to)
}

function budgetHolds({ events, modelCalls, maxModelCalls }: RandomRun): void {
  expect(modelCalls).toBeLessThanOrEqual(maxModelCalls)
  const warned = events.flatMap((event) => (event.type === 'budget-warning' ? [event.payload.limit] : []))
  expect(new Set(warned).size).toBe(warned.length)
  expect(events.at(-1)?.type).toBe('run-finish')
}

function nothingIsScoredAfterABail(events: readonly RunEvent[]): void {
  for (const [position, event] of events.entries()) {
    if (event.type !== 'delegation-bail') continue
    const bailed = event.path.slice(0, event.path.lastIndexOf('/'))
    const scoredAfter = events
      .slice(position)
      .filter(
        (later) =>
          later.type === 'scoring-start' && later.path.slice(0, later.path.lastIndexOf('/')) === bailed,
      )
    expect(scoredAfter).toEqual([])
  }
}

/** Nothing hides how the subagent ended, in events and in records. */
function aDelegationKeepsTheEndOfItsSubagent({ events, result }: RandomRun): void {
  const ends = only(events, 'delegation-end')
  for (const { payload } of ends) {
    if (payload.outcome === 'bailed') expect(payload.subagentOutcome).toBeDefined()
    expect(payload.subagentOutcome).not.toBe(payload.outcome)
    if (payload.subagentOutcome === 'failed') expect(payload.error).toBeDefined()
  }
  for (const { id, outcome, subagentOutcome } of result.delegations) {
    const end = ends.find(({ path }) => path === id)
    if (end === undefined) continue
    expect([outcome, subagentOutcome]).toEqual([end.payload.outcome, end.payload.subagentOutcome])
  }
}

function capsHold(events: readonly RunEvent[]): void {
  for (const event of events) {
    if (event.type === 'step-start') expect(event.payload.step).toBeLessThanOrEqual(maxSteps)
  }
}

function nothingStartsAfterItsEnd(events: readonly RunEvent[]): void {
  const ended = new Set<string>()
  for (const event of events) {
    if (event.type === 'delegation-end') ended.add(event.path)
    else if (event.type === 'step-start' || event.type === 'tool-call') {
      expect([...ended].filter((path) => event.path.startsWith(`${path}/`))).toEqual([])
    }
  }
}

function activeActors(actor: AnyActorRef): string[] {
  const { status, children } = actor.getSnapshot() as {
    status: string
    children?: Record<string, AnyActorRef>
  }
  const below = Object.values(children ?? {}).flatMap(activeActors)
  return status === 'active' ? [actor.id, ...below] : below
}

function usageAddsUp({ result }: RandomRun): void {
  const total = Object.values(result.usage.byAgent).reduce((sum, usage) => sum + usage.totalTokens, 0)
  expect(result.usage.totalTokens).toBe(total)
}

/** Concatenated deltas equal the message, for one who reads along as for one who reads afterwards. */
function messagesAreWhole({ events, along }: RandomRun): void {
  for (const read of [events, along]) {
    const said = new Map<string, string>()
    for (const event of read) {
      if (event.type === 'text-delta') {
        const id = String(event.messageId)
        said.set(id, (said.get(id) ?? '') + event.payload.text)
      }
      if (event.type === 'text-end') expect(said.get(String(event.messageId))).toBe(event.payload.text)
    }
  }
}

function replayEqualsRun({
  result,
  events,
  replay,
  states,
  replayedStates,
  performedInReplay,
}: RandomRun): void {
  expect(performedInReplay).toBe(0)
  expect(replay.result).toEqual(result)
  expect(replay.events).toEqual(events)
  expect(replayedStates).toEqual(states)
}
