/**
 * The programs that a user of Mastra writes, by the sections of the documents that Troupe answers to, in our words: each is
 * written against the names of Mastra, and its import alone is ours. The models answer over the protocol.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, createScorer, createTool, LibSQLStore, Mastra, Memory, type AgentConfig } from 'troupe/mastra'
import { describe, expect, test } from 'vitest'
import { ModelServer, type Asked, type Model, type Reply } from './model-server.ts'

const model = 'openai/gpt-5-mini'

/** The agent of the samples that have only a part of one. */
class WithModel extends Agent {
  constructor(config: AgentConfig) {
    super({ id: 'lead', model, ...config })
  }
}

const worker = (id: string, instructions: string) =>
  new Agent({ id, description: `Does ${id} work.`, instructions, model })
const finder = () => worker('find-agent', 'FIND')
const author = () => worker('text-agent', 'TEXT')
const team = () =>
  new Agent({ id: 'lead', instructions: 'LEAD', model, agents: { finder: finder(), author: author() } })

const to = (key: string, prompt: string) => [`agent-${key}`, { prompt }] as const

/** Steps of the agent that delegates; the others answer by their instructions. */
const lead =
  (...steps: readonly Reply[]): Model =>
  (asked) => {
    if (asked.tools.some((name) => name.startsWith('agent-'))) return steps[asked.turn] ?? 500
    return asked.system.includes('TEXT') ? 'A text.' : asked.system.includes('FIND') ? 'Facts.' : 'Hm.'
  }

const asksBoth: readonly Reply[] = [
  { text: 'I ask. ', calls: [to('finder', 'Find it.')] },
  { calls: [to('author', 'Write it.')] },
  'All is done.',
]

type Print = (text: string) => void

interface Sample {
  /** The document and the section. */
  readonly section: string
  readonly model: Model
  readonly program: (print: Print) => Promise<unknown>
  readonly prints: string
  readonly also?: (server: ModelServer) => void
}

const prompts = (server: ModelServer, system: string): string[] =>
  server.of(system).map(({ prompt }) => prompt)

const routes = (...keys: readonly string[]): Model => {
  let next = 0
  return (asked: Asked) =>
    asked.shape === undefined
      ? lead()(asked)
      : JSON.stringify({
          primitiveId: keys[next++],
          primitiveType: 'agent',
          prompt: 'Go.',
          selectionReason: 'It is its turn.',
        })
}

const sources = [1, 2, 3, 4, 5].map((n) => `Fact [${n}].`).join(' ')
const long = `The recommendations: ${'more '.repeat(220)}`

