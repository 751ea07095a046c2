/** The view of real runs, and of events that a run gives only in the midst of a fault. */
import { expect, test } from 'vitest'
import { createAgent, createSupervisor, createTool, createTroupe, type RunEvent } from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { callIn, emptyView, nextView, viewOf, viewsOf, type AgentView, type RunView } from 'troupe/view'
import { z } from 'zod'

const pay = createTool({
  id: 'pay',
  description: 'Pays.',
  inputSchema: z.object({ euros: z.number() }),
  requireApproval: true,
  execute: async ({ euros }, { emit }) => {
    emit({ percent: 50 })
    return `paid ${euros}`
  },
})

function desk() {
  const payer = createAgent({
    id: 'payer',
    description: 'Pays.',
    instructions: '',
    model: scriptedModel([
      { reasoning: 'I must pay.', toolCalls: [{ name: 'pay', args: { euros: 40 } }] },
      'It is paid.',
    ]),
    tools: { pay },
  })
  return createSupervisor({
    id: 'desk',
    instructions: '',
    model: scriptedModel([
      { text: 'Let me ask.', toolCalls: [{ name: 'agent-payer', args: { prompt: 'Pay 40.' } }] },
      'Done.',
    ]),
    agents: { payer },
  })
}

/** Each part in a line. */
function outline(agents: Iterable<AgentView>, indent = ''): string[] {
  return [...agents].flatMap((agent) => [
    `${indent}${agent.agent} ${agent.status}`,
    ...agent.parts.toArray().flatMap((part) => {
      const status = 'status' in part ? ` ${part.status}` : ''
      const line = `${indent}  ${part.id}${status}`
      return part.type === 'delegation' ? [line, ...outline(part.agents, `${indent}    `)] : [line]
    }),
  ])
}

test('a run is a tree of agents, delegations and parts; its question waits until it is answered', async () => {
  const agent = desk()
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Settle the invoice.')
  const views: RunView[] = []
  for await (const view of viewsOf(run.events)) {
    views.push(view)
    const question = view.questions[0]
    if (view.status === 'suspended' && question !== undefined)
      await run.approve(question.toolCallId, { by: 'Ada' })
  }
  const suspended = views.find(({ status }) => status === 'suspended')
  const callId = 'desk/delegation:1.1/payer/call:1.1'
  expect(suspended?.questions).toEqual([
    {
      toolCallId: callId,
      type: 'approval',
      agent: 'payer',
      toolName: 'pay',
      args: { euros: 40 },
      path: 'desk/delegation:1.1/payer',
      since: expect.any(Number),
    },
  ])
  expect(callIn(suspended ?? emptyView, callId)).toMatchObject({
    status: 'waiting',
    args: { euros: 40 },
    question: suspended?.questions[0],
  })
  expect(views.some((view) => JSON.stringify(view).includes('"progress":{"percent":50}'))).toBe(true)

  const last = views.at(-1) ?? emptyView
  expect(last).toMatchObject({
    runId: run.id,
    status: 'settled',
    outcome: 'completed',
    task: 'Settle the invoice.',
    text: 'Done.',
    usage: { totalTokens: (await run.result).usage.totalTokens },
    questions: [],
  })
  expect(outline(last.agents)).toEqual([
    'desk ended',
    '  iteration:1 ended',
    '  step:1 ended',
    '  text:desk:m1 complete',
    '  desk/delegation:1.1 succeeded',
    '    payer ended',
    '      step:1 ended',
    '      reasoning:desk/delegation:1.1/payer:m1 complete',
    '      desk/delegation:1.1/payer/call:1.1 succeeded',
    '      step:2 ended',
    '      text:desk/delegation:1.1/payer:m2 complete',
    '  iteration:2 ended',
    '  step:2 ended',
    '  text:desk:m2 complete',
  ])
  const call = callIn(last, callId)
  expect(call).toMatchObject({ result: 'paid 40', answer: { approved: true, by: 'Ada' } })
  expect(call).not.toHaveProperty('progress')
  expect(call).not.toHaveProperty('question')
  expect(callIn(last, 'desk/delegation:1.1')).toMatchObject({ agentName: 'payer', text: 'It is paid.' })
  expect([callIn(last, 'desk/call:9.9'), callIn(last, 'x/delegation:1.1/y/call:1.1')]).toEqual([
    undefined,
    undefined,
  ])
  await troupe.close()
})

