/** `troupe fork`: dry by lines and by a file, and acting; `troupe inspect` of a story. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTroupe } from 'troupe'
import { recordStory } from 'troupe/inspector'
import { sqliteStore } from 'troupe/sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand } from '../../../src/inspector/cli/run-command.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { payer } from './payer.ts'

const folder = temporaryFolder()
const file = folder.file('runs.db')
const ledger = folder.file('ledger.txt')
const agents = ['--agents', join(import.meta.dirname, 'payer.ts')]
let runId = ''
let story = ''

beforeAll(async () => {
  const troupe = createTroupe({ agents: [payer], store: sqliteStore(file) })
  const run = await troupe.start(payer, 'Pay the bill.')
  await run.whenIdle
  const [question] = (await troupe.awaiting()).items
  await run.approve(question?.toolCallId ?? '')
  await run.result
  runId = run.id
  story = await recordStory(troupe, runId)
  await troupe.close()
  process.env['LEDGER'] = ledger
})
afterAll(() => {
  delete process.env['LEDGER']
  folder[Symbol.dispose]()
})

interface Told {
  readonly code: number
  readonly out: string
  readonly problems: string
}

/** `lines`: of the standard input. */
async function troupe(args: readonly string[], lines: readonly string[] = []): Promise<Told> {
  const [out, problems, left] = [new Array<string>(), new Array<string>(), [...lines]]
  const code = await runCommand(args, {
    print: (text) => void out.push(text),
    printError: (text) => void problems.push(text),
    line: async () => left.shift(),
    interrupted: () => new Promise(() => undefined),
  })
  return { code, out: out.join(''), problems: problems.join('') }
}

async function runsInStore(): Promise<number> {
  const store = sqliteStore(file)
  const { items } = await store.list('runs', {})
  await store.close()
  return items.length
}

test('a dry fork is scripted line by line, and leaves nothing', async () => {
  const { code, out, problems } = await troupe(
    ['fork', file, runId, '--at', '1', ...agents],
    [
      '7', // no reply of a model: it is asked again
      '{ "toolCalls": [{ "name": "pay", "args": { "euros": 9 } }] }',
      'yes',
      '{ "paid": 0 }',
      'Nothing was paid.',
    ],
  )
  expect({ code, problems }).toEqual({
    code: 0,
    problems: expect.stringContaining('no reply of a model') as unknown,
  })
  expect(out).toContain('A dry fork after entry 1: nothing is paid and nothing is done.')
  expect(out).toContain('payer  model  scripted/')
  expect(out).toContain('user: Pay the bill.')
  expect(out).toContain('tools: pay')
  expect(out).toContain('payer  pay needs approval')
  expect(out).toContain('payer  tool  pay\n  {"euros":9}')
  expect(out).toContain('Nothing was paid.')
  expect(await runsInStore()).toBe(1)
  expect(existsSync(ledger)).toBe(false)
})

test('a file has the outcomes, by name or in their order; what it lacks is an exit code', async () => {
  const replies = folder.file('replies.jsonl')
  writeFileSync(
    replies,
    [
      '{ "for": "pay", "error": { "message": "no money" } }',
      '{ "for": "approval", "value": true }',
      '{ "for": "model", "value": { "toolCalls": [{ "name": "pay", "args": { "euros": 9 } }] } }',
      'There is no money.',
    ].join('\n'),
  )
  const args = ['fork', file, runId, '--at', '1', '--replies', replies, '--json', ...agents]
  const { code, out } = await troupe(args)
  expect(code).toBe(0)
  expect(out).toContain('no money')
  expect(JSON.parse(out)).toMatchObject({
    outcome: 'completed',
    answer: 'There is no money.',
    total: { usage: { totalTokens: 0 } },
  })
  writeFileSync(replies, JSON.stringify([{ toolCalls: [{ name: 'pay', args: { euros: 9 } }] }, false]))
  const short = await troupe(args)
  expect({ code: short.code, problems: short.problems }).toEqual({
    code: 5,
    problems: expect.stringContaining('payer  model  scripted/') as unknown,
  })
  writeFileSync(replies, '[{ "error": { "name": "Error", "code": "GONE", "message": "It is gone." } }]')
  expect((await troupe(args)).code).toBe(4)
})

test.each([
  [['--at', '1'], 1, '--agents names the module'],
  [['--at', '99', ...agents], 1, 'at must be a number of entries'],
  [agents, 1, '--at says how many entries'],
  [['--at', '1', '--act', '--replies', 'x', ...agents], 1, 'are for a dry fork'],
  [['--at', '1', '--replies', '/none', ...agents], 1, 'cannot be read'],
])('%j is refused', async (args, code, message) => {
  const told = await troupe(['fork', file, runId, ...args])
  expect([told.code, told.problems]).toEqual([code, expect.stringContaining(message)])
})

test('an unknown run has the exit code 2', async () => {
  expect(await troupe(['fork', file, 'none', '--at', '1', ...agents])).toMatchObject({ code: 2 })
})

test('with --act the fork is in the store, pays and acts', async () => {
  const journal = sqliteStore(file)
  const entries = (await journal.read(runId, 0)) ?? []
  await journal.close()
  const at = 1 + entries.findIndex(({ type }) => type === 'signal.received')
  const { code, out } = await troupe(['fork', file, runId, '--at', String(at), '--act', ...agents])
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('pays and acts') as unknown })
  expect(out).toContain('Paid.')
  expect(readFileSync(ledger, 'utf8')).toBe('paid 7\n')
  expect(await runsInStore()).toBe(2)
})

test('a story is opened on a page of this machine, which answers its token alone', async () => {
  const path = folder.file('run.story')
  writeFileSync(path, story)
  const seen: (readonly [number, string])[] = []
  let printed = ''
  const code = await runCommand(['inspect', path], {
    print: (text) => void (printed += text),
    printError: () => undefined,
    async interrupted() {
      const url = /http\S+/.exec(printed)?.[0] ?? ''
      for (const name of ['', 'run.story', 'troupe-run.js', 'story.css', '../run.story', 'none']) {
        const response = await fetch(new URL(name, url))
        seen.push([response.status, await response.text()])
      }
    },
  })
  expect(code).toBe(0)
  expect(printed).toContain('run.story: http://127.0.0.1:')
  expect(seen.map(([status]) => status)).toEqual([200, 200, 200, 200, 404, 404])
  expect(seen[0]?.[1]).toContain('<troupe-run src="run.story">')
  expect(seen[1]?.[1]).toBe(story)
  expect(await troupe(['inspect', path, file])).toMatchObject({
    code: 1,
    problems: expect.stringContaining('name one story') as unknown,
  })
})
