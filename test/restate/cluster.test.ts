/** `npm run cluster`: the partner check over two workers, one of which is killed. */
import { expect, test } from 'vitest'
import { runCluster } from '../../scripts/cluster/run.ts'

test('a fan-out over two workers outlives one of them', async () => {
  const { result, sightings, outcomes, killed } = await runCluster()
  expect(result.outcome).toBe('completed')
  expect(result.text).toContain('Its reputation could not be assessed')
  const investigations = [...outcomes].filter(([path]) => path.endsWith('/investigator'))
  expect(investigations.map(([, outcome]) => outcome).toSorted()).toEqual([
    'failed',
    'succeeded',
    'succeeded',
    'succeeded',
  ])
  // Both were at work until one was killed; the other has done the rest.
  expect(new Set(sightings.map(({ worker }) => worker)).size).toBe(2)
  const rest = sightings.slice(killed.after)
  expect(rest.length).toBeGreaterThan(0)
  expect(rest.map(({ worker }) => worker)).not.toContain(killed.worker)
})
