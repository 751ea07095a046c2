/** BEHAVIOUR 74: the model of the page has each actor as the trail has it, after every entry of runs of every pattern. */
import fc from 'fast-check'
import type { ActorView } from 'troupe'
import { describe, expect, test } from 'vitest'
import type { ActorPlace, RunModel } from '../../../../src/inspector/page/model/run-model.ts'
import { stateName } from '../../../../src/runtime/trail/state-names.ts'
import { patterns } from '../../../restate/soak/seeded-team.ts'
import { modelOf, recordedRun, type RecordedRun } from '../recorded-run.ts'
import { aRow, anEffect, aStep } from '../rows.ts'

function flat(views: readonly ActorView[]): readonly ActorView[] {
  return views.flatMap((view) => [view, ...flat(view.children)])
}

function placesBelow(places: readonly ActorPlace[]): readonly ActorPlace[] {
  return places.flatMap((place) => [place, ...placesBelow(place.children)])
}

/** The paths of the actors that are active after a row, by the model. */
function activeIn(model: RunModel, row: number): readonly string[] {
  return placesBelow(model.actors.roots).flatMap(({ path, actors }) =>
    actors.filter((actor) => actor.added <= row && actor.statusAt(row) === 'active').map(() => path),
  )
}

function assertAsTrail({ trail, model }: RecordedRun): void {
  for (let row = 0; row < trail.length; row++) {
    const views = flat(trail.view(row + 1))
    for (const { path, status, state } of views) {
      const actor = model.actors.at(path)?.at(row)
      expect([path, actor?.statusAt(row)]).toEqual([path, status])
      if (state !== undefined && actor !== undefined)
        expect([path, model.stateOf(actor, row)]).toEqual([path, stateName(state)])
    }
    const active = views.filter(({ status }) => status === 'active').map(({ path }) => path)
    expect(activeIn(model, row).toSorted()).toEqual(active.toSorted())
  }
}

describe.each(patterns)('a run of %s', (pattern) => {
  test.each([0, 1, 2, 3])('is as its trail has it after every entry, seed %i', async (seed) => {
    assertAsTrail(await recordedRun(seed, pattern))
  })
})

test('random runs are as their trails have them, in whatever pieces their rows come', async () => {
  const run = fc.record({
    seed: fc.integer({ min: 10, max: 100_000 }),
    pattern: fc.constantFrom(...patterns),
    piece: fc.integer({ min: 1, max: 9 }),
  })
  await fc.assert(
    fc.asyncProperty(run, async ({ seed, pattern, piece }) => {
      const recorded = await recordedRun(seed, pattern)
      const model = modelOf([], recorded.charts)
      for (let row = 0; row < recorded.rows.length; row += piece)
        model.append(recorded.rows.slice(row, row + piece))
      assertAsTrail({ ...recorded, model })
    }),
    { numRuns: 25 },
  )
})

describe('the row that is shown', () => {
  test('is the last one until another is chosen, and again at the end', () => {
    const model = modelOf([])
    expect([model.cursor.value, model.path.value]).toEqual([-1, ''])
    model.append([aRow(0), aRow(1), aRow(2)])
    expect([model.cursor.value, model.isLive.value]).toEqual([2, true])
    model.moveTo(0)
    model.append([aRow(3)])
    expect([model.cursor.value, model.isLive.value]).toEqual([0, false])
    model.moveBy(-5)
    expect(model.cursor.value).toBe(0)
    model.moveBy(99)
    model.append([aRow(4)])
    expect([model.cursor.value, model.isLive.value]).toEqual([4, true])
  })

  test('leads to the next entry of an actor, the next error and the next question, both ways', () => {
    const ask = { actorsAdded: [anEffect('lead/call:1.1/signal:approval', 'signal')] }
    const model = modelOf([
      aRow(0),
      aRow(1, { path: 'lead' }),
      aRow(2, { path: 'lead/call:1.1', error: 'TOOL_FAILED' }),
      aRow(3, { path: 'lead/call:1.1', ...ask }),
      aRow(4, { path: 'lead', transitions: [aStep('lead', 'thinking', 'acting')] }),
    ])
    model.moveTo(1)
    expect([model.nextOfActor(1), model.nextOfActor(-1)]).toEqual([4, 0])
    expect([model.nextError(), model.nextError(-1)]).toEqual([2, undefined])
    expect([model.nextQuestion(), model.nextQuestion(-1)]).toEqual([3, undefined])
    model.choose('lead/call:1.1')
    expect(model.nextOfActor(1)).toBe(2)
    model.moveTo(4)
    expect([model.nextError(), model.nextError(-1), model.nextQuestion(-1)]).toEqual([undefined, 2, 3])
  })

  test('is moved without reading any row again', () => {
    let reads = 0
    const counted = (row: number) =>
      new Proxy(aRow(row, { transitions: [aStep('lead', 'a', row % 2 ? 'a' : 'b')] }), {
        get: (target, name) => (reads++, Reflect.get(target, name)),
      })
    const model = modelOf(Array.from({ length: 10_000 }, (_, row) => counted(row)))
    reads = 0
    for (const row of [0, 9_998, 5_001, 77]) {
      model.moveTo(row)
      const actor = model.actor.value
      expect(actor && model.stateOf(actor, row)).toBe(row % 2 ? 'a' : 'b')
      expect(actor?.countUntil({ source: 'a', position: 0 }, row)).toBe(row + 1)
      expect(model.open.value).toEqual([])
      expect(model.tree.value).toHaveLength(1)
    }
    expect(reads).toBe(0)
  })
})

