/** An evaluation asks the model anew and replays the tools: no tool of the agents runs. */
import { LLMock } from '@copilotkit/aimock'
import {
  createAgent,
  createScorer,
  createSupervisor,
  createTool,
  createTroupe,
  createWorkflow,
  openai,
  textOf,
  type AgentDefinition,
  type ChatModel,
  type Run,
  type RunEvent,
} from 'troupe'
import {
  evaluate,
  formatEvaluation,
  recordTools,
  scriptedModel,
  type EvaluateOptions,
  type EvaluationCase,
  type ScriptedStep,
} from 'troupe/testing'
import { fromPromise } from 'xstate'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents } from '../../support/agents/agents.ts'

/** The orders that were really paid back. */
let paid: string[] = []

const refund = createTool({
  id: 'refund',
  description: 'Pays an order back.',
  inputSchema: z.object({ order: z.string().transform((order) => order.toUpperCase()) }),
  execute: ({ order }) => {
    paid.push(order)
    return { receipt: `r-${order}` }
  },
})

const desk = (model: ChatModel, options: object = {}) =>
  createAgent({
    id: 'desk',
    description: 'Pays back.',
    instructions: 'Pay back.',
    model,
    tools: { refund },
    ...options,
  })

const callsRefund = (order: string): ScriptedStep => ({ toolCalls: [{ name: 'refund', args: { order } }] })

const line = (tool: string, args: object, end: object): string =>
  `${JSON.stringify({ agent: 'desk', tool, args, ...end })}\n`

const recording = line('refund', { order: 'a-17' }, { result: { receipt: 'recorded' } })

async function eventsOf(
  agent: AgentDefinition,
  answer?: (run: Run, event: RunEvent) => Promise<void> | undefined,
) {
  const run = await createTroupe({ agents: [agent] }).start(agent, 'Go')
  for await (const event of run.events) await answer?.(run, event)
  return allEvents(run)
}

test('tools answer from the recording, and do not run', async () => {
  paid = []
  const model = scriptedModel([callsRefund('a-17'), 'It is paid back.'])
  const report = await evaluate(desk(model), [{ prompt: 'Refund a-17.', recording }], {
    scorers: [createScorer({ id: 'says-paid', score: ({ output }) => (output.includes('paid') ? 1 : 0) })],
    tools: 'recorded',
  })
  expect(report).toMatchObject({
    passed: true,
    cases: [
      {
        name: 'case 1',
        passed: true,
        reasons: [],
        replayed: 1,
        ran: 0,
        unrecorded: [],
        unused: [],
        scores: [{ scorer: 'says-paid', threshold: 1, passed: true, score: 1 }],
        recording,
      },
    ],
    scores: { 'says-paid': { mean: 1, passed: 1, failed: 0, errored: 0 } },
    usage: { totalTokens: 30 },
  })
  expect(model.calls[1]?.request.messages.at(-1)).toMatchObject({
    role: 'tool',
    content: '{"receipt":"recorded"}',
  })
  expect(paid).toEqual([])
})

describe('with the real client', () => {
  const mock = new LLMock({ port: 0 })
  beforeAll(() => mock.start())
  afterAll(() => mock.stop())

  test('a run is recorded, and another model is evaluated on its tools', async () => {
    paid = []
    mock.reset()
    mock.on(
      { hasToolResult: false },
      { toolCalls: [{ id: 'call_a', name: 'refund', arguments: '{"order":"a-17"}' }] },
    )
    mock.on({ hasToolResult: true }, { content: 'Order A-17 is paid back.' })
    const gpt = (id: string) => openai(id, { baseURL: `${mock.url}/v1`, apiKey: 'sk-test-of-aimock' })
    const made = await recordTools(await eventsOf(desk(gpt('gpt-5-mini'))))
    expect(made).toBe(line('refund', { order: 'a-17' }, { result: { receipt: 'r-A-17' } }))
    expect(paid).toEqual(['A-17'])
    mock.clearRequests()

    const report = await evaluate(desk(gpt('gpt-6')), [{ prompt: 'Refund a-17.', recording: made }])
    expect(report).toMatchObject({
      passed: true,
      cases: [{ replayed: 1, ran: 0, result: { text: 'Order A-17 is paid back.' } }],
    })
    expect(mock.getRequests().map(({ body }) => body?.model)).toEqual(['gpt-6', 'gpt-6'])
    expect(paid).toEqual(['A-17'])
  })
})

