/** Which tools an agent could use, and why, as the graph tells it: groups as they were chosen, states as they were moved. */
import { formatExplanation, why } from 'troupe/provenance'
import { expect, test } from 'vitest'
import { calls, lead, to, worker } from '../support/agents/agents.ts'
import { divides, enough, fanOut } from '../support/agents/fan-outs.ts'
import { plan, planner } from '../support/agents/planner.ts'
import { exported, said } from '../support/prov.ts'
import { tools } from '../support/agents/tool-groups.ts'

const grouped = tools({ ledger: { groups: ['finance'] }, court: { groups: ['legal'] } })

test('a call that moves the state of its agent says so, and the next step has another offer', async () => {
  const { agent } = worker('clerk', [calls({ name: 'find' }), calls({ name: 'pay' }), 'Paid.'], {
    tools: tools({ find: { nextState: 'found' }, pay: { applicableStates: ['found'] } }),
  })
  const { graph } = await exported(agent)
  expect(said(graph, 'run:call:1.1/observation')).toMatchObject({
    'troupe:previousToolState': ['undefined'],
    'troupe:toolState': ['found'],
  })
  expect(said(graph, 'run:call:2.1/observation')).not.toHaveProperty('troupe:toolState')
  expect(said(graph, 'run:i1')['tg:toolCandidate']).toEqual(['find'])
  expect(said(graph, 'run:i2')).toMatchObject({
    'tg:toolCandidate': ['find', 'pay'],
    'prov:wasDerivedFrom': ['run:i1', 'run:call:1.1/observation'],
  })
})

test('a subagent has the groups that it was left', async () => {
  const agents = { a: worker('helper', ['Helped.'], { tools: grouped }).agent }
  const { agent } = lead('boss', [calls(to('a', 'Go.')), 'Done.'], {
    agents,
    toolGroups: ['finance', 'legal'],
    delegation: { onDelegationStart: () => ({ modifiedToolGroups: ['legal'] }) },
  })
  const { graph } = await exported(agent)
  const child = 'run:boss/delegation:1.1/helper'
  expect(said(graph, child)['troupe:toolGroup']).toEqual(['legal'])
  expect(said(graph, `${child}/i1`)['tg:toolCandidate']).toEqual(['court'])
  expect(said(graph, 'run:')).not.toHaveProperty('troupe:toolGroup')
})

test('a goal says which groups were chosen for it, and the explanation does', async () => {
  const agents = { a: worker('helper', ['Helped.'], { tools: grouped }).agent }
  const steps = [divides({ goal: 'g1', agent: 'a', toolGroups: ['finance'] }), enough, 'Sum.']
  const { agent } = fanOut('board', steps, { agents, toolGroups: ['finance', 'legal'] })
  const { graph, text } = await exported(agent)
  const goal = why(graph).reasons.find(({ kind }) => kind === 'goal')
  expect(goal).toMatchObject({ text: 'g1', toolGroups: ['finance'] })
  expect(said(graph, goal?.uri ?? '')['troupe:toolGroup']).toEqual(['finance'])
  expect(said(graph, 'run:board/delegation:1.1/helper')['troupe:toolGroup']).toEqual(['finance'])
  expect(text).toContain('  goal: "g1"\n    tools of finance\n')
})

test('and so does a step of a plan', async () => {
  const agents = { aid: worker('helper', [], { tools: grouped, otherwise: 'Helped.' }).agent }
  const plans = [plan({ id: 's1', goal: 'Ask.', toolHint: 'agent-aid', toolGroups: ['legal'] })]
  const { agent } = planner({ plans }, { agents, toolGroups: ['finance', 'legal'] })
  const { graph } = await exported(agent)
  expect(said(graph, 'run:plan/1/step/s1')['troupe:toolGroup']).toEqual(['legal'])
  expect(formatExplanation(why(graph))).toContain('  plan-step: "Ask."\n    tools of legal\n')
})
