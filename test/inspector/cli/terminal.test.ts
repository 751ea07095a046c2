/** The commands of the terminal, by the program itself on SQLite files: what they print, to the letter, and their exit codes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createAgent, createTool, createTroupe } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { scriptedModel } from 'troupe/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { help } from '../../../src/inspector/cli/command.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { asked } from '../../support/stories/questions.ts'
import { tellAll } from '../../support/stories/runs.ts'
import { payer as careful } from './payer.ts'

const root = join(import.meta.dirname, '../../..')
const folder = temporaryFolder()
const file = folder.file('runs.db')

beforeAll(async () => {
  const store = sqliteStore(file)
  await tellAll(store)
  await store.close()
})
afterAll(() => folder[Symbol.dispose]())

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs the program. `until`: a text, at which it is interrupted. */
async function troupe(args: readonly string[], until?: string): Promise<Ended> {
  const { NO_COLOR: _, FORCE_COLOR: __, ...env } = process.env
  const child = spawn(process.execPath, ['dist/troupe.js', ...args], { cwd: root, env })
  const exited = once(child, 'exit')
  let [stdout, stderr] = ['', '']
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  for await (const text of child.stdout.setEncoding('utf8')) {
    stdout += text as string
    // Once: a second one ends a process at once.
    if (!child.killed && until !== undefined && stdout.includes(until)) child.kill('SIGINT')
  }
  const [code] = (await exited) as [number | null]
  return { code, stdout, stderr }
}

/** The blocks of the page: a command, and what it prints. */
const page = readFileSync(join(root, 'docs/run/terminal.md'), 'utf8')
const shown = [...page.matchAll(/^```console\n\$ npx troupe (.+)\n([\s\S]*?)\n```$/gm)].map(
  ([, command = '', output = '']) => [command, output] as const,
)

test('the page shows commands', () => {
  expect(shown.length).toBeGreaterThan(6)
})

test.each(shown)('npx troupe %s: as its page shows it', async (command, output) => {
  const args = command.split(' ').map((arg) => (arg === 'runs.db' ? file : arg))
  const { stdout, stderr } = await troupe(args)
  expect((stdout + stderr).trimEnd()).toBe(output)
  expect(stdout).not.toContain('\u001B')
})

test('alone it says what there is', async () => {
  expect(await troupe([])).toEqual({ code: 0, stdout: help, stderr: '' })
  for (const name of ['runs', 'show', 'why', 'follow', 'answer', 'inspect'])
    expect(help).toContain(`troupe ${name} `)
})

test.each(asked)('$question: troupe $terminal.command says it of $run', async ({ run, terminal }) => {
  const { code, stdout } = await troupe([terminal.command, file, run, '--width', '200'])
  expect(code).toBe(0)
  for (const words of terminal.words) expect(stdout.replaceAll(/\s+/g, ' ')).toContain(words)
})

test('at 200 columns no line is broken, and none of a table is cut', async () => {
  const { code, stdout } = await troupe(['show', file, 'outOfBudget', '--width', '200'])
  expect(code).toBe(0)
  expect(stdout).toContain(
    'Out of budget: 4 of 4 model calls used; archivist was cut off at entry 12, librarian was cut off at entry 14.\n',
  )
  expect(stdout).not.toContain('…')
})

test('a part of a run, as it was', async () => {
  const { stdout } = await troupe(['why', file, 'outOfBudget', '--at', '8'])
  expect(stdout).toBe(
    'librarian  outOfBudget\nTask: Find the map of 1632.\n\nRunning, at entry 8; it waits for the model of archivist.\n',
  )
})

