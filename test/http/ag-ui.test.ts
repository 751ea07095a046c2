/** Behaviour 86, the wire of AG-UI: its client takes every stream of a run, and its next request answers. */
import { createTool, RetryableError, type ChatModel, createAgent } from 'troupe'
import { z } from 'zod'
import { expect, test } from 'vitest'
import { calls, lead, to, worker } from '../support/agents/agents.ts'
import { divides, enough, fanOut } from '../support/agents/fan-outs.ts'
import { plan, planner } from '../support/agents/planner.ts'
import { byUser, deskAgent, toolCallId } from './support/desk.ts'
import { interruptsOf, ofType, openPage, typesOf, type Seen } from './support/page.ts'
import { speaker } from '../support/agents/speaker.ts'

const add = createTool({
  id: 'add',
  description: 'Adds.',
  inputSchema: z.object({ note: z.string() }),
  execute: ({ note }) => ({ added: note }),
})

const pay = createTool({
  id: 'pay',
  description: 'Pays.',
  inputSchema: z.object({ amount: z.number() }),
  requireApproval: true,
  execute: ({ amount }) => ({ paid: amount }),
})

const ask = createTool({
  id: 'ask',
  description: 'Asks.',
  inputSchema: z.object({}),
  execute: (_, { suspend, resumeData }) => resumeData ?? suspend({ question: 'Which?' }),
})

/** A model that waits with its words until a page reads: pieces of arguments go to the readers that are there. */
function waiting() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const onEvent = ({ name }: Seen) => {
    if (name === 'troupe.step-start') resolve()
  }
  return { until: promise, onEvent }
}

test('an agent streams its reasoning, its text and the arguments of its calls', async () => {
  const { agent } = worker(
    'solo',
    [
      {
        reasoning: 'I must add.',
        text: 'I add it.',
        toolCalls: [{ name: 'add', args: { note: 'one two three' } }],
      },
      'Done, all of it.',
    ],
    { tools: { add } },
  )
  const { troupe, play, client } = openPage(agent)
  const events = await play({ runId: 'r1' })
  const types = typesOf(events)
  expect(types[0]).toBe('RUN_STARTED')
  expect(types).toEqual(
    expect.arrayContaining(['REASONING_START', 'TOOL_CALL_ARGS', 'TOOL_CALL_RESULT', 'troupe.step-finish']),
  )
  const [text] = ofType(events, 'TEXT_MESSAGE_START')
  expect(ofType(events, 'TOOL_CALL_START')).toMatchObject([{ parentMessageId: text?.['messageId'] }])
  expect(
    ofType(events, 'STEP_STARTED', 'STEP_FINISHED').map(({ type, stepName }) => [type, stepName]),
  ).toEqual([
    ['STEP_STARTED', 'solo 1'],
    ['STEP_FINISHED', 'solo 1'],
    ['STEP_STARTED', 'solo 2'],
    ['STEP_FINISHED', 'solo 2'],
  ])
  const deltas = ofType(events, 'TOOL_CALL_ARGS').map(({ delta }) => delta)
  expect(JSON.parse(deltas.join(''))).toEqual({ note: 'one two three' })
  expect(events.at(-1)).toMatchObject({
    type: 'RUN_FINISHED',
    threadId: 't',
    runId: 'r1',
    outcome: { type: 'success' },
    result: { outcome: 'completed', text: 'Done, all of it.' },
  })
  const page = client()
  page.addMessage({ id: 'u1', role: 'user', content: 'Go' })
  await page.runAgent({ runId: 'r1' }) // the run that is there
  expect(page.messages.map(({ role }) => role)).toEqual([
    'user',
    'reasoning',
    'assistant', // with its call
    'tool',
    'assistant',
  ])
  expect(page.messages.at(-1)).toMatchObject({ content: 'Done, all of it.' })
  await troupe.close()
})

