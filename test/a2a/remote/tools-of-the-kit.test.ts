/** Agents of other systems under the test kit, time travel and other patterns: none of these asks their servers. */
import { createTroupe } from 'troupe'
import { answers, calls as makes, explore, fails, never } from 'troupe/testing'
import { expect, test } from 'vitest'
import { calls, lead, to, worker } from '../../support/agents/agents.ts'
import { divides, enough, fanOut } from '../../support/agents/fan-outs.ts'
import { planner } from '../../support/agents/planner.ts'
import { done, router } from '../../support/agents/routing.ts'
import { guardedCashier } from './paying.ts'
import { partnerWith, standingFor } from './partner.ts'

function desk() {
  const partner = partnerWith(guardedCashier().agent)
  const agent = standingFor(partner)
  const { agent: boss } = lead('desk', [calls(to('partner', 'Pay back.')), 'It is done.'], {
    agents: { partner: agent },
  })
  return { partner, agent, boss }
}

test('an agent of another system is explored alone, with its questions, failures and cancels', async () => {
  const { partner, agent } = desk()
  const report = await explore(agent)
  expect(report.violations).toEqual([])
  expect(report.isComplete).toBe(true)
  expect(Object.keys(report.outcomes).toSorted()).toEqual(['cancelled', 'completed', 'failed'])
  expect(partner.arrived).toEqual([])
})

test('a supervisor of it is explored, with the words that are given', async () => {
  const { partner, boss } = desk()
  const asking = makes({ refund: { euros: 20 } })
  const report = await explore(boss, {
    say: {
      desk: [makes({ partner: 'Pay back.' }), answers('It is done.')],
      partner: [asking, answers('Paid.'), fails('REMOTE_FAILED')],
    },
    rules: { 'it never fails': never((run) => run.failed('partner')) },
  })
  expect(report.isComplete).toBe(true)
  expect(report.unsaid).toEqual([])
  expect(new Set(report.violations.map(({ rule }) => rule))).toEqual(new Set(['it never fails']))
  expect(report.violations[0]?.steps.join('\n')).toContain('REMOTE_FAILED')
  expect(partner.arrived).toEqual([])
})

test('paths of an exploration run on the engine', async () => {
  const { agent } = desk()
  const report = await explore(agent, { adversary: { cancelDelegations: false } })
  for (const path of report.paths()) await path.run()
})

test('a replay, a trail and a fork ask the server for nothing', async () => {
  const { partner, boss } = desk()
  const troupe = createTroupe({ agents: [boss] })
  const run = await troupe.start(boss, 'Go.')
  const asked = await run.whenIdle
  if (asked.outcome !== 'suspended') throw new Error('It does not ask.')
  await run.approve(asked.awaiting[0]?.toolCallId ?? '', { by: 'ann' })
  const result = await run.result
  const before = partner.arrived.length
  const replayed = await troupe.replay(run.id)
  expect(replayed.result).toEqual(result)
  const entries = await troupe.journal(run.id)
  for (let until = 1; until <= entries.length; until++) await troupe.replay(run.id, { until })
  const trail = await troupe.trail(run.id)
  expect(trail).toBeDefined()
  const fork = await troupe.fork(run.id, { at: entries.length - 1 })
  expect(await fork.result).toMatchObject({ outcome: 'completed', text: 'It is done.' })
  expect(partner.arrived).toHaveLength(before)
  expect(await troupe.history(run.id)).toContainEqual(expect.objectContaining({ by: 'ann' }))
  await troupe.close()
})

const poem = () => standingFor(partnerWith(worker('poet', ['Snow falls.']).agent))

test('it is one of a fan-out, the choice of a router, and a step of a plan', async () => {
  const { agent: fan } = fanOut(
    'fan',
    [divides({ goal: 'Snow', agent: 'one' }, { goal: 'Rain', agent: 'two' }), enough, 'Snow and rain.'],
    { agents: { one: poem(), two: worker('two', ['Rain.']).agent } },
  )
  const fanned = await fan.generate('A haiku.')
  expect(fanned).toMatchObject({ outcome: 'completed', text: 'Snow and rain.' })
  expect(fanned.delegations.map(({ text }) => text).toSorted()).toEqual(['Rain.', 'Snow falls.'])
  const { agent: chooses } = router('router', [done('')], { agents: { only: poem() } })
  expect(await chooses.generate('A haiku.')).toMatchObject({ outcome: 'completed', text: 'Snow falls.' })
  const plan = { steps: [{ id: 'write', goal: 'A haiku.', toolHint: 'agent-poet' }] }
  const { agent } = planner({ plans: [plan], answer: 'Written.' }, { agents: { poet: poem() } })
  const planned = await agent.generate('A haiku.')
  expect(planned).toMatchObject({ outcome: 'completed', text: 'Written.' })
  expect(planned.delegations).toMatchObject([{ agent: 'partner', text: 'Snow falls.' }])
})
