/** Runs with a mark in each kind of content, and a search for the mark where it must not be. */
import {
  createAgent,
  createSupervisor,
  createTool,
  createTroupe,
  file,
  type Store,
  type Troupe,
} from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { expect } from 'vitest'
import { z } from 'zod'

/** No id, key or name of the library contains it. */
export const mark = 'zqxMarkOfContent'

const bytes = new TextEncoder().encode(`${mark}-bytes`)

const lookup = createTool({
  id: 'lookup',
  description: 'Looks something up.',
  inputSchema: z.object({ q: z.string() }),
  execute: ({ q }) => ({
    found: `${mark}-result ${q}`,
    [`${mark}-field`]: 1,
    picture: file(bytes, 'image/png'),
  }),
})

const boom = createTool({
  id: 'boom',
  description: 'Fails.',
  inputSchema: z.object({ q: z.string() }),
  execute: () => {
    throw new Error(`${mark}-error`)
  },
})

const pay = createTool({
  id: 'pay',
  description: 'Pays.',
  inputSchema: z.object({ to: z.string() }),
  requireApproval: true,
  execute: ({ to }) => `${mark}-paid ${to}`,
})

const ask = createTool({
  id: 'ask',
  description: 'Asks a person.',
  inputSchema: z.object({ what: z.string() }),
  execute: ({ what }, { suspend, resumeData }) =>
    resumeData === undefined ? suspend({ question: `${mark}-payload ${what}` }) : { said: resumeData },
})

/** New agents: a lead with memory, and a helper that is asked by it. */
export function markedAgents() {
  const helper = createAgent({
    id: 'helper',
    description: 'Helps.',
    memory: true,
    tools: { lookup, boom },
    model: scriptedModel([
      {
        toolCalls: [
          { name: 'lookup', args: { q: `${mark}-args` } },
          { name: 'boom', args: { q: `${mark}-boom` } },
        ],
      },
      { text: `${mark}-helper-answer`, reasoning: `${mark}-reasoning` },
    ]),
  })
  const lead = createSupervisor({
    id: 'lead',
    instructions: `${mark}-instructions`,
    memory: true,
    agents: { helper },
    tools: { pay, ask },
    model: scriptedModel([
      { toolCalls: [{ name: 'agent-helper', args: { prompt: `${mark}-delegated` } }] },
      {
        toolCalls: [
          { name: 'pay', args: { to: `${mark}-payee` } },
          { name: 'ask', args: { what: `${mark}-what` } },
        ],
      },
      { text: `${mark}-answer` },
    ]),
  })
  return { lead }
}

export const ids = {
  resourceId: `${mark}-resource`,
  threadId: `${mark}-thread`,
  conversationId: `${mark}-conversation`,
} as const

/** Runs until two questions wait; `look` is called then. Then they are answered, and the run ends. */
export async function markedRun(store: Store, look: () => unknown = () => undefined): Promise<string> {
  const { lead } = markedAgents()
  const troupe = createTroupe({ agents: [lead], store })
  await troupe.config.set(`${mark}-kind`, `${mark}-key`, { value: `${mark}-value` })
  await troupe.memory.setWorkingMemory(ids.resourceId, `${mark}-notes`)
  await troupe.memory.save(`${mark}-other-thread`, [message], ids.resourceId)
  await troupe.blobs.put(bytes.slice(1))
  const content = [
    { type: 'text' as const, text: `${mark}-prompt` },
    file(bytes, 'image/png', { name: `${mark}.png` }),
  ]
  const run = await troupe.start(lead, [{ role: 'user', content }], {
    ...ids,
    context: { secret: `${mark}-context` },
    instructions: `${mark}-call-instructions`,
  })
  expect((await run.whenIdle).outcome).toBe('suspended')
  await look()
  await answerAll(troupe, run.id)
  expect((await run.result).text).toBe(`${mark}-answer`)
  await look()
  const fork = await troupe.fork(run.id, { at: 3 })
  await fork.cancel(`${mark}-reason`)
  await fork.result
  await troupe.close()
  return run.id
}

const message = {
  id: `${mark}-message`,
  role: 'user',
  content: `${mark}-said`,
  conversationId: ids.conversationId,
  at: 1,
} as const

async function answerAll(troupe: Troupe, runId: string): Promise<void> {
  const { items } = await troupe.awaiting({ resourceId: ids.resourceId, threadId: ids.threadId })
  expect(items.map(({ toolName }) => toolName).toSorted()).toEqual(['ask', 'pay'])
  for (const { toolCallId, toolName } of items) {
    const by = `${mark}-person`
    const note = `${mark}-note`
    await troupe.signal(
      runId,
      toolName === 'pay'
        ? { type: 'approve', toolCallId, by, note, args: { to: `${mark}-new-payee` } }
        : { type: 'resume', toolCallId, by, data: { yes: `${mark}-data` } },
    )
  }
}

/** The mark as it is, and as parts of base64 and of hexadecimal: sealed bytes hold none of them. */
const forms: readonly Buffer[] = [
  Buffer.from(mark),
  ...[0, 1, 2].map((shift) => {
    const text = Buffer.from('.'.repeat(shift) + mark).toString('base64')
    return Buffer.from(text.slice(shift === 0 ? 0 : 4, -4))
  }),
  Buffer.from(Buffer.from(mark).toString('hex')),
]

/** How often the bytes hold the mark, in any form. */
export function marksIn(given: Uint8Array | string): number {
  const all = Buffer.from(given)
  let count = 0
  for (const form of forms) {
    for (let at = all.indexOf(form); at >= 0; at = all.indexOf(form, at + 1)) count++
  }
  return count
}