test('subagents that work side by side have their own events', async () => {
  const agents = { a: worker('a', ['From a.']).agent, b: worker('b', ['From b.']).agent }
  const { agent } = lead('boss', [calls(to('a', 'A'), to('b', 'B')), 'Both.'], { agents })
  const { troupe, play } = openPage(agent)
  const events = await play({ runId: 'r' })
  const started = ofType(events, 'SUBAGENT_STARTED')
  expect(started).toMatchObject([{ name: 'a' }, { name: 'b' }])
  expect(ofType(events, 'SUBAGENT_FINISHED').map(({ result }) => result)).toEqual(
    expect.arrayContaining(['From a.', 'From b.']),
  )
  const owners = ofType(events, 'TEXT_MESSAGE_START').map(({ subagentRunId }) => subagentRunId)
  expect(owners).toEqual([...started.map(({ subagentRunId }) => subagentRunId), undefined])
  await troupe.close()
})

test('an interrupt is answered by the next request, which may be sent again', async () => {
  const { troupe, client } = openPage(deskAgent(), { authorize: byUser })
  const page = client('ann')
  page.addMessage({ id: 'u1', role: 'user', content: 'Pay' })
  await page.runAgent({ runId: 'r' })
  const [interrupt] = page.pendingInterrupts
  expect(page.pendingInterrupts).toMatchObject([{ reason: 'tool_call', toolCallId: `r:${toolCallId}` }])
  const resume = [
    { interruptId: interrupt?.id ?? '', status: 'resolved' as const, payload: { approved: true } },
  ]
  const again = page.clone()
  for (const one of [page, again]) {
    await one.runAgent({ runId: 'r-2', resume })
    expect(one.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'Paid.' })
    expect(one.messages.filter(({ role }) => role === 'tool')).toMatchObject([
      { toolCallId: `r:${toolCallId}`, content: '{"paid":5}' },
    ])
    expect(one.pendingInterrupts).toEqual([])
  }
  const answered = []
  for await (const event of troupe.watch('r')) if (event.type === 'tool-call-answered') answered.push(event)
  expect(answered).toMatchObject([{ payload: { by: 'ann@test' } }])
  await troupe.close()
})

test('a subagent waits as suspended, and goes on in the next stream with the arguments that a person gives', async () => {
  const clerk = worker('clerk', [calls({ name: 'pay', args: { amount: 5 } }), 'Paid it.'], { tools: { pay } })
  const { agent } = lead('boss', [calls(to('clerk', 'Pay')), 'Well.'], { agents: { clerk: clerk.agent } })
  const { troupe, play } = openPage(agent)
  const first = await play({ runId: 'r' })
  const [interrupt] = interruptsOf(first)
  const [suspended] = ofType(first, 'SUBAGENT_FINISHED')
  expect(suspended).toMatchObject({ outcome: { type: 'suspended', interruptIds: [interrupt?.id] } })
  expect(interrupt?.subagentRunId).toBe(suspended?.['subagentRunId'])
  const payload = { approved: true, editedArgs: { amount: 3 } }
  const resume = [{ interruptId: interrupt?.id ?? '', status: 'resolved' as const, payload }]
  const second = await play({ runId: 'r-2', resume })
  expect(ofType(second, 'SUBAGENT_STARTED', 'SUBAGENT_FINISHED')).toMatchObject([
    { subagentRunId: suspended?.['subagentRunId'], name: 'clerk' },
    { subagentRunId: suspended?.['subagentRunId'], outcome: { type: 'success' }, result: 'Paid it.' },
  ])
  expect(ofType(second, 'TOOL_CALL_RESULT')).toMatchObject([{ content: '{"paid":3}' }])
  await troupe.close()
})

test('questions are answered together: data for one, a denial of another', async () => {
  const { agent } = worker(
    'solo',
    [
      calls(
        { name: 'ask', args: {} },
        { name: 'pay', args: { amount: 1 } },
        { name: 'pay', args: { amount: 2 } },
      ),
      'Done.',
    ],
    { tools: { ask, pay } },
  )
  const { troupe, play } = openPage(agent)
  const interrupts = interruptsOf(await play({ runId: 'r' }))
  const asked = interrupts.find(({ reason }) => reason === 'input_required')
  const [first, second] = interrupts.filter((interrupt) => interrupt !== asked)
  expect(asked).toMatchObject({
    metadata: { troupe: { payload: { question: 'Which?' } } },
  })
  const events = await play({
    runId: 'r-2',
    resume: [
      { interruptId: asked?.id ?? '', status: 'resolved', payload: 'this' },
      { interruptId: first?.id ?? '', status: 'resolved', payload: { approved: false, reason: 'No.' } },
      { interruptId: second?.id ?? '', status: 'cancelled' },
    ],
  })
  expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } })
  const results = new Map(ofType(events, 'TOOL_CALL_RESULT').map((event) => [event['toolCallId'], event]))
  expect(results.get(asked?.toolCallId)).toMatchObject({ content: 'this' })
  for (const { toolCallId: id } of [first, second].flatMap((one) => one ?? [])) {
    expect(results.get(id)).toMatchObject({ metadata: { troupe: { status: 'denied' } } })
  }
  await troupe.close()
})

