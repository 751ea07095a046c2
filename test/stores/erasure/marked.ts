/** A company whose every text, file, name and error bears a mark, and what finds the mark wherever a store has bytes. */
import {
  createAgent,
  createSupervisor,
  createTool,
  createTroupe,
  file,
  type AnyAgent,
  type ChatModel,
  type ModelRequest,
  type Store,
  type Troupe,
} from 'troupe'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { partnerWith, standingFor, type Partner } from '../../a2a/remote/partner.ts'
import { worker } from '../../support/agents/agents.ts'

export const mark = 'ZEBRAMARK'
export const ann = `${mark}-ann`

type Reply = { readonly text?: string; readonly toolCalls?: readonly unknown[] }

/** A model that answers by a function of the request. */
function modelOf(answer: (request: ModelRequest) => Reply | Promise<Reply>): ChatModel {
  return {
    provider: 'test',
    modelId: 'm',
    async generate(request) {
      const { text = '', toolCalls = [] } = await answer(request)
      return {
        text,
        toolCalls,
        finishReason: toolCalls.length > 0 ? 'tool-calls' : 'stop',
        usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
      } as Awaited<ReturnType<ChatModel['generate']>>
    },
  }
}

const results = ({ messages }: ModelRequest): number => messages.filter(({ role }) => role === 'tool').length

const q = z.object({ q: z.string() })
const bytes = (text: string) => new TextEncoder().encode(`${mark}-${text}`)

export interface Company {
  readonly lead: AnyAgent
  readonly helper: AnyAgent
  readonly reader: AnyAgent
  /** It says nothing with a mark. */
  readonly other: AnyAgent
  readonly partner: Partner
  /** The tool `wait` has begun. */
  readonly waiting: Promise<void>
  /** Lets it end. */
  readonly go: () => void
}

/** A lead with a subagent, a partner over A2A, a handoff, tools of every kind, and an agent whose conversation is compacted. */
export function company(): Company {
  const partner = partnerWith(worker('away', [`${mark}-away`], { otherwise: `${mark}-away` }).agent)
  const { promise: waiting, resolve: waits } = Promise.withResolvers<void>()
  const { promise: going, resolve: go } = Promise.withResolvers<void>()
  const lookup = createTool({
    id: 'lookup',
    description: 'Looks up.',
    inputSchema: q,
    execute: ({ q }) => ({
      found: `${mark}-${q}`,
      picture: file(bytes('picture'), 'image/png', { name: 'p.png' }),
    }),
  })
  const boom = createTool({
    id: 'boom',
    description: 'Fails.',
    inputSchema: q,
    execute() {
      throw new Error(`${mark}-error`)
    },
  })
  const pay = createTool({
    id: 'pay',
    description: 'Pays.',
    inputSchema: q,
    requireApproval: true,
    execute: () => `${mark}-paid`,
  })
  const later = createTool({
    id: 'later',
    description: 'Takes its time.',
    inputSchema: q,
    background: true,
    execute: () => `${mark}-later`,
  })
  const helper = createAgent({
    id: 'helper',
    description: 'Helps.',
    memory: true,
    model: modelOf(() => ({ text: `${mark}-helped` })),
  })
  const nest = createTool({
    id: 'nest',
    description: 'Begins a run for another resource.',
    inputSchema: q,
    execute: async ({ q }, { start }) => {
      const result = await start(helper, `${mark}-${q}`, { resourceId: 'batch', name: 'one' })
      return result.text
    },
  })
  const wait = createTool({
    id: 'wait',
    description: 'Waits, whatever its signal says.',
    inputSchema: q,
    execute: async () => {
      waits()
      await going
      return { done: `${mark}-waited`, picture: file(bytes('late picture'), 'image/png') }
    },
  })
  const guide = createAgent({
    id: 'guide',
    description: 'Guides.',
    memory: true,
    tools: { lookup, boom },
    model: modelOf((request) =>
      results(request) > 0
        ? { text: `${mark}-guided` }
        : {
            toolCalls: [
              { id: 'c', name: 'lookup', args: { q: `${mark}-arg` } },
              { id: 'd', name: 'boom', args: { q: `${mark}-arg` } },
            ],
          },
    ),
  })
  const expert = createAgent({
    id: 'expert',
    description: 'Knows.',
    memory: true,
    model: modelOf(() => ({ text: `${mark}-expertise` })),
  })
  const reader = createAgent({
    id: 'reader',
    description: 'Reads.',
    memory: true,
    compaction: { window: 400, summarize: () => `${mark}-summary` },
    model: modelOf(() => ({ text: `${mark}-read` })),
  })
  const lead = createSupervisor({
    id: 'lead',
    instructions: 'Lead.',
    memory: { workingMemory: true },
    agents: { guide, partner: standingFor(partner) },
    handoffs: [expert],
    maxSteps: 12,
    tools: { pay, nest, later, wait },
    model: modelOf((request) => {
      const { messages } = request
      const says = JSON.stringify(messages)
      if (says.includes('hold on')) return { toolCalls: [{ id: 'w', name: 'wait', args: { q: 'x' } }] }
      switch (results(request)) {
        case 0:
          return {
            toolCalls: [
              { id: 'a1', name: 'update-working-memory', args: { content: `${mark}-note` } },
              { id: 'a2', name: 'agent-guide', args: { prompt: `${mark}-delegated` } },
              { id: 'a3', name: 'agent-partner', args: { prompt: `${mark}-to-partner` } },
              { id: 'a4', name: 'nest', args: { q: `${mark}-nested` } },
              { id: 'a5', name: 'later', args: { q: `${mark}-background` } },
            ],
          }
        case 5:
          return { toolCalls: [{ id: 'p', name: 'pay', args: { q: `${mark}-payarg` } }] }
        default:
          return { toolCalls: [{ id: 'h', name: 'transfer-to-expert', args: {} }] }
      }
    }),
  })
  const other = worker('other', [], { otherwise: 'Done.', memory: true }).agent
  return { lead, helper, reader, other, partner, waiting, go }
}

