/**
 * What docs/migrate/what-is-not-here.md says to be absent is looked for: its last column names options, methods, events, exports and
 * subpaths that must not exist. A claim that something is yet to come stands nowhere: nothing would tell when it has come.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createAgent, createScorer, createSupervisor, createTool, createTroupe, openai } from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

const root = join(import.meta.dirname, '..')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const page = 'docs/migrate/what-is-not-here.md'

interface Row {
  readonly elsewhere: string
  readonly here: string
  readonly absent: string
}

const rows: readonly Row[] = read(page)
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (?:elsewhere|---|\*\*)/.test(line))
  .map((line) => {
    const [, elsewhere = '', , here = '', , , absent = ''] = line.split(/(?<!\\) ?\| ?/)
    return { elsewhere, here, absent }
  })

const claims = rows.flatMap(({ absent }) => [...absent.matchAll(/`([^`]+)`/g)].map(([, claim = '']) => claim))

const model = scriptedModel([], { otherwise: 'Hello.' })
const agent = createAgent({ id: 'a', description: 'd', model })
const troupe = createTroupe({ agents: [agent] })
const run = agent.stream('Hi')
const wrong = (given: unknown): never => given as never
const inputSchema = z.object({})

/** Gives an option to a place. */
const places: Readonly<Record<string, (more: object) => unknown>> = {
  createAgent: (more) => createAgent(wrong({ id: 'x', model, ...more })),
  createSupervisor: (more) => createSupervisor(wrong({ id: 'x', model, agents: [agent], ...more })),
  createTool: (more) =>
    createTool(wrong({ id: 't', description: 'd', inputSchema, execute: () => 1, ...more })),
  createScorer: (more) => createScorer(wrong({ id: 's', score: () => 1, ...more })),
  createTroupe: (more) => createTroupe(wrong({ agents: [agent], ...more })),
  openai: (more) => openai('gpt-5-mini', wrong(more)),
  generate: (more) => agent.generate('Hi', wrong(more)),
  delegation: (more) => createSupervisor(wrong({ id: 'x', model, agents: [agent], delegation: more })),
  handoff: (more) => createAgent(wrong({ id: 'x', model, handoffs: { a: { agent, ...more } } })),
  memory: (more) => createAgent(wrong({ id: 'x', model, memory: more })),
}

/** Objects whose methods a claim may name. */
const objects: Readonly<Record<string, object>> = { agent, troupe, run, 'troupe.memory': troupe.memory }

const entries = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /^(?:[\w-]+\/)?(?:[\w-]+\/)?index\.ts$/.test(name))
  .map((name) => read(`src/${name}`))
const exported = new Set(
  entries.flatMap((text) =>
    [...text.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, names = '']) =>
      names.split(',').map((name) => name.trim().replace(/^type /, '')),
    ),
  ),
)
const { exports: subpaths } = JSON.parse(read('package.json')) as { exports: Record<string, unknown> }
const events = read('docs/reference/events.md')

/** Whether what a claim says to be absent is there. */
async function exists(claim: string): Promise<boolean> {
  const [, kind = '', name = ''] = /^(export|subpath|event):(.+)$/.exec(claim) ?? []
  if (kind === 'export') return exported.has(name)
  if (kind === 'subpath') return Object.hasOwn(subpaths, `./${name}`)
  if (kind === 'event') return events.includes(`\`${name}\``)
  const [, where = '', key = '', call] = /^([\w.]+)\.(\w+)(\(\))?$/.exec(claim) ?? []
  const object = objects[where]
  if (call !== undefined && object !== undefined) return key in object
  const give = places[where]
  if (give === undefined) throw new Error(`No place is known for the claim "${claim}".`)
  try {
    await give({ [key]: Symbol(key) })
    return true
  } catch (error) {
    return !String(error).includes(`there is no option "${key}"`)
  }
}

describe('what is said to be absent', () => {
  test.for(claims)('%s', async (claim) => {
    expect(await exists(claim)).toBe(false)
  })

  test('is many things, and each row without a way of ours names some of it', () => {
    expect(claims.length).toBeGreaterThan(30)
    expect(rows.filter(({ here, absent }) => here.startsWith('None') && !absent.includes('`'))).toEqual([])
    expect(rows.filter(({ absent }) => !/^(?:–|`.+`)$/.test(absent.trim()))).toEqual([])
  })
})

test('what exists is found, in each form of a claim', async () => {
  const present = [
    'createAgent.maxSteps',
    'generate.threadId',
    'delegation.messageFilter',
    'troupe.fork()',
    'export:createAgent',
    'export:mcpTools',
    'subpath:sqlite',
    'event:tool-call',
  ]
  expect(await Promise.all(present.map(exists))).toEqual(present.map(() => true))
  await expect(exists('nowhere.option')).rejects.toThrow('No place is known')
})

test('no page says of something that it is yet to come', () => {
  const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !/^design\/(?:charts|decisions)/.test(name))
    .map((name) => `docs/${name}`)
  const promise =
    /\b(?:as yet|not yet (?:supported|implemented|available|possible)|coming soon|(?:in|by) a (?:later|future) (?:version|release)|is planned for|will be (?:added|supported)|to do:|TODO)\b/i
  const found = ['README.md', ...pages].flatMap((name) =>
    read(name)
      .split('\n')
      .filter((line) => promise.test(line))
      .map((line) => `${name}: ${line.slice(0, 120)}`),
  )
  expect(found).toEqual([])
})