const samples: readonly Sample[] = [
  {
    section: '000 5.4',
    model: routes('finder', 'author'),
    program: async (print) => {
      const desk = new Agent({
        id: 'desk',
        model,
        agents: { finder: finder(), author: author() },
        memory: new Memory(),
      })
      const stream = await desk.network('A paper', {
        onIterationComplete: async (context) => {
          print(`${context.iteration} ${context.subAgentInvoked}; `)
          if (context.subAgentInvoked === 'author') return { continue: false }
          return { continue: true, feedback: 'Go on.' }
        },
      })
      for await (const chunk of stream) if (chunk.type === 'text-delta') print(chunk.payload.text)
    },
    prints: '1 finder; 2 author; A text.',
    also: (server) => expect(server.asked.length).toBe(4),
  },
  {
    section: '002 2.1',
    model: lead({ calls: [['add', { a: 1, b: 2 }], to('finder', 'Find it.')] }, 'Three.'),
    program: async (print) => {
      const add = createTool({
        id: 'add-numbers',
        description: 'Adds.',
        execute: async (input) => Number(input.a) + Number(input.b),
      })
      const desk = new Agent({
        id: 'lead',
        instructions: 'LEAD',
        model,
        agents: { finder: finder(), author: author() },
        tools: { add },
      })
      const { text, toolResults } = await desk.generate('Add')
      print(`${text} ${JSON.stringify(toolResults.map(({ toolName, result }) => [toolName, result]))}`)
    },
    prints:
      'Three. [["add",3],["agent-finder",{"text":"Facts.","subAgentThreadId":"…","subAgentToolResults":[]}]]',
    also: (server) => expect(server.of('LEAD')[0]?.tools).toEqual(['add', 'agent-finder', 'agent-author']),
  },
  {
    section: '002 4.2',
    model: lead(
      ...Array.from({ length: 9 }, (_, n) => ({ text: `${n + 1} `, calls: [to('finder', 'More.')] })),
    ),
    program: async (print) => {
      const result = await team().stream('A paper', {
        maxSteps: 20,
        stopWhen: [({ text }) => text.includes('# End'), ({ stepCount }) => stepCount >= 3],
      })
      print(`${await result.text}${await result.finishReason}`)
    },
    prints: '3 stop',
    also: (server) => expect(server.of('LEAD').length).toBe(3),
  },
  {
    section: '002 5.2',
    model: lead({ calls: [to('finder', 'a'), to('author', 'b'), to('finder', 'c')] }, 'All three.'),
    program: async (print) => {
      const result = await team().stream('Look at the data', { toolCallConcurrency: 3 })
      print(await result.text)
    },
    prints: 'All three.',
    also: (server) => expect(prompts(server, 'FIND').toSorted()).toEqual(['a', 'c']),
  },
  {
    section: '002 5.3',
    model: lead(...asksBoth),
    program: async (print) => {
      const result = await team().stream('A paper')
      for await (const chunk of result.fullStream) {
        if (chunk.type === 'text-delta') print(chunk.payload.text)
        if (chunk.type === 'tool-call') print(`[${chunk.payload.name}] `)
      }
    },
    prints: 'I ask. [agent-finder] [agent-author] All is done.',
  },
  {
    section: '003 feature 1',
    model: lead('Short.', 'Long enough, I hope.', sources),
    program: async (print) => {
      const cited = createScorer({ id: 'cited', name: 'Cited' }).generateScore(async ({ output }) =>
        output.includes('[1]') ? 1 : 0,
      )
      const lengthy = createScorer({ id: 'lengthy' }).generateScore(({ output }) =>
        output.length > 8 ? 1 : 0,
      )
      const result = await team().stream('A paper', {
        completion: { scorers: [cited, lengthy], strategy: 'all', continueOnFail: true, feedbackToLLM: true },
      })
      for await (const text of result.textStream) print(text)
    },
    prints: sources,
    also: (server) => expect(server.asked[1]?.prompt).toMatch(/\n- cited: score 0\n- lengthy: score 0\n/),
  },
  {
    section: '003 feature 2',
    model: lead('No sources.', sources),
    program: async (print) => {
      const result = await team().stream('A paper', {
        onIterationComplete: async ({ allSteps }) => {
          const count =
            allSteps
              .map((step) => step.text)
              .join(' ')
              .match(/\[\d\]/g)?.length ?? 0
          return count >= 5 ? { continue: false } : { continue: true, feedback: 'Cite more.' }
        },
      })
      for await (const text of result.textStream) print(text)
    },
    prints: sources,
    also: (server) => expect(prompts(server, 'LEAD')).toEqual(['A paper', 'Cite more.']),
  },
  {
    section: '003 feature 3',
    model: (asked) =>
      (asked.tools.length > 0 ? lead('', '', { calls: [to('finder', 'Find it.')] }, 'So.') : lead())(asked),
    program: async (print) => {
      const supervisor = new WithModel({
        agents: { finder: finder() },
        subAgentContext: { includeConversationHistory: true, filterInternalMessages: true, maxMessages: 3 },
      })
      const earlier = ['One', 'Two'].flatMap((content) => [
        { role: 'user' as const, content },
        { role: 'assistant' as const, content: `${content}!` },
      ])
      const { text } = await supervisor.generate([...earlier, { role: 'user', content: 'Now' }])
      print(text)
    },
    prints: 'So.',
    also: (server) =>
      expect(server.of('FIND')[0]?.messages.map(({ content }) => content)).toEqual([
        'FIND',
        'Two',
        'Two!',
        'Now',
        'Find it.',
      ]),
  },
  {
    section: '003 feature 4, observing',
    model: lead(...asksBoth),
    program: async (print) => {
      const result = await team().stream('A paper', {
        onDelegationStart: ({ agentName, prompt }) => print(`→ ${agentName}: ${prompt} `),
        onDelegationComplete: ({ agentName, duration }) => print(`← ${agentName} ${typeof duration} `),
      })
      print(await result.text)
    },
    prints: '→ finder: Find it. ← finder number → author: Write it. ← author number All is done.',
  },
  {
    section: '003 feature 4, controlling',
    model: lead({ calls: [to('finder', 'Find it.')] }, { calls: [to('author', 'Write it.')] }),
    program: async (print) => {
      const result = await team().stream('A paper', {
        onDelegationStart: async ({ agentName, prompt }) =>
          agentName === 'finder'
            ? { proceed: false, rejectionReason: 'Not for free' }
            : { proceed: true, modifiedPrompt: `${prompt} In short.` },
        onDelegationComplete: async ({ result, bail }) => {
          if (result.text.includes('text')) bail()
        },
      })
      for await (const chunk of result.fullStream) {
        if (chunk.type === 'delegation-rejected')
          print(`no ${chunk.payload.agentName}: ${chunk.payload.reason}; `)
        if (chunk.type === 'text-delta') print(chunk.payload.text)
      }
    },
    prints: 'no finder: Not for free; A text.',
    also: (server) => {
      expect(prompts(server, 'TEXT')).toEqual(['Write it. In short.'])
      expect(server.of('LEAD')[1]?.messages.at(-1)?.content).toBe(
        '{"error":"Delegation rejected: Not for free","rejected":true}',
      )
      expect(server.of('FIND')).toEqual([])
    },
  },
  {
    section: '003 part 5',
    model: (asked) =>
      asked.system === 'TEXT'
        ? `${sources} ## Sources`
        : lead({ text: 'I see. ', calls: [to('finder', 'Find it.')] }, 'No sources.', {
            calls: [to('author', 'Write it.')],
          })(asked),
    program: async (print) => {
      const cited = createScorer({ id: 'cited', name: 'Cited' }).generateScore(async ({ output }) => {
        const count = new Set(output.match(/\[\d+\]/g)).size
        return { score: count >= 5 ? 1 : 0, reason: `${count} of 5` }
      })
      const supervisor = new Agent({
        id: 'paper-lead',
        instructions: 'LEAD',
        model: 'openai/gpt-4',
        agents: { finder: finder(), author: author() },
        subAgentContext: { includeConversationHistory: true, filterInternalMessages: true, maxMessages: 15 },
      })
      const result = await supervisor.stream('A paper', {
        maxSteps: 20,
        completion: { scorers: [cited], strategy: 'all', continueOnFail: true },
        onDelegationStart: async ({ prompt }) => ({ proceed: true, modifiedPrompt: `${prompt} In use.` }),
        onDelegationComplete: async ({ agentName, result: { text }, bail }) => {
          if (agentName === 'author' && text.includes('## Sources')) bail()
        },
        onIterationComplete: async ({ iteration, subAgentsInvoked }) => {
          print(`(${iteration}: ${subAgentsInvoked.join(', ')}) `)
          return { continue: true }
        },
      })
      for await (const chunk of result.fullStream) {
        if (chunk.type === 'delegation-start') print(`→ ${chunk.payload.agentName} `)
        if (chunk.type === 'delegation-bail') print(`! ${chunk.payload.agentName} `)
        if (chunk.type === 'text-delta') print(chunk.payload.text)
      }
    },
    prints: `I see. → finder (1: finder) (2: finder) → author ! author ${sources} ## Sources`,
    also: (server) => {
      expect(server.of('LEAD').map((asked) => asked.model)).toEqual(['gpt-4', 'gpt-4', 'gpt-4'])
      expect(server.of('LEAD')[2]?.prompt).toBe(
        'The task is not complete yet. Unmet criteria:\n- cited: score 0. 0 of 5\nImprove the answer accordingly.',
      )
    },
  },
  {
    section: '004 quickstart',
    model: (asked) => (asked.tools.length > 0 ? lead(...asksBoth)(asked) : 'Hm.'),
    program: async (print) => {
      const folder = mkdtempSync(join(tmpdir(), 'mastra-'))
      const storage = new LibSQLStore({ id: 'storage', url: `file:${folder}/mastra.db` })
      const desk = new Agent({
        id: 'desk',
        instructions: 'LEAD',
        model: 'openai/gpt-5.4',
        agents: {
          finder: new Agent({ id: 'find-agent', description: 'Finds facts.', model }),
          author: new Agent({ id: 'text-agent', description: 'Writes texts.', model }),
        },
        memory: new Memory({ storage }),
      })
      const stream = await desk.stream('A paper', { maxSteps: 10 })
      for await (const text of stream.textStream) print(text)
      const troupe = await desk.troupe()
      const [thread] = await troupe.memory.threads()
      const kept = await troupe.memory.messages(thread?.id ?? '')
      print(` ${JSON.stringify(kept.map(({ content }) => content))}`)
      await troupe.close()
      rmSync(folder, { recursive: true })
    },
    prints: 'I ask. All is done. ["A paper","All is done."]',
    also: (server) =>
      expect(new Set(server.asked.map((asked) => asked.model))).toEqual(new Set(['gpt-5.4', 'gpt-5-mini'])),
  },
  {
    section: '004 onDelegationStart',
    model: lead(
      { calls: [to('finder', 'Find it.')] },
      ...Array.from({ length: 3 }, () => ({ calls: [to('author', 'Write it.')] })),
      'Done.',
    ),
    program: async (print) => {
      const stream = await team().stream('A paper', {
        maxSteps: 10,
        delegation: {
          onDelegationStart: async (context) => {
            print(`${context.primitiveId} `)
            if (context.primitiveId === 'find-agent')
              return { proceed: true, modifiedPrompt: `${context.prompt} This year.`, modifiedMaxSteps: 5 }
            if (context.iteration > 3) return { proceed: false, rejectionReason: 'Enough.' }
            return { proceed: true }
          },
        },
      })
      print(await stream.text)
    },
    prints: 'find-agent text-agent text-agent text-agent Done.',
    also: (server) => {
      expect(prompts(server, 'FIND')).toEqual(['Find it. This year.'])
      expect(prompts(server, 'TEXT').length).toBe(2)
    },
  },
  {
    section: '004 onDelegationComplete',
    model: (asked) => (asked.tools.length > 0 ? lead({ calls: [to('finder', 'Find it.')] })(asked) : 400),
    program: async (print) => {
      const stream = await team().stream('A paper', {
        maxSteps: 10,
        delegation: {
          onDelegationComplete: async (context) => {
            print(`${context.primitiveId}: ${String(context.error)}. `)
            if (context.error) {
              context.bail()
              return { feedback: `${context.primitiveId} failed.` }
            }
          },
        },
      })
      for await (const text of stream.textStream) print(text)
    },
    prints:
      'find-agent: Model "gpt-5-mini" answered 400: The archive is closed.. The agent "find-agent" did not finish its task.',
    also: (server) => expect(server.of('LEAD').length).toBe(1),
  },
  {
    section: '004 messageFilter',
    model: (asked) =>
      (asked.tools.length > 0 ? lead('', { calls: [to('finder', 'Find it.')] }, 'So.') : lead())(asked),
    program: async (print) => {
      const prompt = [
        { role: 'user' as const, content: 'This is confidential.' },
        { role: 'assistant' as const, content: 'I see.' },
        { role: 'user' as const, content: 'A paper' },
      ]
      const stream = await team().stream(prompt, {
        maxSteps: 10,
        delegation: {
          messageFilter: ({ messages, primitiveId, prompt: task }) => {
            print(`${primitiveId}: ${task} `)
            return messages
              .filter(
                ({ content }) =>
                  !(typeof content === 'string' ? content : JSON.stringify(content)).includes('confidential'),
              )
              .slice(-10)
          },
        },
      })
      print(await stream.text)
    },
    prints: 'find-agent: Find it. So.',
    also: (server) =>
      expect(server.of('FIND')[0]?.messages.map(({ content }) => content)).toEqual([
        'FIND',
        'I see.',
        'A paper',
        'Find it.',
      ]),
  },
  {
    section: '004 results in the context of the model',
    model: lead({ calls: [to('finder', 'Find it.')] }, 'So.'),
    program: async (print) => {
      const { text } = await team().generate('A paper', {
        delegation: { includeSubAgentToolResultsInModelContext: true },
      })
      print(text)
    },
    prints: 'So.',
    also: (server) =>
      expect(server.of('LEAD')[1]?.messages.at(-1)?.content).toMatch(
        /^\{"text":"Facts\.","threadId":"[^"]+","toolResults":\[\]\}$/,
      ),
  },
  {
    section: '004 onIterationComplete',
    model: lead('A draft.', { text: 'The recommendations: ', calls: [to('finder', 'Find them.')] }, long),
    program: async (print) => {
      const stream = await team().stream('A paper', {
        maxSteps: 10,
        onIterationComplete: async (context) => {
          print(`${context.iteration}/${context.maxIterations} ${context.finishReason} `)
          if (!context.text.includes('recommendations'))
            return { continue: true, feedback: 'Recommend something.' }
          if (context.text.length > 1000 && context.finishReason === 'stop') return { continue: false }
          return { continue: true }
        },
      })
      print(`${(await stream.text) === long}`)
    },
    prints: '1/10 stop 2/10 tool-calls 3/10 stop true',
    also: (server) => expect(server.of('LEAD')[1]?.prompt).toBe('Recommend something.'),
  },
  {
    section: '004 approvals',
    model: (asked) =>
      asked.tools.includes('record') && asked.turn === 0
        ? { calls: [['record', { userId: '7' }]] }
        : asked.tools.includes('record')
          ? `It says ${asked.messages.at(-1)?.content}.`
          : lead({ calls: [to('dataAgent', 'Get it.')] }, 'Done.')(asked),
    program: async (print) => {
      const record = createTool({
        id: 'get-record',
        requireApproval: true,
        execute: async (input) => `record ${input.userId}`,
      })
      const dataAgent = new Agent({ id: 'data-agent', tools: { record } })
      const supervisor = new WithModel({ id: 'desk', agents: { dataAgent }, memory: new Memory() })
      const stream = await supervisor.stream('The record of user 7')
      for await (const chunk of stream.fullStream)
        if (chunk.type === 'tool-call-approval') print(`${chunk.payload.toolName}? `)
      const { runId } = stream
      const more = await supervisor.approveToolCall({ runId })
      for await (const text of more.textStream) print(text)
    },
    prints: 'record? Done.',
    also: (server) =>
      expect(server.asked.findLast(({ tools }) => tools.includes('record'))?.messages.at(-1)?.content).toBe(
        'record 7',
      ),
  },
  {
    section: '004 task completion',
    model: lead('An analysis.', 'An analysis with a recommendation.'),
    program: async (print) => {
      const whole = createScorer({ id: 'whole', name: 'Whole' }).generateScore(async (context) => {
        const text = context.run.output
        return text.includes('analysis') && text.includes('recommendation') ? 1 : 0
      })
      const stream = await team().stream('A paper', {
        maxSteps: 10,
        isTaskComplete: {
          scorers: [whole],
          strategy: 'all',
          onComplete: async (result) => print(`${result.complete} `),
        },
      })
      for await (const text of stream.textStream) print(text)
    },
    prints: 'false true An analysis with a recommendation.',
  },
  {
    section: '004 instructions',
    model: lead(...asksBoth),
    program: async (print) => {
      const desk = new WithModel({
        instructions: 'LEAD',
        agents: {
          finder: new Agent({ instructions: 'FIND' }),
          author: new Agent({ instructions: 'TEXT', description: 'Writes.' }),
        },
      })
      print((await desk.generate('A paper')).text)
    },
    prints: 'All is done.',
    also: (server) =>
      expect(server.asked.map((asked) => asked.system)).toEqual(['LEAD', 'FIND', 'LEAD', 'TEXT', 'LEAD']),
  },
  {
    section: '004 background',
    model: (asked) => {
      const isLead = asked.tools.includes('agent-finder')
      if (!isLead) return lead()(asked)
      if (asked.turn === 0) return { calls: [to('finder', 'Find it.'), to('author', 'Write it.')] }
      const known = ['Facts.', 'A text.'].filter((text) =>
        asked.messages.some(({ content }) => content?.includes(text)),
      )
      return known.length === 2 ? 'All is in.' : ''
    },
    program: async (print) => {
      const desk = new Agent({
        id: 'lead',
        instructions: 'LEAD',
        model: 'openai/gpt-5.4',
        agents: { finder: finder(), author: author() },
        backgroundTasks: {
          tools: {
            finder: { enabled: true, timeoutMs: 900_000 },
            author: { enabled: true, timeoutMs: 900_000 },
          },
        },
      })
      const stream = await desk.streamUntilIdle('A paper', { memory: { thread: 't1', resource: 'u1' } })
      print(await stream.text)
    },
    prints: 'All is in.',
  },
  {
    section: '004 versions',
    model: (asked) => (asked.system === 'DRAFT' ? 'A draft text.' : lead(...asksBoth)(asked)),
    program: async (print) => {
      const [found, written] = [finder(), author()]
      const draft = new Agent({
        id: 'text-agent',
        version: 'draft-456',
        status: 'draft',
        description: 'Writes.',
        instructions: 'DRAFT',
        model,
      })
      const desk = new Agent({
        id: 'lead',
        instructions: 'LEAD',
        model,
        agents: { finder: found, author: written },
      })
      void new Mastra({ agents: { desk, found, written, draft } })
      const result = await desk.generate('A paper', {
        versions: {
          agents: { 'find-agent': { status: 'published' }, 'text-agent': { versionId: 'draft-456' } },
        },
      })
      print(`${result.text} ${server.of('LEAD')[2]?.messages.at(-1)?.content}`)
    },
    prints: 'All is done. A draft text.',
    also: (given) => expect(given.of('TEXT')).toEqual([]),
  },
]

