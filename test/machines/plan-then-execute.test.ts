import { expect } from 'vitest'
import { planThenExecuteSuite } from './suites/plan-then-execute.ts'
import { testCover } from './test-cover.ts'

testCover(planThenExecuteSuite, (snapshot) => {
  const { live, bail } = snapshot.context
  const { plan, replans, due, tasks } = snapshot.context.work
  const steps = plan?.steps ?? []
  expect(replans).toBeLessThanOrEqual(1)
  // A step is only under way where what it needs is there, and something is at work on it.
  for (const [place, step] of steps.entries()) {
    if (step.status !== 'running') continue
    for (const id of step.dependsOn) {
      expect(steps.some((other) => other.id === id && other.status === 'complete')).toBe(true)
    }
    const isTended = Object.values(tasks).some((task) => task.step === place) || due[place] !== undefined
    expect(isTended || bail !== undefined || snapshot.context.ending.outcome === 'cancelled').toBe(true)
  }
  if (snapshot.status === 'active') return
  const { outcome, reason, error } = snapshot.output ?? {}
  expect(live).toEqual([])
  expect(['completed', 'bailed', 'exhausted', 'tripped', 'failed', 'cancelled']).toContain(outcome)
  expect(steps.filter(({ status }) => status === 'pending' || status === 'running')).toEqual([])
  expect(snapshot.output?.plan).toEqual(plan)
  const missing = steps.filter((step) => step.revision === plan?.revision && step.status !== 'complete')
  if (outcome === 'completed') expect(missing).toEqual([])
  if (reason === 'maxReplans') expect(replans).toBe(1)
  if (outcome === 'failed') expect(error).toBeDefined()
  if (bail !== undefined && outcome !== 'cancelled') expect(outcome).toBe('bailed')
})