test('filters choose, and JSON is the data itself', async () => {
  const { stdout } = await troupe(['runs', file, '--agent', 'librarian', '--json'])
  const { items } = JSON.parse(stdout) as { items: { runId: string; outcome: string }[] }
  expect(items.map(({ runId, outcome }) => [runId, outcome])).toEqual([['outOfBudget', 'exhausted']])
  const ended = await troupe(['runs', file, '--outcome', 'exhausted', '--since', '9999d', '--json'])
  expect((JSON.parse(ended.stdout) as { items: unknown[] }).items).toHaveLength(1)
  const none = await troupe(['runs', file, '--status', 'suspended'])
  expect(none).toEqual({ code: 0, stdout: 'There is no such run.\n', stderr: '' })
  const some = await troupe(['runs', file, '--limit', '2'])
  expect(some.stdout.split('\n')).toHaveLength(5)
  expect(some.stdout).toContain('There are more: --limit 4 shows them.\n')
  const whole = await troupe(['show', file, 'changedPrompt', '--json'])
  expect(JSON.parse(whole.stdout)).toMatchObject({
    runId: 'changedPrompt',
    total: { calls: 3 },
    currency: 'EUR',
  })
  const followed = await troupe(['follow', file, 'wrongRoute', '--json'])
  const lines = followed.stdout.trimEnd().split('\n')
  expect(lines.map((line) => (JSON.parse(line) as { entry: number }).entry)).toEqual([1, 2, 3, 4, 5, 6, 7])
})

describe('exit codes', () => {
  test.each([
    [['show', file, 'none'], 2, 'There is no run "none" in this store.\n'],
    [['follow', file, 'none'], 2, 'There is no run "none" in this store.\n'],
    [['answer', file, 'none', '--by', 'ann', '--approve'], 2, 'There is no run "none" in this store.\n'],
    [['answer', file, 'wrongRoute', '--by', 'ann', '--deny'], 3, 'The run "wrongRoute" asks nothing.\n'],
    [['answer', file, 'wrongRoute', 'desk/x', '--by', 'ann', '--approve'], 3, 'desk/x'],
    [['answer', file, 'wrongRoute', '--approve'], 1, '--by names who answers'],
    [['answer', file, 'wrongRoute', '--by', 'ann'], 1, 'give one of --approve, --deny and --data'],
    [['answer', file, 'wrongRoute', '--by', 'ann', '--data', '{'], 1, '--data must be JSON'],
    [['runs'], 1, 'name a store'],
    [['show', file], 1, 'name a run'],
    [['show', file, 'a', 'b'], 1, '"b" is one argument too many'],
    [['show', file, 'a', '--by', 'x'], 1, 'show: there is no option "by". Known: '],
    [['runs', file, '--agnet', 'x'], 1, 'runs: there is no option "agnet"; did you mean "agent"?'],
    [['show', file, '-none'], 2, 'There is no run "-none" in this store.\n'],
    [['show', file, '--', '--none'], 2, 'There is no run "--none" in this store.\n'],
    [['runs', file, '--status', '-x'], 1, 'not "-x"'],
    [['runs', file, '--limit', '0'], 1, '--limit must be a whole number of 1 or more'],
    [['runs', file, '--since', 'ever'], 1, '--since must be a span such as 30m, 1h or 2d'],
    [['runs', file, '--status', 'odd'], 1, '--status must be running'],
    [['runs', file, '--outcome', 'fail'], 1, '--outcome must be completed'],
    [['runs', '.'], 1, 'cannot be read'],
    [['runs', join(root, 'package.json')], 1, 'is no store'],
    [['runs', '/none/runs.db'], 1, 'runs: "/none/runs.db" cannot be read'],
  ])('%j', async (args, code, message) => {
    const ended = await troupe(args)
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code, stdout: '' })
    expect(ended.stderr).toContain(message)
  })

  test('of follow: 0 for a run that has completed, 4 for another end, 130 where it is interrupted', async () => {
    expect((await troupe(['follow', file, 'wrongRoute'])).code).toBe(0)
    expect((await troupe(['follow', file, 'outOfBudget'])).code).toBe(4)
    const waiting = folder.file('waiting.db')
    const runId = await suspended(waiting)
    const ended = await troupe(['follow', waiting, runId], 'pay')
    expect(ended.code).toBe(130)
  })
})