describe('a call without a recording', () => {
  test('ends its run, and the case has not passed', async () => {
    paid = []
    const model = scriptedModel([callsRefund('b-18'), 'It is paid back.'])
    const report = await evaluate(desk(model), [{ prompt: 'Refund b-18.', recording }])
    const [one] = report.cases
    expect(report.passed).toBe(false)
    expect(one).toMatchObject({
      passed: false,
      reasons: ['There is no recording of the call refund {"order":"b-18"}.'],
      unrecorded: [{ tool: 'refund', args: { order: 'b-18' } }],
      unused: [{ tool: 'refund', args: { order: 'a-17' } }],
      result: { outcome: 'cancelled' },
      problems: [],
    })
    expect([paid, model.calls.length]).toEqual([[], 1])
  })

  test('runs where that is allowed, and the report has the recording for the next time', async () => {
    paid = []
    const steps = [callsRefund('a-17'), callsRefund('b-18'), 'Both.']
    const report = await evaluate(desk(scriptedModel(steps)), [{ prompt: 'Both.', recording }], {
      unrecorded: 'run',
    })
    expect(report.cases[0]).toMatchObject({ passed: true, replayed: 1, ran: 1 })
    expect(paid).toEqual(['B-18']) // the tool has read its input by its schema
    const next = report.cases[0]?.recording ?? ''
    expect(next).toBe(recording + line('refund', { order: 'b-18' }, { result: { receipt: 'r-B-18' } }))
    const again = await evaluate(desk(scriptedModel(steps)), [{ prompt: 'Both.', recording: next }])
    expect(again.cases[0]).toMatchObject({ passed: true, replayed: 2, ran: 0 })
    expect(paid).toEqual(['B-18'])
  })

  test('that gives another output than its schema fails the call', async () => {
    const broken = createTool({
      id: 'broken',
      description: 'Breaks.',
      inputSchema: z.object({}),
      outputSchema: z.object({ receipt: z.string() }),
      execute: () => ({ receipt: 1 as unknown as string }),
    })
    const model = scriptedModel([{ toolCalls: [{ name: 'broken' }] }, 'It broke.'])
    const report = await evaluate(desk(model, { tools: { broken } }), [{ prompt: 'Go' }], {
      unrecorded: 'run',
    })
    expect(report.cases[0]?.calls).toMatchObject([{ error: { code: 'INVALID_TOOL_OUTPUT' } }])
  })
})

test('equal calls get their results in order, and the last one from then on', async () => {
  const results = ['one', 'two'].map((result) => line('refund', { order: 'a' }, { result }))
  const model = scriptedModel([callsRefund('a'), callsRefund('a'), callsRefund('a'), 'Done.'])
  const report = await evaluate(desk(model), [{ prompt: 'Go', recording: results.join('') }])
  expect(report.cases[0]?.calls.map((call) => ('result' in call ? call.result : undefined))).toEqual([
    'one',
    'two',
    'two',
  ])
})

test('a recorded failure fails the call again, and no one is told of a fault', async () => {
  const failed = line(
    'refund',
    { order: 'a' },
    { error: { code: 'BANK_CLOSED', message: 'The bank is closed.' } },
  )
  const model = scriptedModel([callsRefund('a'), 'It failed.'])
  const report = await evaluate(desk(model), [{ prompt: 'Go', recording: failed }])
  expect(report.cases[0]).toMatchObject({
    passed: true,
    calls: [{ error: { code: 'BANK_CLOSED', message: 'The bank is closed.' } }],
    recording: failed,
    problems: [],
  })
})

