/** A person speaks at any state of a run. The built-in rules hold that the message is read, told as unheard, or refused. */
import { createSupervisor } from 'troupe'
import { answers, calls, explore, returns } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { tool, worker } from './agents.ts'

const said = 'a person says “Be brief.”'

describe.each([
  ['at any state', { maxSteps: 3 }],
  ['at a cap', { maxSteps: 1 }],
  ['with a stop condition', { stopWhen: ({ stepCount }: { stepCount: number }) => stepCount > 1 }],
  ['with an observer of the end', { onFinish: () => undefined }],
])('%s', (_, options) => {
  test('a message is heard once, or unheard, or refused', async () => {
    const payer = worker('payer', { tools: { pay: tool('pay') }, ...options })
    const report = await explore(payer, {
      say: { payer: [answers('Done.'), calls({ pay: { q: 'A-17' } })] },
      tools: { pay: [returns('paid')] },
      messages: ['Be brief.', 'And kind.'],
      adversary: { failures: false, deadlines: false },
      limits: { steps: 1 },
    })
    report.assert()
    const paths = report.paths()
    expect(paths.some(({ name }) => name.includes(said))).toBe(true)
  })
})

test('a supervisor whose subagent bails tells the message as unheard, and in no order is one lost', async () => {
  const helper = worker('helper', { description: 'Helps.' })
  const lead = createSupervisor({
    id: 'lead',
    description: 'Leads.',
    instructions: 'Lead.',
    model: helper.model,
    agents: { helper },
    delegation: { onDelegationComplete: ({ bail }) => bail() },
  })
  const report = await explore(lead, {
    say: {
      lead: [calls({ 'agent-helper': { prompt: 'Help.' } })],
      helper: [answers('Helped.')],
    },
    messages: ['Be brief.'],
    adversary: { failures: false, deadlines: false },
    limits: { steps: 1 },
  })
  report.assert()
  expect(report.paths().some(({ name }) => name.includes(said))).toBe(true)
})
