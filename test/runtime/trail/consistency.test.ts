/** BEHAVIOUR 59: what a trail tells of the entries fits together, and fits the charts, in journals of every pattern. */
import type { Chart, ChartState, ChartTransition, Trail, TrailTransition, Troupe } from 'troupe'
import { afterAll, describe, expect, test } from 'vitest'
import { stateName } from '../../../src/runtime/trail/state-names.ts'
import { patterns } from '../../restate/soak/seeded-team.ts'
import { seededRun } from './seeded-run.ts'

const machines = new Set<string>()
const guarded = new Set<string>()
const endings = new Set<string>()

function statesOf(state: ChartState): readonly ChartState[] {
  return [state, ...state.states.flatMap(statesOf)]
}

function definitionOf(charts: readonly Chart[], taken: TrailTransition): ChartTransition | undefined {
  const chart = charts.find(({ id }) => id === taken.machine)
  const state = chart && statesOf(chart).find(({ path }) => path === taken.source)
  return state?.transitions[taken.position]
}

function isWithin(state: string, outer: string): boolean {
  return outer === '' || state === outer || state.startsWith(`${outer}.`)
}

function assertDefined(charts: readonly Chart[], taken: TrailTransition): void {
  const defined = definitionOf(charts, taken)
  expect(defined).toBeDefined()
  expect(taken.guard).toBe(defined?.guard)
  expect(isWithin(taken.from, taken.source)).toBe(true)
  if (defined?.targets.length === 0) expect(taken.to).toBe(taken.from)
  for (const target of defined?.targets ?? []) expect(isWithin(taken.to, target)).toBe(true)
  if (defined?.event === undefined) expect(taken.event).toBeUndefined()
  else if (!defined.event.endsWith('*')) expect(taken.event).toBe(defined.event)
  else expect(taken.event?.startsWith(defined.event.slice(0, -1))).toBe(true)
  machines.add(taken.machine)
  if (taken.guard !== undefined) guarded.add(taken.guard)
}

/** Each transition begins where the one before of its actor has ended, and the last one leads to the state of the view. */
function assertChained(trail: Trail): void {
  const states = new Map<string, string>()
  for (const { entry, transitions, actorsAdded } of trail.entries) {
    for (const { path } of actorsAdded) states.delete(path)
    for (const { path, from, to } of transitions) {
      expect(from).toBe(states.get(path) ?? from)
      states.set(path, to)
    }
    for (const { path } of transitions) {
      const [view] = trail.view(entry + 1, { path })
      if (view?.state !== undefined) expect(stateName(view.state)).toBe(states.get(path))
    }
  }
}

/** The actors that are active after an entry are those before it, with those that came and without those that ended. */
function assertAccounted(trail: Trail): void {
  const active = new Map<string, number>()
  const count = (path: string, change: number): void => {
    const present = (active.get(path) ?? 0) + change
    if (present === 0) active.delete(path)
    else active.set(path, present)
  }
  for (const { entry, actorsAdded, actorsEnded } of trail.entries) {
    for (const { path } of actorsAdded) count(path, 1)
    for (const { path, status } of actorsEnded) {
      count(path, -1)
      endings.add(status)
    }
    const viewed: string[] = []
    const visit = (views: ReturnType<Trail['view']>): void => {
      for (const { path, status, children } of views) {
        if (status === 'active') viewed.push(path)
        visit(children)
      }
    }
    visit(trail.view(entry + 1))
    expect([...active.keys()].toSorted()).toEqual(viewed.toSorted())
  }
}

/** Every outcome in the journal is of an effect that was told before, under its key. */
function assertKeyed(trail: Trail): void {
  const keys = new Set<string | undefined>()
  for (const { type, key, actorsAdded } of trail.entries) {
    if (type === 'effect.settled' || type === 'effect.started') expect([...keys]).toContain(key)
    for (const added of actorsAdded) keys.add(added.key)
  }
}

async function assertEvents(troupe: Troupe, runId: string, trail: Trail): Promise<void> {
  const { events } = await troupe.replay(runId)
  expect(trail.entries.flatMap((entry) => entry.events)).toEqual(events)
  const history = await troupe.history(runId)
  expect(trail.entries.map(({ entry, type, at }) => ({ entry, type, at }))).toEqual(
    history.map(({ entry, type, at }) => ({ entry, type, at })),
  )
}

describe.each(patterns)('the trail of a run of %s', (pattern) => {
  test.each([0, 1, 2, 3, 4, 5])('fits together, seed %i', async (seed) => {
    const { troupe, runId } = await seededRun(seed, pattern)
    const trail = await troupe.trail(runId)
    const charts = troupe.charts()
    for (const { transitions } of trail.entries) for (const taken of transitions) assertDefined(charts, taken)
    assertChained(trail)
    assertAccounted(trail)
    assertKeyed(trail)
    await assertEvents(troupe, runId, trail)
    expect(JSON.parse(JSON.stringify(trail.entries))).toEqual(trail.entries)
    expect(await troupe.trail(runId)).toMatchObject({ entries: trail.entries })
    await troupe.close()
  })
})

afterAll(() => {
  expect(machines.size).toBeGreaterThan(patterns.length)
  expect(guarded.size).toBeGreaterThan(20)
  expect([...endings].toSorted()).toEqual(['done', 'error', 'stopped'])
})