describe('a call that a person has to approve', () => {
  const careful = (model: ChatModel) =>
    desk(model, {
      tools: {
        refund: createTool({
          id: 'refund',
          description: 'Pays back.',
          inputSchema: z.object({ order: z.string() }),
          requireApproval: ({ order }) => order !== 'cheap',
          execute: ({ order }) => {
            paid.push(order)
            return 'paid'
          },
        }),
      },
    })

  test.for<['approve' | 'deny', object]>([
    ['approve', { result: 'paid' }],
    ['deny', { denied: true }],
  ])('gets the answer that was recorded: %s', async ([way, end]) => {
    const steps = [callsRefund('dear'), 'Done.']
    const made = await recordTools(
      await eventsOf(careful(scriptedModel(steps)), (run, event) =>
        event.type === 'tool-call-approval' ? run[way](event.payload.toolCallId) : undefined,
      ),
    )
    expect(made).toBe(line('refund', { order: 'dear' }, end))
    paid = []
    const report = await evaluate(careful(scriptedModel(steps)), [{ prompt: 'Go', recording: made }])
    expect(report.cases[0]).toMatchObject({ passed: true, recording: made, result: { text: 'Done.' } })
    expect(paid).toEqual([])
  })

  test('is denied with the reason that was recorded', async () => {
    const echoes = (): ChatModel =>
      scriptedModel([callsRefund('dear'), ({ messages }) => textOf(messages.at(-1)?.content ?? '')])
    const events = await eventsOf(careful(echoes()), (run, event) =>
      event.type === 'tool-call-approval' ? run.deny(event.payload.toolCallId, 'Too dear.') : undefined,
    )
    const made = await recordTools(events)
    expect(made).toBe(line('refund', { order: 'dear' }, { denied: true, reason: 'Too dear.' }))
    const report = await evaluate(careful(echoes()), [{ prompt: 'Go', recording: made }])
    expect(report.cases[0]).toMatchObject({
      recording: made,
      result: { text: '{"error":"Tool call denied: Too dear.","denied":true}' },
    })
  })

  test('ends the run where there is no recording, also where tools may run', async () => {
    paid = []
    const steps = [callsRefund('dear'), 'Done.']
    const failed = await evaluate(careful(scriptedModel(steps)), [{ prompt: 'Go' }])
    expect(failed.cases[0]?.reasons).toEqual(['There is no recording of the call refund {"order":"dear"}.'])
    const waiting = await evaluate(careful(scriptedModel(steps)), [{ prompt: 'Go' }], { unrecorded: 'run' })
    expect(waiting.cases[0]?.reasons).toEqual(['The call refund {"order":"dear"} waits for a person.'])
    expect(paid).toEqual([])
    const cheap = await evaluate(
      careful(scriptedModel([callsRefund('cheap'), 'Done.'])),
      [{ prompt: 'Go' }],
      { unrecorded: 'run' },
    )
    expect(cheap.passed).toBe(true)
    expect(paid).toEqual(['cheap'])
  })
})

test('the tools of subagents, of successors and of the run, and workflows, are replayed too', async () => {
  paid = []
  const baking = createWorkflow({
    id: 'bake',
    description: 'Bakes.',
    inputSchema: z.object({}),
    logic: fromPromise(async () => {
      paid.push('bake')
      return 'baked'
    }),
  })
  const bakes: ScriptedStep = { toolCalls: [{ name: 'bake' }] }
  const worker = (steps: readonly ScriptedStep[]) =>
    desk(scriptedModel(steps), { id: 'worker', tools: () => ({ refund }), workflows: { bake: baking } })
  const lead = (agents: Readonly<Record<string, AgentDefinition>>) =>
    createSupervisor({
      id: 'lead',
      instructions: '',
      model: scriptedModel([{ toolCalls: [{ name: 'agent-worker', args: { prompt: 'Go' } }] }, 'Done.']),
      agents,
    })
  const reception = createAgent({
    id: 'reception',
    instructions: '',
    model: scriptedModel([{ toolCalls: [{ name: 'transfer-to-worker' }] }]),
    handoffs: [() => worker([callsRefund('a'), bakes, 'Done.'])],
  })
  const all = `${line('refund', { order: 'a' }, { result: 1 })}${line('bake', {}, { result: 2 })}`
  for (const agent of [lead({ worker: worker([callsRefund('a'), bakes, 'Fine.']) }), reception]) {
    const report = await evaluate(agent, [{ prompt: 'Go', recording: all }])
    expect(report.cases[0]).toMatchObject({ reasons: [], replayed: 2, ran: 0, result: { text: 'Done.' } })
  }
  expect(paid).toEqual([])
})