describe('an actor', () => {
  test('that is started again at its path is another one', () => {
    const model = modelOf([
      aRow(0),
      aRow(1, { actorsAdded: [{ path: 'lead/job', machine: 'job' }] }),
      aRow(2, {
        actorsEnded: [{ path: 'lead/job', machine: 'job', status: 'stopped' }],
        actorsAdded: [{ path: 'lead/job', machine: 'job' }],
      }),
      aRow(3, { actorsEnded: [{ path: 'lead/job', machine: 'job', status: 'done' }] }),
    ])
    const place = model.actors.at('lead/job')
    expect(place?.at(0)).toBeUndefined()
    expect([1, 2, 3].map((row) => place?.at(row)?.statusAt(row))).toEqual(['active', 'active', 'done'])
    expect(place?.actors.map(({ added, end }) => [added, end?.row])).toEqual([
      [1, 2],
      [2, 3],
    ])
  })

  test('is known by its entries alone where the rows are without transitions', () => {
    const told = {
      key: 'lead/delegation:1.1/helper/model#1',
      path: 'lead/delegation:1.1/helper',
      duration: 4,
    }
    const model = modelOf([
      aRow(0, { actorsAdded: [] }),
      aRow(1, { ...told, kind: 'model', actorsAdded: [] }),
    ])
    expect(model.path.value).toBe('lead')
    expect(model.tree.value.map(({ place, level }) => [place.path, level])).toEqual([
      ['lead', 1],
      ['lead/delegation:1.1', 2],
      ['lead/delegation:1.1/helper', 3],
    ])
    expect(model.lanes.at(told.key)).toMatchObject({ from: 1, until: 1, before: 4, status: 'done' })
  })
})

describe('a row that has still to come', () => {
  const three = [aRow(0), aRow(1), aRow(2)]

  test('is shown once it is here, and until then the last one', () => {
    const model = modelOf(three)
    model.awaitRow(4)
    expect([model.cursor.value, model.isLive.value]).toEqual([2, false])
    model.append([aRow(3), aRow(4), aRow(5)])
    expect(model.cursor.value).toBe(4)
    model.endAwaiting()
    expect([model.cursor.value, model.isLive.value]).toEqual([4, false])
  })

  test('is not awaited where there is none, or where a person has moved on', () => {
    const model = modelOf(three)
    model.awaitRow(9)
    model.endAwaiting()
    expect([model.cursor.value, model.isLive.value]).toEqual([2, true])
    model.awaitRow(9)
    model.moveBy(-1)
    model.append([aRow(3)])
    model.endAwaiting()
    expect([model.cursor.value, model.isLive.value]).toEqual([1, false])
  })
})

describe('the tree', () => {
  test('has the actors that have started, with their places, and hides what is collapsed', async () => {
    const { model, rows } = await recordedRun(0, 'supervisor')
    for (let row = 0; row < rows.length; row++) {
      model.moveTo(row)
      const started = placesBelow(model.actors.roots).filter((one) => !one.isEffect && one.added <= row)
      expect(model.tree.value.map(({ place }) => place.path)).toEqual(started.map(({ path }) => path))
    }
    const root = model.tree.value[0]
    expect(root).toMatchObject({ level: 1, position: 1, siblings: 1, isExpanded: true })
    model.toggle(root?.place.path ?? '')
    expect(model.tree.value).toMatchObject([{ isExpanded: false }])
    model.toggle(root?.place.path ?? '')
    model.chooseBy(1)
    expect(model.path.value).toBe(model.tree.value[1]?.place.path)
    model.chooseBy(-7)
    expect(model.path.value).toBe(root?.place.path)
  })
})
