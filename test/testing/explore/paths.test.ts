/** The paths of an exploration run on the asynchronous engine, and come to the same states. */
import { expect, test } from 'vitest'
import { answers, calls, explore, fails, gives, returns, type ExploreOptions } from 'troupe/testing'
import { lead, tool, worker } from './agents.ts'

const payer = worker('payer', {
  tools: { pay: tool('pay', { requireApproval: true, approvalTimeout: 100 }) },
})
const clerk = worker('clerk', { memory: true })
const desk = lead({ clerk, payer }, { delegation: { onDelegationComplete: () => undefined } })

const options: ExploreOptions = {
  say: {
    lead: [answers('Done.'), calls({ clerk: 'Check.', payer: 'Pay.' })],
    clerk: [answers('Fine.'), fails()],
    payer: [calls({ pay: { q: 'A-17' } })],
  },
  tools: { pay: [returns('paid')] },
  hooks: { onDelegationComplete: [gives({ bail: false })] },
  limits: { steps: 1 },
}

test('every edge lies on a path, and every path runs', async () => {
  const report = await explore(desk, options)
  report.assert()
  const paths = report.paths()
  expect(paths.length).toBeGreaterThan(20)
  expect(new Set(paths.map(({ name }) => name)).size).toBe(paths.length)
  for (const path of paths) await path.run()
})

test('a path is given the answers that functions had in the exploration', async () => {
  let isChanged = false
  const changing = lead({ clerk }, { delegation: { onDelegationStart: () => ({ proceed: !isChanged }) } })
  const report = await explore(changing, {
    say: { lead: [answers('Done.'), calls({ clerk: 'Check.' })], clerk: [answers('Fine.')] },
    adversary: { cancel: false, cancelDelegations: false },
    limits: { steps: 1 },
    recheck: false,
  })
  report.assert()
  isChanged = true
  for (const path of report.paths()) await path.run()
  expect(report.functionCalls).toBe(1)
})