describe('scores', () => {
  const answers = (...steps: readonly ScriptedStep[]) => desk(scriptedModel(steps))

  test('read the answer, the expectation, the calls and the whole result', async () => {
    const seen: unknown[] = []
    const report = await evaluate(
      answers(callsRefund('a-17'), '42'),
      [{ name: 'sum', prompt: [{ role: 'user', content: 'What is 6 × 7?' }], expected: '42', recording }],
      {
        scorers: [
          {
            id: 'exact',
            threshold: 0.5,
            score: ({ input, output, expected, calls, result, messages }) => {
              seen.push(input, calls.length, result.outcome, messages.length)
              return { score: output === expected ? 0.75 : 0, reason: 'It is close.' }
            },
          },
        ],
      },
    )
    expect(seen).toEqual(['What is 6 × 7?', 1, 'completed', 2])
    expect(report.cases[0]?.scores).toEqual([
      { scorer: 'exact', threshold: 0.5, passed: true, score: 0.75, reason: 'It is close.' },
    ])
  })

  test.for<[string, () => unknown, string]>([
    [
      'is too low',
      () => ({ score: 0.2, reason: 'It is rude.' }),
      'The scorer "s" gave 0.2, less than 1: It is rude.',
    ],
    [
      'is no number from 0 to 1',
      () => 2,
      'The scorer "s" failed: The answer of the scorer "s".score must be a number from 0 to 1, not 2.',
    ],
    [
      'is not given',
      () => {
        throw new Error('No network.')
      },
      'The scorer "s" failed: No network.',
    ],
    [
      'does not come in time',
      () => new Promise(() => undefined),
      'The scorer "s" failed: The scorer "s" did not answer within 5 ms.',
    ],
  ])('a case whose score %s has not passed', async ([, score, reason]) => {
    const scorers = [{ id: 's', timeout: 5, score: score as () => number }]
    const report = await evaluate(answers('Hm.'), [{ prompt: 'Go' }], { scorers })
    expect(report.cases[0]).toMatchObject({ passed: false, reasons: [reason] })
    expect(report.scores['s']).toMatchObject({ passed: 0, failed: 1 })
  })
})

test('an outcome that is not expected fails the case, one that is expected does not', async () => {
  const error = new Error('The model is down.')
  const down = () => desk(scriptedModel([], { otherwise: { error } }), { retries: 0 })
  const [one] = (await evaluate(down(), [{ prompt: 'Go' }])).cases
  expect(one?.reasons).toEqual([
    'The outcome is failed, expected: completed, bailed, stopped. The model is down. (MODEL_FAILED)',
  ])
  expect((await evaluate(down(), [{ prompt: 'Go', outcome: 'failed' }])).passed).toBe(true)
})

test('cases run beside each other, and are reported in their order', async () => {
  const first = Promise.withResolvers<void>()
  const model = scriptedModel([
    { text: 'Slow.', until: first.promise },
    () => {
      first.resolve()
      return 'Fast.'
    },
  ])
  const cases = ['slow', 'fast'].map((name) => ({ name, prompt: name }))
  const report = await evaluate(desk(model), cases, { concurrency: 2 })
  expect(report.cases.map(({ name, result }) => [name, result.text])).toEqual([
    ['slow', 'Slow.'],
    ['fast', 'Fast.'],
  ])
})

test('the options of all runs and those of a case count', async () => {
  const model = scriptedModel([], { otherwise: callsRefund('a-17') })
  const report = await evaluate(
    desk(model),
    [
      { name: 'two', prompt: 'Go', recording, outcome: 'exhausted' },
      { name: 'one', prompt: 'Go', recording, outcome: 'exhausted', run: { maxSteps: 1 } },
    ],
    { run: { maxSteps: 2, onExhausted: 'stop' } },
  )
  expect(report.cases.map(({ passed, result }) => [passed, result.steps.length])).toEqual([
    [true, 2],
    [true, 1],
  ])
})

test('an error of a hook is in the report of its case', async () => {
  const agent = desk(scriptedModel(['Done.']), {
    onFinish: () => {
      throw new Error('The log is full.')
    },
  })
  const report = await evaluate(agent, [{ prompt: 'Go' }])
  expect(report.cases[0]?.problems).toMatchObject([
    { where: 'effect', error: { message: 'The log is full.' } },
  ])
})