/** Everything that may stand in a store of ann: ended runs, forks, runs that wait, runs with signals, notes. */
export async function fill(troupe: Troupe, { lead, reader }: Company): Promise<void> {
  const prompt = [
    {
      role: 'user',
      content: [
        { type: 'text', text: `${mark}-prompt` },
        file(bytes('prompt'), 'text/plain', { name: `${mark}.txt` }),
      ],
    },
  ] as never
  const options = { resourceId: ann, threadId: `${mark}-thread`, context: { ssn: `${mark}-ssn` } }
  const run = await troupe.start(lead, prompt, options)
  await run.whenIdle
  const [question] = (await troupe.awaiting({ runId: run.id })).items
  if (question === undefined) throw new Error(`No question: ${JSON.stringify(await run.whenIdle)}`)
  await troupe.signal(run.id, { type: 'approve', toolCallId: question.toolCallId, by: `${mark}-approver` })
  await run.result
  const journal = await troupe.journal(run.id)
  const at = journal.findIndex(({ type }) => type === 'effect.settled') + 1
  const fork = await troupe.fork(run.id, { at }, { threadId: `${mark}-fork` })
  await fork.whenIdle
  // One that waits, and one that has a signal in the queue.
  const held = await troupe.start(lead, `${mark}-held`, { ...options, threadId: `${mark}-held` })
  await held.whenIdle
  await troupe.config.set('notes-of-run:' + held.id, `${mark}-push`, { url: `${mark}-url` })
  const long = Array.from({ length: 13 }, (_, index) => ({
    role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
    content: `${mark}-long ${'word '.repeat(60)}`,
  }))
  const read = await troupe.start(reader, long, { resourceId: ann })
  await read.result
  const ref = await troupe.blobs.put(bytes('put'))
  const named = await troupe.start(
    reader,
    [{ role: 'user', content: [{ type: 'file', mediaType: 'text/plain', ref }] }] as never,
    { resourceId: ann },
  )
  await named.result
  await troupe.memory.save(`${mark}-saved`, [{ id: '1', role: 'user', content: `${mark}-saved`, at: 1 }], ann)
  await troupe.memory.save(`${mark}-open`, [
    { id: '1', role: 'user', content: `${mark}-open`, resourceId: ann, at: 1 },
  ])
}

/** Bob's things, of which nothing goes. */
export async function fillOther(troupe: Troupe, agent: AnyAgent): Promise<readonly string[]> {
  const run = await troupe.start(agent, 'For bob.', { resourceId: 'bob', threadId: 'bobs' })
  await run.result
  await troupe.memory.setWorkingMemory('bob', 'Bob likes tea.')
  return [run.id]
}

/** How often the mark stands in the files of a folder, by their names. */
export function marksIn(
  folder: string,
  passed: (name: string) => boolean = () => false,
): Record<string, number> {
  const found: Record<string, number> = {}
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name)
    if (passed(name) || !statSync(path, { throwIfNoEntry: false })?.isFile()) continue
    const count = readFileSync(path).toString('latin1').split(mark).length - 1
    if (count > 0) found[name] = count
  }
  return found
}

/** The marks that a troupe can read. */
export async function readable(troupe: Troupe): Promise<number> {
  const seen: unknown[] = [(await troupe.runs()).items, (await troupe.awaiting()).items]
  for (const { runId } of (await troupe.runs()).items) seen.push(await troupe.journal(runId))
  const threads = await troupe.memory.threads()
  seen.push(threads, (await troupe.memory.resources()).items)
  for (const { id } of threads) seen.push(await troupe.memory.messages(id))
  return JSON.stringify(seen).split(mark).length - 1
}

export function troupeOn(store: Store, { lead, helper, reader, other }: Company): Troupe {
  return createTroupe({
    agents: [lead, helper, reader, other],
    store,
    pollInterval: 20,
    passivateAfter: 10,
    onError: () => undefined,
  })
}
