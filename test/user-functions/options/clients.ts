/** Functions of clients, sinks and reports: each row tells what came of the work, and what was told. */
import { InMemoryTransport } from '@modelcontextprotocol/client'
import { createAgent, createTroupe, memoryStore, openai, type Problem } from 'troupe'
import { a2aFetch, a2aHandler, agentCard, remoteAgent } from 'troupe/a2a'
import { defineChartAgent, defineEffect } from 'troupe/kit'
import { mcpConnection, mcpTools, type McpCallOptions } from 'troupe/mcp'
import { provenanceSink } from 'troupe/provenance'
import { evaluate, modelContract, replayRecording, scriptedModel, storeContract } from 'troupe/testing'
import { setup } from 'xstate'
import { calls, worker } from '../../support/agents/agents.ts'
import { inMinutes } from '../minutes.ts'
import { answeredBy, endOf, served, type Row } from './runs.ts'

const plain = worker('solo', [], { otherwise: 'Done.' }).agent

/** The journal and the events of a run that has ended. */
async function ended() {
  const troupe = createTroupe({ agents: [plain] })
  const run = await troupe.start(plain, 'Go')
  await run.result
  const [journal, { events }] = await Promise.all([troupe.journal(run.id), troupe.replay(run.id)])
  await troupe.close()
  return { journal, events }
}

/** The end of a run of an agent of another system, which is served in this process. */
async function remoteEnd(options: object): Promise<string> {
  return inMinutes(() =>
    endOf(
      remoteAgent({
        id: 'partner',
        description: 'Helps.',
        url: 'http://partner.test/a2a',
        retries: 0,
        fetch: theirs(),
        ...options,
      }),
    ),
  )
}

function theirs(): typeof fetch {
  const troupe = createTroupe({ agents: [plain] })
  const card = agentCard(plain, { endpoints: [{ url: 'http://partner.test/a2a', binding: 'JSONRPC' }] })
  const answer = a2aFetch(a2aHandler(plain, { troupe, card }), { authenticate: 'everybody' })
  return (target, init) => answer(new Request(target, init))
}

/** What was told to `onError`, behind what was seen. */
async function toldBeside(work: (onError: (problem: Problem) => void) => Promise<string>): Promise<string> {
  const problems: Problem[] = []
  const seen = await work((problem) => void problems.push(problem))
  await new Promise((resolve) => setImmediate(resolve))
  return problems.length === 0 ? seen : `${seen} told`
}

const completionResponse = (): Response =>
  Response.json({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'gpt',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Done.' } }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  })

/** A chart with one effect. */
const chartOf = (perform: () => unknown) =>
  setup({ actors: { work: defineEffect({ name: 'work', perform, timeout: 1000 }) } }).createMachine({
    initial: 'working',
    states: { working: { invoke: { src: 'work', input: {}, onDone: 'done' } }, done: { type: 'final' } },
    output: 'Done.',
  })

/** What the first case of a contract says. */
const firstOf = async ([first]: readonly { run(): Promise<void> }[]): Promise<string> =>
  inMinutes(async () => {
    await first?.run()
    return 'passed'
  })

export const clients: Readonly<Record<string, Row>> = {
  'RemoteAgentOptions.fetch': {
    drive: (given) => {
      const fetch = theirs()
      return remoteEnd({
        fetch: (...args: Parameters<typeof fetch>) => answeredBy(given, () => fetch(...args)),
      })
    },
    good: served,
  },
  'RemoteAgentOptions.headers': {
    drive: (headers) => remoteEnd({ headers }),
    good: { authorization: 'Bearer x' },
  },
  'OpenAIOptions.fetch': {
    drive: async (given) => {
      const asking = (fetch: () => never) =>
        createAgent({
          id: 'm',
          instructions: 'i',
          retries: 0,
          modelTimeout: 1000,
          model: openai('gpt', { apiKey: 'k', baseURL: 'http://x.test/v1', fetch }),
        }).generate('Go')
      await asking(() => answeredBy(() => served, completionResponse)) // the modules of the client are loaded
      return inMinutes(async () => {
        const result = await asking(() => answeredBy(given, completionResponse))
        return [result.outcome, ...('error' in result && result.error ? [result.error.code] : [])].join(' ')
      })
    },
    good: served,
  },
  'McpConnectionOptions.onState': {
    drive: (onState) =>
      toldBeside(async (onError) => {
        const connection = mcpConnection({ transport: () => new InMemoryTransport(), onState, onError })
        await connection.close()
        return connection.state
      }),
    good: undefined,
  },
  'McpToolsOptions.onProgress': {
    drive: (onProgress) =>
      toldBeside(async (onError) => {
        const client = {
          listTools: async () => ({ tools: [{ name: 'look', inputSchema: { type: 'object' as const } }] }),
          callTool: async (_call: object, options?: McpCallOptions) => {
            options?.onprogress?.({ progress: 1 })
            return { content: [{ type: 'text', text: 'seen' }] }
          },
        }
        const tools = await mcpTools(client, { onProgress, onError, onInterrupted: 'retry' })
        const looks = calls({ name: 'look', args: {} })
        return endOf(worker('desk', [looks, 'Done.'], { tools, retries: 0 }).agent)
      }),
    good: undefined,
  },
  'ProvenanceSinkOptions.write': {
    drive: (write) =>
      toldBeside(async (onError) => {
        const sink = provenanceSink({ write, onError })
        for (const event of (await ended()).events) sink.take(event)
        sink.end()
        return 'written'
      }),
    good: undefined,
  },
  'ReplayRecordingOptions.inspect': {
    drive: async (inspect) => {
      const { journal } = await ended()
      return String((await replayRecording(journal, { agents: [plain], inspect })).ok)
    },
    good: undefined,
  },
  'ChartAgentConfig.chart': {
    drive: (chart) => inMinutes(() => endOf(defineChartAgent({ id: 'c', chart }))),
    good: chartOf(() => 'worked'),
  },
  'EffectOptions.perform': {
    drive: (perform) => endOf(defineChartAgent({ id: 'c', chart: () => chartOf(perform) })),
    good: 'worked',
  },
  'ModelSubject.open': {
    drive: (open) => firstOf(modelContract({ open })),
    good: { model: scriptedModel([], { otherwise: 'Done.' }) },
  },
  'StoreSubject.open': {
    drive: (open) => firstOf(storeContract({ open })),
    get good() {
      return { store: memoryStore() }
    },
  },
  'EvaluationCase.user': {
    drive: (user) =>
      inMinutes(async () => {
        const { passed, cases } = await evaluate(plain, [{ name: 'one', prompt: 'Go', user, maxTurns: 2 }])
        return [passed, ...cases.flatMap(({ turns, reasons }) => [turns.length, ...reasons])].join(' ')
      }),
    good: 'More',
  },
  'EvaluationScorer.score': {
    drive: (score) =>
      inMinutes(async () => {
        const { passed, cases } = await evaluate(plain, [{ name: 'one', prompt: 'Go' }], {
          scorers: [{ id: 's', score }],
        })
        return [
          passed,
          ...cases.flatMap(({ scores }) => scores.flatMap(({ error }) => error?.code ?? [])),
        ].join(' ')
      }),
    good: 1,
  },
}
