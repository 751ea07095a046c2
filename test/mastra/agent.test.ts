/** What the names of Mastra refuse, what they report, and what becomes of runs that wait, fail or are nested. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigurationError, createAgent, memoryStore, textOf, type ChatModel } from 'troupe'
import { Agent, createScorer, createTool, LibSQLStore, Mastra, Memory } from 'troupe/mastra'
import { scriptedModel, type ScriptedStep } from 'troupe/testing'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { languageModel } from '../support/providers/language-model.ts'
import { runProgram } from '../support/processes/run-program.ts'
import { calls, shown, to } from '../support/agents/agents.ts'
import { ModelServer } from './model-server.ts'

const answering = (...steps: readonly ScriptedStep[]) => scriptedModel(steps)
const solo = (model: ChatModel, more: object = {}) => new Agent({ id: 'solo', model, ...more })

async function allOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

describe('refused by name', () => {
  const model = answering()
  test.for<readonly [string, () => unknown, string]>([
    [
      'a provider',
      () => new Agent({ id: 'a', model: 'anthropic/claude' }),
      'Agent "a": model: the provider "anthropic" of "anthropic/claude" is not known here; only "openai/<id>" is.',
    ],
    [
      'a model without a provider',
      () => new Agent({ id: 'a', model: 'gpt-5' }),
      'Agent "a": model: the provider the name "gpt-5" is not known here; only "openai/<id>" is.',
    ],
    [
      'a value that is no model',
      () => new Agent({ model: {} as never }),
      'Agent "(without an id)": model must be',
    ],
    [
      'an agent without an id',
      () => new Agent({ model }).generate('Go'),
      'it has no id, and stands in no record',
    ],
    ['an agent without a model', () => new Agent({ id: 'a' }).stream('Go'), 'Agent "a": it has no model'],
    [
      'a subagent that is none',
      () => new Agent({ id: 'a', model, agents: { b: 'c' as never } }),
      'Agent "a": agents.b must be an Agent.',
    ],
    [
      'a network without memory',
      () => solo(model, { agents: { b: solo(model) } }).network('Go'),
      'Agent "solo": network: a network needs memory',
    ],
    [
      'a background task of nobody',
      () => solo(model, { backgroundTasks: { tools: { b: {} } } }).generate('Go'),
      'backgroundTasks.tools names "b", which is neither in its agents nor in its tools.',
    ],
    [
      'two names of one option',
      () =>
        solo(model).generate('Go', {
          completion: { scorers: [] },
          isTaskComplete: { scorers: [] },
        }),
      'generate: completion and isTaskComplete are one option; give one of them.',
    ],
    [
      'a hook twice',
      () =>
        solo(model).generate('Go', {
          onDelegationStart: () => undefined,
          delegation: { onDelegationStart: () => undefined },
        }),
      'onDelegationStart and delegation.onDelegationStart are one option',
    ],
    [
      'storage of a memory that a function makes',
      () => solo(answering('Hi.'), { memory: () => new Memory({ storage: memoryStore() }) }).generate('Go'),
      'a Memory that a function of the run makes has no storage of its own',
    ],
    ['an agent that is not there', () => new Mastra().getAgent('a'), 'there is no agent "a"'],
    ['an id that is not there', () => new Mastra().getAgentById('a'), 'there is no agent with the id "a"'],
    ['a value among agents', () => new Mastra({ agents: { a: {} as never } }), 'agents.a must be an Agent.'],
    ['a list of agents', () => new Mastra({ agents: [] as never }), 'agents must be an object'],
  ])('%s', async ([, refused, message]) => {
    const error: unknown = await Promise.resolve()
      .then(refused)
      .catch((thrown: unknown) => thrown)
    expect(String(error)).toContain(message)
  })

  test.for([
    ':memory:',
    'file::memory:',
    'libsql://db.turso.io',
    'https://host/db',
    'mastra.db',
    'file:',
    'file://host/db',
    'file:a.db?mode=ro',
  ])('the URL %s', (url) => {
    expect(() => new LibSQLStore({ url })).toThrow(ConfigurationError)
    expect(() => new LibSQLStore({ url })).toThrow(`not ${JSON.stringify(url)}`)
  })
})

describe('models', () => {
  test('one of the AI SDK is adapted, one of troupe is taken, a function chooses for each run', async () => {
    const sdk = languageModel({ content: [{ type: 'text', text: 'Of the SDK.' }] })
    expect((await new Agent({ id: 'sdk', model: sdk }).generate('Go')).text).toBe('Of the SDK.')
    expect((await solo(answering('Of troupe.')).generate('Go')).text).toBe('Of troupe.')
    const chosen = new Agent({
      id: 'chosen',
      instructions: ({ requestContext }) => `For ${String(requestContext.get('user'))}.`,
      model: async ({ runtimeContext }) => answering(`Hi ${String(runtimeContext.get('user'))}.`),
    })
    expect((await chosen.generate('Go', { requestContext: new Map([['user', 'ann']]) })).text).toBe('Hi ann.')
    expect((await chosen.generate('Go', { runtimeContext: { user: 'bob' } })).text).toBe('Hi bob.')
  })
})

describe('a run', () => {
  test('that fails rejects generate, and the text and the parts of a stream', async () => {
    const failing = () => solo(answering({ error: new Error('No.') }))
    await expect(failing().generate('Go')).rejects.toMatchObject({ message: 'No.' })
    const stream = await failing().stream('Go')
    await expect(stream.text).rejects.toMatchObject({ message: 'No.' })
    await expect(allOf(stream.textStream)).rejects.toMatchObject({ message: 'No.' })
    const chunks = await allOf(stream.fullStream)
    expect(chunks.map(({ type }) => type).filter((type) => /error|finish/.test(type))).toEqual([
      'error',
      'step-finish',
      'finish',
    ])
    expect(chunks.at(-1)?.payload).toMatchObject({ finishReason: 'error' })
  })

  test('that fails and is read by nobody is reported once', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    const { promise, resolve } = Promise.withResolvers<void>()
    warn.mockImplementation((line) => {
      if (String(line).includes('nobody')) resolve()
    })
    await solo(answering({ error: new Error('No.') })).stream('Go')
    await promise
    const lines = warn.mock.calls.map(([line]) => String(line).replace(/"[\w-]{21}"/, '"…"'))
    warn.mockRestore()
    expect(lines).toEqual([
      'troupe: the model "scripted/scripted" of the agent "solo" threw, in the run "…" at "solo"',
      'troupe: the run "…" has failed, and nobody has read its text, its chunks or its result',
    ])
  })

  test('makes no more model calls than maxSteps, and none for an answer', async () => {
    const look = createTool({ id: 'look', execute: () => 'seen' })
    const model = scriptedModel([], { otherwise: calls({ name: 'look', args: {} }) })
    const result = await solo(model, { tools: { look } }).generate('Go', { maxSteps: 3 })
    expect([model.calls.length, result.finishReason]).toEqual([3, 'tool-calls'])
    const five = scriptedModel([], { otherwise: calls({ name: 'look', args: {} }) })
    await solo(five, { tools: { look } }).generate('Go')
    expect(five.calls.length).toBe(5)
  })

  test('whose completion is unmet ends, unless it is to go on', async () => {
    const never = createScorer({ id: 'never' }).generateScore(() => 0)
    const once = answering('One.', 'Two.')
    await solo(once).generate('Go', { completion: { scorers: [never] } })
    expect(once.calls.length).toBe(1)
    const twice = answering('One.', 'Two.')
    await solo(twice).generate('Go', { isTaskComplete: { scorers: [never] }, maxSteps: 2 })
    expect(twice.calls.length).toBe(2)
  })

  test('gives an object of the schema', async () => {
    const schema = z.object({ city: z.string() })
    const { object } = await solo(answering('{"city":"Oslo"}')).generate('Where?', {
      structuredOutput: { schema },
    })
    expect(object?.city).toBe('Oslo')
  })

  test('with an empty reply asks once more, and gives the text of the second', async () => {
    const stream = await solo(answering('', 'Hi.')).stream('Go')
    expect((await allOf(stream.textStream)).join('')).toBe('Hi.')
  })

  test('that is aborted ends so', async () => {
    const { promise } = Promise.withResolvers<void>()
    const controller = new AbortController()
    const stream = await solo(answering({ text: 'Late.', until: promise })).stream('Go', {
      abortSignal: controller.signal,
    })
    controller.abort()
    expect(await stream.finishReason).toBe('abort')
  })

  test('takes the options of its agent where it has none of its own', async () => {
    const ends: string[] = []
    const agent = solo(answering('One.', 'Two.', 'Three.'), {
      defaultOptions: {
        onIterationComplete: ({ text }: { readonly text: string }) => {
          ends.push(text)
          return { continue: true }
        },
      },
    })
    await agent.generate('Go')
    await agent.generate('Go', { onIterationComplete: () => undefined })
    expect(ends).toEqual(['One.'])
  })

  test('may be read twice, each time from its beginning', async () => {
    const stream = await solo(answering('Hello you.')).stream('Go')
    const read = async () => (await allOf(stream.textStream)).join('')
    expect([await read(), await read()]).toEqual(['Hello you.', 'Hello you.'])
    expect((await allOf(stream)).map(({ type }) => type)).toContain('finish')
  })
})

describe('subagents', () => {
  const nested = () => {
    const look = createTool({ id: 'look', description: 'Looks.', execute: () => 'seen' })
    const scout = new Agent({
      id: 'scout',
      model: answering(calls({ name: 'look', args: {} }), 'It is there.'),
      tools: { look },
    })
    const middle = new Agent({
      id: 'middle',
      model: answering(calls(to('scout', 'Look.')), 'Seen.'),
      agents: { scout },
    })
    return new Agent({
      id: 'top',
      model: answering(calls(to('middle', 'Ask.')), 'So it is.'),
      agents: { middle },
    })
  }

  test('stand within the calls that delegate to them, level by level', async () => {
    const stream = await nested().stream('Go')
    const chunks = await allOf(stream.fullStream)
    const own = chunks.flatMap((chunk) => (chunk.type === 'text-delta' ? [chunk.payload.text] : []))
    expect(own.join('')).toBe('So it is.')
    const shownAt = (chunk: { readonly type: string; readonly payload: unknown }): string => {
      const { name, output, text } = chunk.payload as {
        readonly name?: string
        readonly text?: string
        readonly output: { readonly type: string; readonly payload: unknown }
      }
      if (chunk.type === 'tool-output') return `${name} > ${shownAt(output)}`
      return [chunk.type, name ?? text].filter((part) => part !== undefined).join(' ')
    }
    const within = chunks.filter(({ type }) => type === 'tool-output').map(shownAt)
    expect(within.filter((line) => /text-delta|tool-(call|result)/.test(line))).toEqual([
      'agent-middle > tool-call agent-scout',
      'agent-middle > agent-scout > tool-call look',
      'agent-middle > agent-scout > tool-result look',
      'agent-middle > agent-scout > text-delta It is there.',
      'agent-middle > tool-result agent-scout',
      'agent-middle > text-delta Seen.',
    ])
  })

  test('give the results of their own tools to the result of the call', async () => {
    const { toolResults } = await nested().generate('Go')
    expect(toolResults).toMatchObject([
      {
        toolName: 'agent-middle',
        result: {
          text: 'Seen.',
          subAgentToolResults: [
            {
              toolName: 'agent-scout',
              result: { text: 'It is there.', subAgentToolResults: [{ toolName: 'look', result: 'seen' }] },
            },
          ],
        },
      },
    ])
  })

  test('may be agents of troupe; one without a description is described by its instructions', async () => {
    const model = answering('Never asked.')
    const plain = createAgent({ id: 'plain', description: 'Is plain.', model })
    const lead = answering('Hi.')
    const desk = new Agent({
      id: 'desk',
      model: lead,
      agents: {
        plain,
        told: new Agent({ id: 'told', model, instructions: 'Tell all.' }),
        mute: new Agent({}),
      },
    })
    await desk.generate('Go')
    expect(lead.calls[0]?.request.tools.map(({ description }) => description)).toEqual([
      'Delegate a task to the agent "plain": Is plain.',
      'Delegate a task to the agent "told": Delegate to told agent: Tell all.',
      'Delegate a task to the agent "mute": Delegate to mute agent',
    ])
  })

  test('that a function chooses are those of the run, of the same Mastra', async () => {
    const kid = new Agent({ id: 'kid', model: answering('Hello.') })
    const desk = new Agent({
      id: 'desk',
      model: answering(calls(to('kid', 'Hi')), 'So.'),
      agents: async ({ requestContext }): Promise<Record<string, Agent>> =>
        requestContext.get('kids') === true ? { kid } : {},
    })
    void new Mastra({ agents: { desk, kid } })
    const { result } = await desk.generate('Go', { requestContext: { kids: true } })
    expect(result.delegations.map(({ agent, text }) => [agent, text])).toEqual([['kid', 'Hello.']])
  })
})

describe('a call that waits', () => {
  const paying = (memory?: Memory) => {
    const pay = createTool({
      id: 'pay',
      description: 'Pays.',
      inputSchema: z.object({ to: z.string() }),
      requireApproval: true,
      execute: ({ to: name }) => `paid ${name}`,
    })
    const model = scriptedModel([], {
      otherwise: ({ messages }) => {
        const last = messages.at(-1)
        return last?.role === 'tool'
          ? `So: ${textOf(last.content)}`
          : calls({ name: 'pay', args: { to: 'ann' } })
      },
    })
    return new Agent({ id: 'cashier', model, tools: { pay }, ...(memory && { memory }) })
  }

  test('ends the stream; the answer begins the next one, which has only what follows', async () => {
    const agent = paying()
    const stream = await agent.stream('Pay')
    const types = (await allOf(stream.fullStream)).map(({ type }) => type)
    expect(types.slice(-2)).toEqual(['tool-call-approval', 'suspended'])
    expect(await stream.finishReason).toBe('suspended')
    const more = await agent.approveToolCall({ runId: stream.runId })
    const after = (await allOf(more.fullStream)).map(({ type }) => type)
    expect(after).not.toContain('tool-call-approval')
    expect(after.at(-1)).toBe('finish')
    expect(await more.text).toBe('So: paid ann')
    await expect(agent.approveToolCall({ runId: stream.runId })).rejects.toThrow('0 calls of the run')
  })

  test('may be denied, and two runs do not touch each other', async () => {
    const agent = paying()
    const [one, two] = [await agent.stream('Pay'), await agent.stream('Pay')]
    await Promise.all([one.result, two.result])
    const [no, yes] = await Promise.all([
      agent.declineToolCall({ runId: one.runId }),
      agent.approveToolCall({ runId: two.runId }),
    ])
    expect(await yes.text).toBe('So: paid ann')
    expect(await no.text).toMatch(/^So: \{"error":/)
  })

  test('is answered by another process of the same file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mastra-'))
    const memory = () =>
      new Memory({ storage: new LibSQLStore({ url: `file://${folder}/runs%20of%20all.db` }) })
    const first = paying(memory())
    const stream = await first.stream('Pay')
    expect(await stream.finishReason).toBe('suspended')
    await (await first.troupe()).close()
    const second = paying(memory())
    const more = await second.approveToolCall({ runId: stream.runId })
    expect(await more.text).toBe('So: paid ann')
    await (await second.troupe()).close()
    rmSync(folder, { recursive: true })
  })

  test('for data of a schema is given it in the place of Mastra, and refuses other data', async () => {
    const ask = createTool({
      id: 'ask',
      inputSchema: z.object({}),
      suspendSchema: z.object({ reason: z.string() }),
      resumeSchema: z.object({ approved: z.boolean() }),
      execute: async (_, { agent }) => {
        const { resumeData: { approved } = {}, suspend } = agent
        return approved === undefined ? suspend({ reason: agent.agentId }) : `approved: ${approved}`
      },
    })
    const model = scriptedModel([], {
      otherwise: ({ messages }) => {
        const last = messages.at(-1)
        return last?.role === 'tool' ? textOf(last.content) : calls({ name: 'ask', args: {} })
      },
    })
    const agent = solo(model, { tools: { ask } })
    const asked = await agent.generate('Go')
    expect(asked.suspendPayload).toEqual({ reason: 'solo' })
    expect(await (await agent.resumeStream({ approved: false }, { runId: asked.runId })).text).toBe(
      'approved: false',
    )
    const again = await agent.generate('Go')
    const wrong = await agent.resumeStream({ approved: 'yes' }, { runId: again.runId })
    expect(await wrong.text).toMatch(/^\{"error":/)
  })

  test('for approval may be resumed with it', async () => {
    const answers = [{ approved: true }, { approved: false }, null].map(async (data) => {
      const agent = paying()
      const { runId } = await agent.generate('Pay')
      return (await agent.resumeStream(data, { runId })).text
    })
    const [yes, no, nothing] = await Promise.all(answers)
    expect(yes).toBe('So: paid ann')
    expect([no, nothing]).toEqual([expect.stringContaining('denied'), expect.stringContaining('denied')])
  })

  test('for data goes on with it', async () => {
    const ask = createTool({
      id: 'ask',
      execute: (_, { resumeData, suspend }) => resumeData ?? suspend({ question: 'Which one?' }),
    })
    const model = answering(calls({ name: 'ask', args: {} }), 'Thank you.')
    const agent = solo(model, { tools: { ask } })
    const asked = await agent.generate('Go')
    expect([asked.finishReason, asked.suspendPayload]).toEqual(['suspended', { question: 'Which one?' }])
    const more = await agent.resumeStream('the red one', { runId: asked.runId })
    expect(await more.text).toBe('Thank you.')
    expect(shown(model, 2).at(-1)?.content).toBe('the red one')
  })
})

describe('Mastra', () => {
  test('gives agents their ids, its storage and its versions', async () => {
    const storage = memoryStore()
    const kid = new Agent({ id: 'kid', description: 'Helps.', model: answering('Old.') })
    const next = new Agent({ id: 'kid', version: '2', description: 'Helps.', model: answering('New.') })
    const desk = new Agent({
      model: answering(calls(to('kid', 'Hi')), 'So.'),
      agents: { kid },
      memory: new Memory({
        options: { lastMessages: 3, workingMemory: { enabled: true, template: 'Name:' } },
      }),
    })
    const mastra = new Mastra({
      agents: { desk, next },
      storage,
      versions: { agents: { kid: { versionId: '2' } } },
      backgroundTasks: { enabled: true },
    })
    expect([mastra.getAgent('desk'), mastra.getAgentById('kid')]).toEqual([desk, next])
    const { result } = await desk.generate('Go', { memory: { thread: { id: 't' }, resource: 'ann' } })
    expect(result.delegations.map(({ text }) => text)).toEqual(['New.'])
    expect((await storage.list('runs', {})).items.map((run) => 'agent' in run && run.agent)).toEqual(['desk'])
    expect((await storage.memory.threads({})).map(({ resourceId }) => resourceId)).toEqual(['ann'])
  })
})

describe('a network', () => {
  const decision = (primitiveId: string, primitiveType: string, prompt = 'Go.') =>
    JSON.stringify({ primitiveId, primitiveType, prompt, selectionReason: 'Why not.' })

  test('takes primitives and memory of the run beside those of the agent', async () => {
    const look = createTool({ id: 'look', description: 'Looks.', execute: () => 'seen' })
    const model = answering(decision('look', 'tool', '{}'), decision('none', 'none', 'It is seen.'))
    const desk = new Agent({ id: 'desk', model, agents: { kid: new Agent({ id: 'kid', model }) } })
    const invoked: (string | undefined)[] = []
    const stream = await desk.network('Go', {
      tools: { look },
      memory: new Memory(),
      maxIterations: 4,
      onIterationComplete: ({ subAgentInvoked }) => void invoked.push(subAgentInvoked),
    })
    expect(await stream.text).toBe('It is seen.')
    expect(invoked).toEqual([undefined, undefined])
    const routed = (await allOf(stream)).flatMap((chunk) =>
      chunk.type === 'routing-decision' ? [chunk.payload.primitiveId] : [],
    )
    expect(routed).toEqual(['look', 'none'])
    const [result] = (await allOf(stream)).filter(({ type }) => type.startsWith('network-'))
    expect(result?.payload).toEqual({ result: 'It is seen.' })
  })

  test('goes on while its completion is unmet', async () => {
    const model = answering(decision('kid', 'agent'), decision('kid', 'agent'))
    const kid = new Agent({ id: 'kid-agent', model: answering('Short.', 'Long enough.') })
    const desk = new Agent({ id: 'desk', model, agents: { kid }, memory: new Memory() })
    const lengthy = createScorer({ id: 'lengthy' }).generateScore(({ output }) => (output.length > 8 ? 1 : 0))
    const stream = await desk.network('Go', { completion: { scorers: [lengthy], strategy: 'all' } })
    expect((await allOf(stream.textStream)).join('')).toBe('Long enough.')
  })
})

describe('a network that waits for a person', () => {
  const decide = (primitiveId: string, primitiveType: string, prompt: string) =>
    JSON.stringify({ primitiveId, primitiveType, prompt, selectionReason: 'Why not.' })

  function cashier(model: ChatModel, memory: Memory = new Memory()) {
    const pay = createTool({
      id: 'pay',
      description: 'Pays.',
      requireApproval: true,
      execute: () => 'paid',
    })
    return { desk: new Agent({ id: 'desk', model, tools: { pay }, memory }), pay }
  }

  const steps = () => answering(decide('pay', 'tool', '{}'), decide('none', 'none', 'It is paid.'))

  test('is answered, and the next stream is that of a network', async () => {
    const { desk } = cashier(steps())
    const stream = await desk.network('Pay')
    expect((await allOf(stream)).at(-1)?.type).toBe('suspended')
    const more = await desk.approveToolCall({ runId: stream.runId })
    const types = (await allOf(more)).map(({ type }) => type)
    expect(types.filter((type) => type.startsWith('network-'))).toHaveLength(1)
    expect(await more.text).toBe('It is paid.')
    await expect(desk.approveToolCall({ runId: stream.runId })).rejects.toThrow('0 calls of the run')
  })

  test('gives no answer that its scorers reject, also after the answer of the person', async () => {
    const longer = createScorer({ id: 'longer' }).generateScore(({ output }) => (output.length > 8 ? 1 : 0))
    const model = answering(
      decide('pay', 'tool', '{}'),
      decide('none', 'none', 'Short.'),
      decide('none', 'none', 'Long enough.'),
    )
    const { desk } = cashier(model)
    const stream = await desk.network('Pay', { completion: { scorers: [longer], strategy: 'all' } })
    await allOf(stream)
    const more = await desk.approveToolCall({ runId: stream.runId })
    expect((await allOf(more.textStream)).join('')).toBe('Long enough.')
  })

  test('is answered where it had tools of its run', async () => {
    const { pay } = cashier(answering())
    const desk = new Agent({ id: 'desk', model: steps(), memory: new Memory() })
    const stream = await desk.network('Pay', { tools: { pay } })
    await allOf(stream)
    expect(await (await desk.approveToolCall({ runId: stream.runId })).text).toBe('It is paid.')
  })

  test('is answered by another process of the same file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mastra-'))
    const url = `file:${folder}/runs.db`
    await using server = await ModelServer.start(() => decide('pay', 'tool', '{}'))
    const { stdout } = await runProgram(`
      import { Agent, createTool, LibSQLStore, Memory } from 'troupe/mastra'
      const pay = createTool({ id: 'pay', description: 'Pays.', requireApproval: true, execute: async () => 'paid' })
      const memory = new Memory({ storage: new LibSQLStore({ url: '${url}' }) })
      const desk = new Agent({ id: 'desk', model: 'openai/gpt-5-mini', tools: { pay }, memory })
      const stream = await desk.network('Pay')
      for await (const chunk of stream) if (chunk.type === 'suspended') console.log(stream.runId)
    `)
    expect(server.asked).toHaveLength(1)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 }) // the lease of the process has run out
    onTestFinished(() => void vi.useRealTimers())
    const memory = new Memory({ storage: new LibSQLStore({ url }) })
    const { desk } = cashier(answering(decide('none', 'none', 'It is paid.')), memory)
    await expect(desk.approveToolCall({ runId: 'unknown' })).rejects.toThrow('unknown')
    expect(await (await desk.approveToolCall({ runId: stdout.trim() })).text).toBe('It is paid.')
    rmSync(folder, { recursive: true })
  })
})

test('a Memory without storage is one memory for all its agents and networks', async () => {
  const memory = new Memory()
  const decide = (primitiveId: string, primitiveType: string) =>
    JSON.stringify({ primitiveId, primitiveType, prompt: 'Noted.', selectionReason: 'Why not.' })
  const router = answering(decide('kid', 'agent'), decide('none', 'none'))
  const kid = new Agent({ id: 'kid', model: answering('Yes.') })
  const desk = new Agent({ id: 'desk', model: router, memory, agents: { kid } })
  const model = answering('Ann.')
  const other = new Agent({ id: 'other', model, memory })
  const thread = { thread: { id: 't' }, resource: 'ann' }
  await (
    await desk.network('My name is Ann.', { memory: thread })
  ).result
  await other.generate('Who am I?', { memory: thread })
  const told = shown(model, 1).map(({ content }) => textOf(content))
  expect(told).toEqual(expect.arrayContaining(['My name is Ann.', 'Who am I?']))
})

test('a network knows the versions of the agents of its Mastra', async () => {
  const kid = new Agent({ id: 'kid', description: 'Helps.', model: answering('Old.') })
  const next = new Agent({ id: 'kid', version: '2', description: 'Helps.', model: answering('New.') })
  const decide = (primitiveId: string, primitiveType: string) =>
    JSON.stringify({ primitiveId, primitiveType, prompt: 'Go.', selectionReason: 'Why not.' })
  const model = answering(decide('kid', 'agent'), decide('none', 'none'))
  const desk = new Agent({ id: 'desk', model, agents: { kid }, memory: new Memory() })
  const mastra = new Mastra({ agents: { desk, next }, versions: { agents: { kid: { versionId: '2' } } } })
  const { result } = await (await mastra.getAgent('desk').network('Go')).result
  expect(result.delegations[0]?.text).toBe('New.')
})

test('a script ends by itself: its file is closed, and a wait keeps no process', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mastra-'))
  await using server = await ModelServer.start(({ tools, turn }) =>
    tools.length > 0 && turn === 0 ? { calls: [['pay', {}]] } : 'Done.',
  )
  const { code, stdout, stderr } = await runProgram(`
    import { Agent, createTool, LibSQLStore, Memory } from 'troupe/mastra'
    const pay = createTool({ id: 'pay', requireApproval: true, execute: async () => 'paid' })
    const memory = new Memory({ storage: new LibSQLStore({ url: 'file:${folder}/runs.db' }) })
    const agent = new Agent({ id: 'a', model: 'openai/gpt-5-mini', tools: { pay }, memory })
    const plain = new Agent({ id: 'b', model: 'openai/gpt-5-mini' })
    for await (const text of (await plain.stream('Go')).textStream) process.stdout.write(text)
    for await (const chunk of (await agent.stream('Go')).fullStream) if (chunk.type === 'suspended') console.log(' Waits.')
  `)
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'Done. Waits.\n', stderr: expect.anything() })
  expect(server.asked.length).toBe(2)
  rmSync(folder, { recursive: true })
})