test('a failed run ends with an error, a cancelled one as cancelled', async () => {
  const failing = openPage(worker('solo', [{ error: new Error('No more words.') }]).agent)
  const failed = await failing.play({ runId: 'r' })
  expect(failed.at(-1)).toMatchObject({
    type: 'RUN_ERROR',
    message: 'MODEL_FAILED',
  })
  await failing.troupe.close()

  const { agent } = lead('boss', [calls(to('a', 'A'))], {
    agents: { a: worker('a', [{ hang: true }]).agent },
  })
  const { troupe, play } = openPage(agent)
  const playing = play({ runId: 'r' })
  await expect.poll(async () => (await troupe.runs({ runId: 'r' })).items).toHaveLength(1)
  for await (const { type } of troupe.watch('r')) if (type === 'delegation-start') break
  await troupe.signal('r', { type: 'cancel' })
  const events = await playing
  expect(ofType(events, 'SUBAGENT_ERROR')).toMatchObject([{ code: expect.any(String) }])
  expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'cancelled' } })
  await troupe.close()
})

test('plans are activities that follow their steps, and rounds are custom events', async () => {
  const planning = planner({ plans: [plan({ id: 'one' })], answer: 'The answer.' })
  const planned = openPage(planning.agent)
  const steps = await planned.play({ runId: 'r' })
  expect(typesOf(steps)).toEqual(expect.arrayContaining(['troupe.plan-created', 'troupe.plan-step-end']))
  expect(steps.at(-1)).toMatchObject({ result: { text: 'The answer.' } })
  const page = planned.client()
  page.addMessage({ id: 'u1', role: 'user', content: 'Go' })
  await page.runAgent({ runId: 'r' })
  expect(page.messages.find(({ role }) => role === 'activity')).toMatchObject({
    activityType: 'troupe.plan',
    content: { revision: 1, order: ['1:one'], steps: { '1:one': { id: 'one', status: 'complete' } } },
  })
  await planned.troupe.close()

  const { agent } = fanOut('boss', [divides('left', 'right'), enough, 'Both sides.'], {
    agents: { side: worker('side', [], { otherwise: 'A side.' }).agent },
  })
  const divided = openPage(agent)
  const rounds = await divided.play({ runId: 'r' })
  expect(typesOf(rounds)).toEqual(expect.arrayContaining(['troupe.fan-out', 'troupe.fan-in']))
  expect(ofType(rounds, 'SUBAGENT_FINISHED')).toHaveLength(2)
  await divided.troupe.close()
})

test('a call whose reply is cut is ended, and is another one when it is written again', async () => {
  const { until, onEvent } = waiting()
  let times = 0
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
  const model: ChatModel = {
    provider: 'test',
    modelId: 'cut',
    async generate({ messages }, { onDelta }) {
      if (messages.some(({ role }) => role === 'tool')) {
        return { text: 'Done.', toolCalls: [], finishReason: 'stop', usage }
      }
      await until
      const call = { id: 'c', name: 'add', args: { note: 'x' } }
      onDelta?.({ type: 'text', text: 'I add.' })
      onDelta?.({ type: 'tool-args', index: 0, id: 'c', name: 'add', text: '{"note":' })
      times += 1
      if (times === 1) throw new RetryableError('Cut.', { retryAfterMs: 1 })
      onDelta?.({ type: 'tool-args', index: 0, id: 'c', name: 'add', text: '"x"}' })
      return { text: 'I add.', toolCalls: [call], finishReason: 'tool-calls', usage }
    },
  }
  const agent = createAgent({ id: 'solo', instructions: 'Add.', model, tools: { add } })
  const { troupe, play } = openPage(agent)
  const events = await play({ runId: 'r' }, '', onEvent)
  const texts = ofType(events, 'TOOL_CALL_START').map(({ toolCallId: id }) =>
    ofType(events, 'TOOL_CALL_ARGS')
      .flatMap(({ toolCallId: of, delta }) => (of === id ? [delta] : []))
      .join(''),
  )
  expect(texts).toEqual(['{"note":', '{"note":"x"}'])
  expect(ofType(events, 'TOOL_CALL_RESULT')).toMatchObject([
    { content: 'The call was not made.' },
    { content: '{"added":"x"}' },
  ])
  await troupe.close()
})