/** What the documents show besides: sources of Mastra, what a model sees, and interfaces, which are type tests. */
const others: Readonly<Record<string, string>> = {
  '000 2.2': 'source: the schema of a decision',
  '000 3.1': 'source: the loop of the network',
  '000 3.2': 'source: the filter of messages',
  '000 4.1': 'interface',
  '000 4.2': 'interface, and source: the scoring',
  '002 2.2': 'source: the tools of subagents',
  '002 3.2': 'what a model sees',
  '002 4.1': 'interface',
  '003 feature 1, API': 'interface',
  '003 feature 2, API': 'interface',
  '003 feature 4, API': 'interface',
  '003 feature 6': 'types of chunks',
  '003 part 3.5': 'source: the loop over calls; interface of bailStrategy; what a model sees of a rejection',
  '003 part 4': 'interfaces',
}

let server: ModelServer

describe('programs of a user', () => {
  test.for(samples.map((sample) => [sample.section, sample] as const))('%s', async ([, sample]) => {
    server = await ModelServer.start(sample.model)
    await using _server = server
    let printed = ''
    await sample.program((text) => {
      printed += text
    })
    expect(printed.replace(/"subAgentThreadId":"[^"]+"/, '"subAgentThreadId":"…"')).toBe(sample.prints)
    sample.also?.(server)
  })

  test('each section of the four documents is a program, or left out by name', () => {
    const sections = [...samples.map(({ section }) => section), ...Object.keys(others)]
    const count = (document: string) => sections.filter((section) => section.startsWith(document)).length
    expect(['000', '002', '003', '004'].map((document) => [document, count(document)])).toEqual([
      ['000', 6],
      ['002', 7],
      ['003', 12],
      ['004', 11],
    ])
    expect(new Set(sections).size).toBe(sections.length)
  })
})
