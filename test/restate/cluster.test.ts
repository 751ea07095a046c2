/** `npm run cluster` in short. */
import { expect, test } from 'vitest'
import { runCluster } from '../../scripts/cluster/run.ts'

test('a fan-out over two workers outlives one of them', async () => {
  const { result, sightings, killed } = await runCluster({ pace: 100 })
  expect(result).toMatchObject({
    outcome: 'completed',
    text: 'Low risk in finance, technology, reputation. Not assessed: law.',
  })
  expect(result.delegations.map(({ agent, outcome }) => `${agent} ${outcome}`).toSorted()).toEqual([
    'finance succeeded',
    'law failed',
    'reputation succeeded',
    'technology succeeded',
  ])
  // Both were at work, until one was killed.
  expect(new Set(sightings.map(({ worker }) => worker)).size).toBe(2)
  expect(sightings.at(-1)?.worker).not.toBe(killed)
}, 60_000)
