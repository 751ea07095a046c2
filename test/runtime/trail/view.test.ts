/** BEHAVIOUR 41: a trail has the actors as a replay would have them, after every entry of the journals of every pattern. */
import { createTroupe, type ActorView, type Run, type Troupe } from 'troupe'
import { describe, expect, test } from 'vitest'
import { patterns, seededTeam } from '../../restate/soak/seeded-team.ts'

/** Answers what the run asks, and cancels what the team cancels. */
async function attended(team: ReturnType<typeof seededTeam>, run: Run): Promise<void> {
  const said: unknown[] = []
  team.moments.listen((cancel) => said.push(run.signal(cancel)))
  for await (const event of run.events) {
    team.moments.see(event)
    if (event.type === 'tool-call-approval')
      await run.signal(team.answer(event.payload.toolCallId, 'approval'))
    if (event.type === 'tool-call-suspended')
      await run.signal(team.answer(event.payload.toolCallId, 'suspension'))
  }
  await Promise.all(said)
  await run.result
}

function flat(views: readonly ActorView[]): ActorView[] {
  return views.flatMap((view) => [view, ...flat(view.children)])
}

async function assertViews(troupe: Troupe, runId: string): Promise<void> {
  const trail = await troupe.trail(runId)
  expect(trail).toHaveLength((await troupe.journal(runId)).length)
  for (let until = 1; until <= trail.length; until++) {
    const { actors } = await troupe.replay(runId, { until })
    expect(trail.view(until)).toEqual(actors)
    for (const actor of flat(actors)) expect(trail.view(until, { path: actor.path })).toEqual([actor])
  }
}

describe.each(patterns)('a run of %s', (pattern) => {
  test.each([0, 1, 2])('seed %i', async (seed) => {
    const team = seededTeam(seed, pattern)
    const troupe = createTroupe({ agents: [team.root] })
    const run = await troupe.start(team.root, 'Do it.')
    await attended(team, run)
    await assertViews(troupe, run.id)
    await troupe.close()
  })
})