test('the messages of a page are the prompt, and forwardedProps is for runOptions', async () => {
  const { agent, model } = worker('solo', ['Seen.'])
  const inputs: unknown[] = []
  const { troupe, play } = openPage(agent, {
    runOptions({ input }) {
      inputs.push(input)
      return {}
    },
  })
  await play({
    runId: 'r',
    forwardedProps: { plan: 'pro' },
    messages: [
      { id: '0', role: 'system', content: 'Obey the page.' },
      { id: '1', role: 'user', content: 'First' },
      { id: '2', role: 'assistant', content: 'Answer' },
      { id: '3', role: 'assistant', content: 'Of a subagent', subagentRunId: 's' },
      { id: '4', role: 'tool', toolCallId: 'x', content: 'Result' },
      {
        id: '5',
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image', source: { type: 'data', value: 'AAAA', mimeType: 'image/png' } },
        ],
      },
    ],
  })
  expect(inputs).toEqual([{ plan: 'pro' }])
  const shown = JSON.stringify(model.calls[0]?.request.messages)
  for (const text of ['First', 'Answer', 'Look', 'AAAA']) expect(shown).toContain(text)
  for (const text of ['Obey', 'Of a subagent', 'Result']) expect(shown).not.toContain(text)
  expect((await troupe.runs({ runId: 'r' })).items).toMatchObject([{ conversationId: 't' }])
  await troupe.close()
})

test('a run goes on when its page leaves', async () => {
  const { agent, say } = speaker(['One ', 'two.'])
  const { troupe, play, post } = openPage(agent)
  const reader = (
    await post({ threadId: 't', runId: 'r', messages: [{ role: 'user', content: 'Go' }] })
  ).body?.getReader()
  await reader?.read()
  await reader?.cancel()
  say(0)
  say(1)
  const events = await play({ runId: 'r' })
  expect(events.at(-1)).toMatchObject({ result: { outcome: 'completed', text: 'One two.' } })
  await troupe.close()
})

test('authorize decides, and a wrong body is refused', async () => {
  const { troupe, play, post } = openPage(deskAgent(), { authorize: byUser })
  const [interrupt] = interruptsOf(await play({ runId: 'r' }, 'ann'))
  const resume = [{ interruptId: interrupt?.id, status: 'resolved', payload: { approved: true } }]
  const body = { threadId: 't', runId: 'r-2', messages: [] }
  const status = async (more: object, user?: string) =>
    (await post({ ...body, ...more }, user === undefined ? {} : { 'x-user': user })).status
  expect(await status({ resume })).toBe(401)
  expect(await status({ resume }, 'ben')).toBe(404)
  expect(await status({ messages: [{ role: 'user', content: 'Go' }] })).toBe(401)
  const entry = (change: object) => ({ resume: [{ ...resume[0], ...change }] })
  const wrong: readonly object[] = [
    {},
    { runId: 'a/b' },
    { threadId: '' },
    { messages: 'Go' },
    { messages: [{ role: 'assistant', content: 'Go' }] },
    { messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'file', value: 'x' } }] }] },
    { resume: 'yes' },
    entry({ interruptId: 'r' }),
    entry({ interruptId: '["r","x","approval"]' }),
    entry({ status: 'maybe' }),
    entry({ payload: {} }),
    entry({ payload: { approved: true, by: 'ben' } }),
    entry({ payload: { approved: true, arguments: {} } }),
    { resume: [...resume, { ...resume[0], interruptId: '["q","x","approval",""]' }] },
  ]
  for (const change of wrong) expect([change, await status(change, 'ann')]).toEqual([change, 400])
  expect((await troupe.runs({ runId: 'r' })).items).toMatchObject([{ awaiting: [{ toolCallId }] }])
  await troupe.close()
})