test('an event changes only the agents on its path', async () => {
  const agent = desk()
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go.')
  let before = emptyView
  for await (const event of run.events) {
    const view = nextView(before, event)
    if (event.type === 'suspended') await run.deny('desk/delegation:1.1/payer/call:1.1', 'Too much.')
    const part = (of: RunView) => callIn(of, 'desk/delegation:1.1')
    if (part(before) !== undefined && !event.path.startsWith('desk/delegation:1.1')) {
      expect(part(view)).toBe(part(before))
    }
    if (event.seq !== undefined) expect(nextView(view, event)).toBe(view)
    before = view
  }
  expect(callIn(before, 'desk/delegation:1.1/payer/call:1.1')).toMatchObject({
    status: 'denied',
    answer: { approved: false, reason: 'Too much.' },
  })
  await troupe.close()
})

const place = { at: 1, runId: 'r', agent: 'a', path: 'a' } as const

test('a message that is begun again after a crash has the text of its last attempt', () => {
  const message = { ...place, messageId: 'a:m1' } as const
  const view = viewOf([
    { ...message, type: 'text-start', payload: {} },
    { ...message, type: 'text-delta', payload: { text: 'Once ' } },
    { ...message, type: 'text-end', payload: { text: 'Once ', status: 'cut' } },
    { ...message, type: 'text-start', payload: {}, attempt: 2 },
    { ...message, type: 'text-delta', payload: { text: 'Twice' }, attempt: 2 },
    { ...message, type: 'text-end', payload: { text: 'Twice.', status: 'complete' } },
    // A reader that begins anew is given the message again.
    { ...message, type: 'text-start', payload: {}, seq: 2 },
    { ...message, type: 'text-delta', payload: { text: 'Twice.' }, seq: 3 },
  ])
  expect(view.text).toBe('Twice.')
  expect(view.agents.at(0)?.parts.toArray()).toEqual([
    {
      type: 'text',
      id: 'text:a:m1',
      at: 1,
      messageId: 'a:m1',
      text: 'Twice.',
      status: 'complete',
      attempt: 2,
    },
  ])
})

test('a message that is cut gives the text of the agent back to the last complete one', () => {
  const first = { ...place, messageId: 'a:m1' } as const
  const second = { ...place, messageId: 'a:m2' } as const
  const view = viewOf([
    { ...first, type: 'text-end', payload: { text: 'Good.', status: 'complete' } },
    { ...second, type: 'text-delta', payload: { text: 'Ba' } },
  ])
  expect(view.text).toBe('Ba')
  const after = nextView(view, { ...second, type: 'text-end', payload: { text: 'Ba', status: 'rejected' } })
  expect(after.text).toBe('Good.')
  expect(after.agents.at(0)?.parts.at(-1)).toMatchObject({ status: 'rejected', text: 'Ba' })
})

test('arguments are seen as they are written; a call that is not made is cut, and may be written again', () => {
  const delta = (text: string, messageId: string): RunEvent => ({
    ...place,
    type: 'tool-call-delta',
    messageId,
    payload: { toolCallId: 'a/call:1.1', toolName: 'find', text },
  })
  const call = (view: RunView) => callIn(view, 'a/call:1.1')
  const step: RunEvent = { ...place, type: 'step-start', payload: { step: 1 } }
  const written = viewOf([step, delta('{"q"', 'a:m1'), delta(':1', 'a:m1')])
  expect(call(written)).toMatchObject({ status: 'streaming', argsText: '{"q":1', toolName: 'find' })
  const error = { name: 'E', code: 'MODEL', message: 'Gone.' }
  const failed = viewOf([{ ...place, type: 'error', payload: { error, willRetry: true } }], written)
  expect(call(failed)).toMatchObject({ status: 'cut' })
  expect(failed.errors.toArray()).toMatchObject([{ error, willRetry: true, path: 'a' }])
  const again = viewOf([delta('{', 'a:m2')], failed)
  expect(call(again)).toMatchObject({ status: 'streaming', argsText: '{' })
  const made = nextView(again, {
    ...place,
    path: 'a/call:1.1',
    type: 'tool-call',
    payload: { toolCallId: 'a/call:1.1', toolName: 'find', args: { q: 2 } },
  })
  expect(call(made)).toMatchObject({ status: 'running', args: { q: 2 } })
  expect(call(made)).not.toHaveProperty('argsText')
})

test('an event of an unknown type is kept where it happened, also where the view begins in its midst', () => {
  const event = {
    ...place,
    path: 'lead/delegation:1.1/a/call:2.1',
    type: 'moon-phase',
    payload: { full: true },
  }
  const view = viewOf([event as unknown as RunEvent])
  expect(outline(view.agents)).toEqual([
    'lead running',
    '  lead/delegation:1.1 running',
    '    a running',
    '      event:0',
  ])
  expect(JSON.stringify(view)).toContain('"full":true')
})
