/** BEHAVIOUR 59: a trail has the actors as a replay would have them, after every entry of journals of every pattern. */
import { ConfigurationError, type ActorView } from 'troupe'
import { describe, expect, test } from 'vitest'
import { patterns } from '../../restate/soak/seeded-team.ts'
import { seededRun } from './seeded-run.ts'

function flat(views: readonly ActorView[]): ActorView[] {
  return views.flatMap((view) => [view, ...flat(view.children)])
}

describe.each(patterns)('a view of a run of %s', (pattern) => {
  test.each([0, 1, 2, 3])('equals the replay at each entry, seed %i', async (seed) => {
    const { troupe, runId } = await seededRun(seed, pattern)
    const trail = await troupe.trail(runId)
    expect(trail).toHaveLength((await troupe.journal(runId)).length)
    for (let until = 1; until <= trail.length; until++) {
      const { actors } = await troupe.replay(runId, { until })
      expect(trail.view(until)).toEqual(actors)
      for (const actor of flat(actors)) expect(trail.view(until, { path: actor.path })).toEqual([actor])
    }
    await troupe.close()
  })
})

describe('a view', () => {
  test('of an actor that does not exist at that point is empty', async () => {
    const { troupe, runId } = await seededRun(0, 'supervisor')
    const trail = await troupe.trail(runId)
    const [root] = trail.view(1)
    for (const path of ['nobody', `${root?.path}/nobody`, `${root?.path}x`, ''])
      expect(trail.view(trail.length, { path })).toEqual([])
    await troupe.close()
  })

  test('cannot reach into the trail', async () => {
    const { troupe, runId } = await seededRun(1, 'react')
    const trail = await troupe.trail(runId)
    const before = structuredClone(trail.view(trail.length))
    for (const view of flat(trail.view(trail.length))) Object.assign(view.context ?? {}, { step: -1 })
    expect(trail.view(trail.length)).toEqual(before)
    await troupe.close()
  })

  test('takes a number of entries that the journal has, and no unknown option', async () => {
    const { troupe, runId } = await seededRun(0, 'dispatcher')
    const trail = await troupe.trail(runId)
    for (const entries of [0, -1, 1.5, Number.NaN, trail.length + 1, '1'])
      expect(() => trail.view(entries as number)).toThrow(ConfigurationError)
    const mistake = { paht: 'lead' } as object
    expect(() => trail.view(1, mistake)).toThrow(/"paht". Known: path/)
    expect(() => trail.view(1, { path: 7 as never })).toThrow(ConfigurationError)
    await troupe.close()
  })
})
