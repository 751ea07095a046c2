/**
 * Deferred tools: what the tools of a request cost beside all of them, how many requests find their tool among the first
 * five, beside other ways to search, and what a step costs where a hundred times as many tools are deferred. The corpus is the tools of GitHub's MCP
 * server, fetched at a pinned commit, or a folder of such files.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import {
  createAgent,
  createTool,
  createTroupe,
  deferTools,
  jsonSchema,
  type ModelReply,
  type Tool,
} from 'troupe'
import { ranked } from '../src/actors/deferred/rank.ts'
import { peersOver, type Finder } from './deferred/peers.ts'
import { requests } from './deferred/requests.ts'
import { median } from './support/statistics.ts'

const { values } = parseArgs({
  options: {
    corpus: { type: 'string' },
    rounds: { type: 'string', default: '15' },
    small: { type: 'string', default: '100' },
    large: { type: 'string', default: '10000' },
  },
})
const rounds = Number(values.rounds)
const commit = '64a49f34d076b6f5917dae1424521d43c7bcae84'
const folder = 'pkg/github/__toolsnaps__'
const run = promisify(execFile)

interface Listed {
  readonly name: string
  readonly description: string
  readonly inputSchema: Record<string, never>
}

async function fetched(): Promise<readonly Listed[]> {
  const root = await mkdtemp(join(tmpdir(), 'troupe-corpus-'))
  const git = (...args: readonly string[]) => run('git', ['-C', root, ...args])
  try {
    await git('init', '--quiet')
    await git('remote', 'add', 'origin', 'https://github.com/github/github-mcp-server.git')
    await git('fetch', '--quiet', '--depth', '1', '--filter=blob:none', 'origin', commit)
    await git('checkout', '--quiet', commit, '--', folder)
    return await readCorpus(join(root, folder))
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

async function readCorpus(path: string): Promise<readonly Listed[]> {
  const names = (await readdir(path)).toSorted()
  const texts = await Promise.all(names.map((name) => readFile(join(path, name), 'utf8')))
  return texts.map((text) => JSON.parse(text) as Listed)
}

const listed = values.corpus === undefined ? await fetched() : await readCorpus(values.corpus)
const described = listed.map(({ name, description, inputSchema }) => ({
  name,
  description,
  parameters: inputSchema,
}))

/** Every second request is of the half that settings may be chosen on; the others are held out. */
const halves = {
  all: requests,
  'chosen on': requests.filter((_, index) => index % 2 === 0),
  'held out': requests.filter((_, index) => index % 2 === 1),
}
const limits = [1, 5, 10] as const

function recallOf(find: Finder, asked: typeof requests): string {
  const places = asked.map(([request, ...tools]) =>
    find(request, 10).findIndex((name) => tools.includes(name)),
  )
  return limits
    .map((limit) => places.filter((place) => place >= 0 && place < limit).length)
    .map((hits) => ((100 * hits) / asked.length).toFixed(0))
    .join(' / ')
}

const ours: Finder = (request, limit) => ranked(described, request, limit)
console.log(`${listed.length} tools, ${requests.length} requests; recall@${limits.join(' / ')} in %`)
for (const [name, find] of [['deferTools', ours] as const, ...(await peersOver(described))]) {
  const cells = Object.entries(halves).map(([half, asked]) => `${half} ${recallOf(find, asked)}`)
  console.log(`  ${name}: ${cells.join(', ')}`)
}

/** Tokens by the usual estimate of four characters each. */
const tokens = (tools: unknown) => Math.round(JSON.stringify(tools).length / 4)
const search = deferTools({})['find-tools']
const searchTokens = tokens([
  { name: 'find-tools', description: search.description, parameters: search.parameters },
])
console.log(`tokens of the tools in a request: all ${tokens(described)}, the search alone ${searchTokens}`)

function toolsOf(count: number): Record<string, Tool> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const inputSchema = jsonSchema({ type: 'object', properties: { subject: { type: 'string' } } })
      const id = `tool_${index}`
      return [
        id,
        createTool({ id, description: `Works on subject ${index}.`, inputSchema, execute: () => 'done' }),
      ]
    }),
  )
}

const steps = 200
const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }

/** An agent that searches once, and then calls what it has found at each step. */
function agentWith(count: number) {
  const tools = deferTools(toolsOf(count), { search: () => ['tool_7'] })
  const model = {
    provider: 'bench',
    modelId: 'bench',
    generate: ({
      messages,
    }: {
      readonly messages: readonly { readonly role: string }[]
    }): Promise<ModelReply> => {
      const step = messages.reduce((sum, { role }) => sum + (role === 'assistant' ? 1 : 0), 0)
      if (step >= steps) return Promise.resolve({ text: 'Done.', toolCalls: [], finishReason: 'stop', usage })
      const call: { name: string; args: Record<string, string> } =
        step === 0 ? { name: 'find-tools', args: { query: 'x' } } : { name: 'tool_7', args: {} }
      const toolCalls = [{ id: `c${step}`, ...call }]
      return Promise.resolve({ text: '', toolCalls, finishReason: 'tool-calls', usage })
    },
  }
  return createAgent({ id: 'agent', instructions: '', model, tools, maxSteps: steps + 1 })
}

const sizes = { small: agentWith(Number(values.small)), large: agentWith(Number(values.large)) }

/** Milliseconds of CPU a step, without the start of the run. */
async function cpuOf(agent: (typeof sizes)['small']): Promise<number> {
  const troupe = createTroupe({ agents: [agent] })
  const handle = await troupe.start(agent, 'Go')
  let before: NodeJS.CpuUsage | undefined
  for await (const { type } of handle.events) if (type === 'step-start') before ??= process.cpuUsage()
  const { user, system } = process.cpuUsage(before)
  const { outcome } = await handle.result
  if (outcome !== 'completed') throw new Error(`The run is ${outcome}.`)
  await troupe.close()
  return (user + system) / 1_000 / steps
}

const samples: Record<keyof typeof sizes, number[]> = { small: [], large: [] }
for (let round = 0; round < rounds + 2; round++) {
  for (const size of round % 2 === 0 ? (['small', 'large'] as const) : (['large', 'small'] as const)) {
    const cpu = await cpuOf(sizes[size])
    if (round >= 2) samples[size].push(cpu)
  }
}
const [small, large] = [median(samples.small), median(samples.large)]
console.log(
  `a step with ${values.small} deferred tools: ${small.toFixed(3)} ms of CPU; with ${values.large}: ${large.toFixed(3)} ms; ratio ${(large / small).toFixed(2)}`,
)
