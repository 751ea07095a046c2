import { expect } from 'vitest'
import { supervisorSuite } from './suites/supervisor.ts'
import { testCover } from './test-cover.ts'

testCover(supervisorSuite, (snapshot) => {
  const { bail, live, background, input, ledger } = snapshot.context
  // One in the background may bail while an answer is scored, or when it is dismissed: out of nothing.
  const { background: tasks, toolset } = input.profile
  const mayBailAnyTime =
    Object.keys(tasks).length > 0 ||
    [...toolset.subagents.values()].some((subagent) => subagent.background !== undefined)
  if (bail !== undefined && !mayBailAnyTime)
    expect(Object.keys(live).some((child) => child.startsWith('completion:'))).toBe(false)
  const bails = ledger.delegations.toArray().filter(({ outcome }) => outcome === 'bailed')
  if (bail !== undefined)
    expect(bail.text).toBe(bails.at(input.profile.bailStrategy === 'first' ? 0 : -1)?.text)
  if (snapshot.status === 'active') return
  expect([
    'completed',
    'bailed',
    'exhausted',
    'stopped',
    'tripped',
    'failed',
    'cancelled',
    'handedOff',
  ]).toContain(snapshot.output?.outcome)
  expect([live, background.live]).toEqual([[], []])
  if (bail !== undefined && !mayBailAnyTime && snapshot.output?.outcome !== 'cancelled')
    expect(snapshot.output?.outcome).toBe('bailed')
})
