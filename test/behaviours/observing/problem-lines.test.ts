/** `onError: (problem) => log.warn(problem, problem.message)` of pino: one line with names and ids, and no text of anybody. */
import { pino } from 'pino'
import {
  createScorer,
  createTool,
  createTroupe,
  memoryStore,
  StoreError,
  TerminalError,
  type Problem,
} from 'troupe'
import { createHandler } from 'troupe/http'
import { inspect } from 'node:util'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { reporterOf } from '../../../src/runtime/report.ts'
import { calls, lead, to, worker } from '../../support/agents/agents.ts'

/** Stands in the text of tools, models and people. */
const marker = 'Ludmilla'

interface Line {
  readonly code: string
  readonly msg: string
  readonly [field: string]: unknown
}

/** The log of a process, line by line. */
function logged(): {
  onError: (problem: Problem) => void
  lines: Line[]
  text: () => string
  problems: Problem[]
} {
  const lines: Line[] = []
  const problems: Problem[] = []
  const written: string[] = []
  const write = (line: string): void => {
    written.push(line)
    lines.push(JSON.parse(line) as Line)
  }
  const log = pino({ level: 'warn' }, { write })
  const onError = (problem: Problem): void => {
    problems.push(problem)
    log.warn(problem, problem.message)
  }
  return { onError, lines, text: () => written.join(''), problems }
}

const boom = (): never => {
  throw new TerminalError(`No account of ${marker}.`, { code: 'ACCOUNT_UNKNOWN' })
}

describe('a line of pino', () => {
  test('has the code, the run, the agent and the tool, and no text of the tool, of the model or of the person', async () => {
    const { onError, lines, text, problems } = logged()
    const pay = createTool({
      id: 'pay',
      description: 'Pays.',
      inputSchema: z.object({ to: z.string() }),
      execute: boom,
    })
    const { agent } = worker('teller', [{ toolCalls: [{ name: 'pay', args: { to: marker } }] }, marker], {
      tools: { pay },
    })
    const troupe = createTroupe({ agents: [agent], onError })
    const run = await troupe.start(agent, `Pay ${marker}.`)
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatchObject({
      code: 'FUNCTION_THREW',
      errorCode: 'ACCOUNT_UNKNOWN',
      where: 'effect',
      runId: run.id,
      agent: 'teller',
      effect: { kind: 'tool', name: 'pay' },
      msg: problems[0]?.message,
    })
    expect(text()).not.toContain(marker)
    expect(problems[0]?.error).toMatchObject({ message: `No account of ${marker}.` })
    await troupe.close()
  })

  test.for<[string, object, string]>([
    [
      'scorers',
      { completion: { scorers: [createScorer({ id: 'good', score: boom })], continueOnFail: false } },
      'good',
    ],
    ['hooks', { delegation: { onDelegationStart: boom } }, 'onDelegationStart'],
    ['functions of a review', { onIterationComplete: boom }, 'onIterationComplete'],
    ['processors', { inputProcessors: [{ id: 'guard', processInput: boom }] }, 'guard'],
  ])('of %s has no text of theirs', async ([, options, name]) => {
    const { onError, lines, text } = logged()
    const { agent: child } = worker('child', [], { otherwise: marker })
    const { agent } = lead('boss', [calls(to('child', marker)), marker], { agents: { child } })
    const troupe = createTroupe({ agents: [agent], onError })
    await (
      await troupe.start(agent, marker, options)
    ).result
    expect(lines.map(({ code, effect }) => [code, effect])).toContainEqual([
      'FUNCTION_THREW',
      expect.objectContaining({ name }),
    ])
    expect(text()).not.toContain(marker)
    await troupe.close()
  })

  test('of subscribers, of a store that fails and of a request has no text of theirs', async () => {
    const { onError, lines, text, problems } = logged()
    const inner = memoryStore()
    let isAway = false
    const away = (): never => {
      throw new StoreError(`The row of ${marker} cannot be read.`)
    }
    const store = {
      ...inner,
      list: (...asked: Parameters<typeof inner.list>) => (isAway ? away() : inner.list(...asked)),
    }
    const { agent } = worker('solo', [], { otherwise: marker })
    const troupe = createTroupe({ agents: [agent], store, onError })
    const run = await troupe.start(agent, marker)
    run.actor.subscribe(boom)
    await run.result
    isAway = true
    const handler = createHandler(troupe, { authorize: 'everybody', onError })
    const response = await handler(new Request(`http://server/runs/${marker}/events`))
    expect(response.status).toBe(500)
    expect(lines.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['OBSERVER_THREW', 'REQUEST_NOT_ANSWERED']),
    )
    expect(text()).not.toContain(marker)
    expect(problems.at(-1)?.error).toBeInstanceOf(StoreError)
    expect(problems.at(-1)?.request).toEqual({ method: 'GET', path: `/runs/${marker}/events` })
    await troupe.close()
  })

  test('of a hostile error stays short, whatever its code is', () => {
    const { onError, lines, text } = logged()
    const report = reporterOf(onError)
    const told = { code: 'RUN_FAILED', message: 'm', where: 'run' } as const
    const proxy = Proxy.revocable({}, {})
    proxy.revoke()
    const errors: unknown[] = [
      Object.assign(new Error(marker), { code: 'X'.repeat(1_000_000) }),
      Object.assign(new Error(marker), { code: `${marker} says` }),
      Object.assign(new Error(marker), { code: 17 }),
      Object.assign(new Error('m'.repeat(1_000_000)), { code: 'ECONNREFUSED' }),
      proxy.proxy,
      marker,
      undefined,
      { name: 'Error', code: 'RUN_LEFT', message: marker },
    ]
    for (const error of errors) report({ ...told, error, threadId: marker, resourceId: marker })
    expect(lines.map(({ errorCode }) => errorCode)).toEqual([
      undefined,
      undefined,
      undefined,
      'ECONNREFUSED',
      undefined,
      undefined,
      undefined,
      'RUN_LEFT',
    ])
    expect(text()).not.toContain(marker)
    expect(text().length).toBeLessThan(3_000)
  })
})

test('what is asked for is in the line', () => {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const report = reporterOf((problem) => log.warn({ ...problem, err: problem.error }, problem.message))
  report({ code: 'RUN_FAILED', message: 'm', where: 'run', error: new Error(marker) })
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    code: 'RUN_FAILED',
    err: { type: 'Error', message: marker },
  })
})

test('the console of Node shows a problem with its error, and the default still does', () => {
  const report = reporterOf((problem) => {
    expect(inspect(problem)).toContain(marker)
    expect(JSON.stringify(problem)).not.toContain(marker)
  })
  report({ code: 'RUN_FAILED', message: 'm', where: 'run', error: new Error(marker) })
  using warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  const error = new Error(marker)
  reporterOf()({ code: 'RUN_FAILED', message: 'm', where: 'run', error })
  expect(warn).toHaveBeenCalledWith('troupe: m', error)
})

test('a problem that is handed to another reporter keeps all', () => {
  const told: Problem[] = []
  const outer = reporterOf((problem) => told.push(problem))
  const error = new Error(marker)
  reporterOf(outer)({ code: 'RETENTION_LEFT_DAMAGED', message: 'm', where: 'store', error, threadId: 't' })
  expect(told[0]).toMatchObject({ code: 'RETENTION_LEFT_DAMAGED', threadId: 't' })
  expect(told[0]?.error).toBe(error)
})
