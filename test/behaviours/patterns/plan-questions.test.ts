/** The question about a plan, wherever people and programs meet it. */
import { createPlanner, createTool, createTroupe } from 'troupe'
import { provenanceOf } from 'troupe/provenance'
import { decides, explore, lint, scriptedModel, sometimes } from 'troupe/testing'
import { summarise, summaryText, viewOf } from 'troupe/view'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { questionParts, signalsOf } from '../../../src/a2a/messages/questions.ts'
import { questionsOf, signalOf } from '../../../src/mcp/server/questions.ts'
import {
  readTerminalCommand,
  signalOf as terminalSignal,
} from '../../../src/inspector/cli/terminal-command.ts'
import { allEvents } from '../../support/agents/agents.ts'
import { provProblems } from '../../support/prov.ts'

const step = (id: string) => ({ id, goal: `Find ${id}.`, toolHint: 'lookup', args: { q: id }, dependsOn: [] })
const plan = (...ids: string[]) => JSON.stringify({ steps: ids.map(step) })
const lookup = createTool({
  id: 'lookup',
  description: 'Looks something up.',
  inputSchema: z.object({ q: z.string() }),
  execute: ({ q }) => `facts on ${q}`,
})

function desk(...replies: string[]) {
  const model = scriptedModel(replies, { modelId: 'm' })
  return createPlanner({ id: 'desk', model, tools: { lookup }, approvePlan: true })
}

/** Rejected once, then approved with another step. */
async function decided() {
  const agent = desk(plan('tides'), plan('winds'), 'Done.')
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go')
  await run.whenIdle
  await run.deny('desk/plan:1', 'Too wet.', { by: 'ann' })
  await run.whenIdle
  await run.approve('desk/plan:2', { args: { steps: [step('rain')] }, by: 'ben', note: 'Better so.' })
  await run.result
  return { troupe, run }
}

const awaited = {
  toolCallId: 'desk/plan:1',
  type: 'approval',
  agent: 'desk',
  toolName: 'plan',
  args: { steps: [step('tides')] },
  payload: { revision: 1, finished: [], maxPlanSteps: 20 },
} as const

test('a view shows the question, and how it was answered', async () => {
  const { run } = await decided()
  const events = await allEvents(run)
  const at = events.findIndex(({ type }) => type === 'suspended')
  expect(
    viewOf(events.slice(0, at + 1))
      .agents.get('desk')
      ?.parts.get('desk/plan:1'),
  ).toMatchObject({
    type: 'tool',
    toolName: 'plan',
    status: 'waiting',
    question: { type: 'approval', args: { steps: [step('tides')] } },
  })
  const agent = viewOf(events).agents.get('desk')
  expect(agent?.parts.get('desk/plan:1')).toMatchObject({ status: 'denied', answer: { reason: 'Too wet.' } })
  expect(agent?.parts.get('desk/plan:2')).toMatchObject({
    status: 'succeeded',
    args: { steps: [step('rain')] },
    answer: { by: 'ben' },
  })
})

test('a summary names who decided, and what was changed', async () => {
  const { troupe, run } = await decided()
  const summary = summarise((await troupe.trail(run.id)).entries)
  expect(summary.questions).toMatchObject([
    { subject: 'plan', path: 'desk/plan:1', answer: { approved: false, by: 'ann', reason: 'Too wet.' } },
    { subject: 'plan', path: 'desk/plan:2', answer: { approved: true, by: 'ben' } },
  ])
  expect(summary.questions[1]?.answer?.changed?.before).toContain('winds')
  expect(summary.questions[1]?.answer?.changed?.after).toContain('rain')
  expect(summaryText(summary)).toContain('plan')
})

test('the plan derives from the approval in the provenance graph', async () => {
  const { troupe, run } = await decided()
  const graph = await provenanceOf(troupe, run.id)
  expect(provProblems(graph.quads)).toEqual([])
  const text = JSON.stringify(graph.toJsonLd())
  expect(text).toContain('approval of the plan')
  expect(text).toContain('Too wet.')
  expect(text).toContain('plan-approval/2')
})

test('Agent2Agent carries it, with changed steps', () => {
  expect(questionParts([awaited])[0]).toMatchObject({
    content: { value: expect.stringContaining('May it be carried out?') },
  })
  const answer = { approve: true, args: { steps: [step('rain')] } }
  const message = { parts: [{ content: { $case: 'data', value: answer } }] }
  expect(signalsOf([awaited], message as never, true)).toEqual([
    { type: 'approve', toolCallId: 'desk/plan:1', args: { steps: [step('rain')] } },
  ])
})

test('MCP carries it, with changed steps', () => {
  const [question] = Object.values(questionsOf([awaited]))
  expect(question?.params.message).toContain('May it be carried out?')
  const content = { approve: true, plan: plan('rain') }
  expect(signalOf(awaited, { 'desk/plan:1': { action: 'accept', content } })).toEqual({
    type: 'approve',
    toolCallId: 'desk/plan:1',
    args: { steps: [step('rain')] },
  })
})

test('the terminal answers it, with changed steps', () => {
  const args = ['runs.db', 'r', '--by', 'ann', '--approve', '--args', plan('rain')]
  const command = readTerminalCommand('answer', args)
  expect(command.name === 'answer' && terminalSignal(command, 'desk/plan:1')).toEqual({
    type: 'approve',
    toolCallId: 'desk/plan:1',
    args: { steps: [step('rain')] },
    by: 'ann',
  })
  expect(() =>
    readTerminalCommand('answer', ['runs.db', 'r', '--by', 'a', '--deny', '--args', '{}']),
  ).toThrow('--args belongs to --approve')
  expect(() =>
    readTerminalCommand('answer', ['runs.db', 'r', '--by', 'a', '--approve', '--args', '{']),
  ).toThrow('--args must be JSON')
})

test('explore knows each answer of a person', async () => {
  const report = await explore(desk(), {
    say: { desk: [decides('plan', { steps: [step('tides')] })] },
    people: ['deny', 'never', { change: { steps: [step('rain')] } }],
    adversary: { failures: false },
    limits: { states: 2_000 },
    rules: {
      'the plan of a person is carried out': sometimes((run) => run.has('tool-result', { tool: 'lookup' })),
      'the plan is rejected': sometimes((run) => run.outcome === 'failed'),
    },
  })
  expect(report.violations).toEqual([])
})

test('lint names the plan that nobody can approve', () => {
  expect(lint(desk(), { entry: 'generate' })).toMatchObject([
    { code: 'approval-without-handle', path: 'desk.approvePlan' },
  ])
  expect(lint(desk())).toEqual([])
})