/** An agent that asks before it pays, whichever process it is in. */
function payer() {
  const pay = createTool({
    id: 'pay',
    description: 'Pays.',
    inputSchema: z.object({}),
    requireApproval: true,
    execute: () => 'paid',
  })
  const model = scriptedModel([], {
    otherwise: ({ messages }) =>
      messages.some(({ role }) => role === 'tool') ? 'Paid.' : { toolCalls: [{ name: 'pay' }] },
  })
  return createAgent({ id: 'payer', model, tools: { pay } })
}

async function suspended(path: string): Promise<string> {
  const agent = payer()
  const own = createTroupe({ agents: [agent], store: sqliteStore(path) })
  const run = await own.start(agent, 'Pay')
  await run.whenIdle
  await own.close()
  return run.id
}

test.each([
  ['{}', 'at euros: '],
  ['{"euros":"7"}', 'at euros: '],
  ['7', 'do not fit the tool "pay": '],
])('arguments that the tool refuses are not queued: %s', async (args, problem) => {
  const path = folder.file(`refused-${args.length}.db`)
  const module = join(import.meta.dirname, 'payer.ts')
  const own = createTroupe({ agents: [careful], store: sqliteStore(path) })
  const run = await own.start(careful, 'Pay')
  await run.whenIdle
  const answer = ['answer', path, run.id, '--by', 'ann', '--approve', '--agents', module]
  const refused = await troupe([...answer, '--args', args])
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toContain(problem)
  expect((await own.awaiting({ runId: run.id })).items).toHaveLength(1)
  expect(await troupe([...answer, '--args', '{"euros":8}'])).toMatchObject({ code: 0, stderr: '' })
  await own.close()
})

test('an answer is queued with its author, and the owner of the run takes it', async () => {
  const path = folder.file('asking.db')
  const runId = await suspended(path)
  const asked = await troupe(['show', path, runId])
  expect(asked.stdout).toContain('Waits for a person: pay of ')
  const listed = await troupe(['runs', path])
  expect(listed.stdout).toContain('asks (1)')
  const { code, stdout } = await troupe([
    'answer',
    path,
    runId,
    '--by',
    'ann',
    '--note',
    'it is due',
    '--approve',
  ])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^Queued for the owner of the run: .*call:1\.1, by ann\.\n$/)

  const agent = payer()
  const owner = createTroupe({ agents: [agent], store: sqliteStore(path) })
  const run = await owner.resume(runId)
  expect(await run.result).toMatchObject({ outcome: 'completed' })
  await owner.close()
  const answered = await troupe(['show', path, runId, '--width', '200'])
  expect(answered.stdout).toMatch(/approved at entry \d+, by ann\n {11}note: it is due\n/)
})

test('hostile texts reach no terminal', async () => {
  const path = folder.file('hostile.db')
  const evil = '\u001B[2J\u202Eevil\u0007'
  const read = createTool({
    id: 'read',
    description: 'Reads.',
    inputSchema: z.object({}),
    execute: () => {
      throw new Error(evil)
    },
  })
  const agent = createAgent({
    id: 'reader',
    model: scriptedModel([{ toolCalls: [{ name: 'read', args: {} }] }, `${evil} ${'x'.repeat(100_000)}`]),
    tools: { read },
  })
  const own = createTroupe({ agents: [agent], store: sqliteStore(path), onError: () => undefined })
  const run = await own.start(agent, evil, { runId: `run-${evil}` }).catch(() => own.start(agent, evil))
  await run.result
  await own.close()
  for (const args of [
    ['runs', path],
    ['show', path, run.id],
    ['why', path, run.id],
    ['follow', path, run.id],
  ]) {
    const { stdout, stderr } = await troupe(args)
    // eslint-disable-next-line no-control-regex
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u202E]/)
    expect(stdout.length).toBeLessThan(20_000)
  }
  expect((await troupe(['why', path, run.id])).stdout).toContain('⟨U+202E⟩evil')
})