test('the report is a table, and names the reasons', async () => {
  const model = scriptedModel(['Yes.', callsRefund('b')])
  const scorers = [{ id: 'short', score: ({ output }: { output: string }) => (output === 'Yes.' ? 1 : 0.5) }]
  const report = await evaluate(
    desk(model),
    [
      { name: 'good', prompt: 'Go' },
      { name: 'bad', prompt: 'Go' },
    ],
    { scorers },
  )
  expect(formatEvaluation(report)).toBe(
    [
      '| case | passed | outcome | short | tokens |',
      '| --- | --- | --- | --- | --- |',
      '| good | yes | completed | 1.00 | 15 |',
      '| bad | no | cancelled | 0.50 | 15 |',
      '| all | 1 of 2 |  | 0.75 | 30 |',
      '',
      '- bad: There is no recording of the call refund {"order":"b"}.',
      '- bad: The scorer "short" gave 0.5, less than 1',
      '',
    ].join('\n'),
  )
})

test('a name and a reason stay in their cell and in their line, whatever they contain', async () => {
  const score = () => ({ score: 0, reason: 'Too short:\n- add | a source' })
  const cases = [{ name: 'a | b\nc', prompt: 'Go' }]
  const report = await evaluate(desk(scriptedModel(['No.'])), cases, { scorers: [{ id: 's | t', score }] })
  expect(formatEvaluation(report).split('\n')).toEqual([
    '| case | passed | outcome | s \\| t | tokens |',
    '| --- | --- | --- | --- | --- |',
    '| a \\| b c | no | completed | 0.00 | 15 |',
    '| all | 0 of 1 |  | 0.00 | 15 |',
    '',
    '- a | b c: The scorer "s | t" gave 0, less than 1: Too short: - add | a source',
    '',
  ])
})

test.for<[string, readonly object[], object, string]>([
  [
    'an unknown option',
    [],
    { unrecordet: 'run' },
    'evaluate: there is no option "unrecordet"; did you mean "unrecorded"?',
  ],
  ['real tools', [], { tools: 'real' }, 'evaluate: tools must be \'recorded\', not "real".'],
  [
    'a case without a prompt',
    [{ name: 'a' }],
    {},
    'evaluate: cases[0].prompt must be a text or a list of messages, not undefined.',
  ],
  [
    'an unknown field of a case',
    [{ prompt: 'Go', expect: 1 }],
    {},
    'evaluate: cases[0]: there is no field "expect"; did you mean "expected"?',
  ],
  [
    'a wrong recording',
    [{ prompt: 'Go', recording: '{"tool":"a"}' }],
    {},
    'evaluate: case 1: recording: line 1 is no recorded call of a tool',
  ],
  [
    'a wrong option of a run',
    [{ prompt: 'Go', run: { maxSteps: 0 } }],
    {},
    'evaluate: case 1: run: maxSteps must be a positive integer, not 0.',
  ],
  [
    'two cases of one name',
    [
      { name: 'a', prompt: 'Go' },
      { name: 'a', prompt: 'Go' },
    ],
    {},
    'evaluate: two cases have the name "a".',
  ],
  ['an empty prompt', [{ prompt: 'Go' }, { prompt: ' ' }], {}, 'evaluate: case 2: The prompt is empty.'],
  [
    'a prompt that ends with an answer',
    [{ prompt: 'Go' }, { name: 'b', prompt: [{ role: 'assistant', content: 'Yes.' }] }],
    {},
    "evaluate: b: The last message of a prompt must be the user's, and not empty.",
  ],
  [
    'two scorers of one id',
    [],
    { scorers: [0, 1].map((score) => ({ id: 'a', score: () => score })) },
    'evaluate: two scorers have the id "a".',
  ],
  [
    'a scorer without a function',
    [],
    { scorers: [{ id: 'a' }] },
    'evaluate: scorers[0].score must be a function, not undefined.',
  ],
])('%s is refused before any run', async ([, cases, options, message]) => {
  const model = scriptedModel([])
  const evaluation = evaluate(desk(model), cases as readonly EvaluationCase[], options as EvaluateOptions)
  await expect(evaluation).rejects.toThrow(message)
  expect(model.calls).toEqual([])
})
