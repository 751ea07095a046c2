/** The charts of a troupe: those of its agents, of the machines below them, and of the machines of its workflows. */
import { chartOf, createTroupe, createWorkflow } from 'troupe'
import { restateTroupe } from 'troupe/restate'
import { expect, test } from 'vitest'
import { createMachine, fromPromise, setup } from 'xstate'
import { z } from 'zod'
import { lead, worker } from '../../support/agents/agents.ts'

const ours = [
  'supervisor',
  'tool-call',
  'delegation',
  'completion',
  'compaction',
  'decision',
  'screening',
  'react',
]

const inputSchema = z.object({})

const packing = createMachine({ id: 'packing', initial: 'open', states: { open: {} } })
const labelling = createMachine({ id: 'labelling', initial: 'open', states: { open: {} } })
const shipping = setup({ actors: { packing } }).createMachine({
  id: 'shipping',
  initial: 'packing',
  states: { packing: { invoke: [{ src: 'packing' }, { src: labelling }] } },
})

function company() {
  const ship = createWorkflow({ id: 'ship', description: 'Ships.', inputSchema, logic: shipping })
  const ask = createWorkflow({
    id: 'ask',
    description: 'Asks.',
    inputSchema,
    logic: fromPromise(async () => 'yes'),
  })
  const clerk = worker('clerk', [], { workflows: { ship, ask } })
  const packer = worker('packer', [], { workflows: { ship } })
  return lead('boss', [], { agents: { clerk: clerk.agent, packer: packer.agent } }).agent
}

test('each chart is there once, those of your machines after ours', () => {
  const charts = createTroupe({ agents: [company()] }).charts()
  expect(charts.map(({ id }) => id).toSorted()).toEqual(
    [...ours, 'shipping', 'packing', 'labelling'].toSorted(),
  )
  expect(charts.slice(-3)).toEqual([shipping, packing, labelling].map(chartOf))
  expect(JSON.parse(JSON.stringify(charts))).toEqual(charts)
})

test('on Restate there is the chart of a subagent that runs elsewhere too', () => {
  const agents = [company()]
  const charts = restateTroupe({ ingress: 'http://127.0.0.1:1', agents }).charts()
  expect(charts.map(({ id }) => id)).toContain('remote-agent')
  expect(charts.filter(({ id }) => id !== 'remote-agent')).toEqual(createTroupe({ agents }).charts())
})
