/**
 * Both engines run the same machines to the same end: every pattern, and a number of seeds of each. In each seed, one
 * engine interprets the charts by tables and the other by XState.
 */
import { memoryStore } from 'troupe'
import { restateEndpoint, type RestateListener } from 'troupe/restate'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { courseHere, courseOnRestate, type Course } from './differential.ts'
import { patterns, seededTeam } from './seeded-team.ts'
import { RestateServer } from '../../../scripts/restate/server.ts'

const seeds = Number(process.env['RESTATE_SEEDS'] ?? 3)

let server: RestateServer
const happened = new Set<string>()

beforeAll(async () => {
  server = await RestateServer.start()
})

afterAll(() => server.stop())

async function serving(
  namespace: string,
  team: ReturnType<typeof seededTeam>,
  interpreter: 'tables' | 'xstate',
): Promise<RestateListener> {
  const endpoint = restateEndpoint({
    agents: [team.root],
    namespace,
    store: memoryStore(),
    interpreter,
    logger: () => undefined,
  })
  const listener = await endpoint.listen({ port: 0 })
  await server.register(listener.port)
  return listener
}

describe.each(patterns)('%s', (pattern) => {
  test.each(Array.from({ length: seeds }, (_, seed) => seed))('seed %i', async (seed) => {
    const [interpreter, other] =
      seed % 2 === 0 ? (['tables', 'xstate'] as const) : (['xstate', 'tables'] as const)
    const team = seededTeam(seed, pattern)
    const options = { budget: team.budget }
    const here = await courseHere(seededTeam(seed, pattern), 'Do it.', { interpreter, options })
    whatHappened(here).forEach((what) => happened.add(what))
    const namespace = `${pattern}-${seed}`
    const listener = await serving(namespace, team, other)
    try {
      const config = { ingress: server.ingress, namespace, pollInterval: 10 }
      expect(await courseOnRestate(team, 'Do it.', config, { options })).toEqual(here)
    } finally {
      await listener.close()
    }
  })
})

test('they have handed on, worked in the background, been cancelled, and used up a budget', () => {
  expect([...happened]).toEqual(
    expect.arrayContaining([
      'handoff',
      'background-end',
      'tool-call-approval',
      'delegation-bail',
      'run cancelled',
      'delegation cancelled',
      'budget',
      'warned of modelCalls',
    ]),
  )
})

function whatHappened({
  outcome,
  reason = 'no reason',
  warnings,
  delegations,
  events,
}: Course): readonly string[] {
  const outcomes = delegations.map((delegation) => `delegation ${delegation.split(' ')[2]}`)
  const warned = warnings.map((limit) => `warned of ${limit}`)
  return [`run ${outcome}`, reason, ...warned, ...outcomes, ...Object.values(events).flat()]
}
