/** Functions of a user that are late, that throw where nobody waits, or that answer wrongly: each is told, and ends nothing. */
import { createScorer, createTool, type Problem } from 'troupe'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { remoteRun } from '../../src/react/source/remote-run.ts'
import { calls, lead, to, until, worker } from '../support/agents/agents.ts'

const inputSchema = z.object({})

/** Problems that `onError` was told. */
function told() {
  const problems: Problem[] = []
  return { problems, onError: (problem: Problem) => void problems.push(problem) }
}

/** An event loop turn: what nobody handles would have ended the process by then. */
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5))

test('a bail after its hook has returned is told, and changes nothing', async () => {
  const { problems, onError } = told()
  let late: (() => void) | undefined
  const helper = worker('helper', ['Helped.'])
  const { agent } = lead('lead', [calls(to('helper', 'Help')), 'Done.'], {
    agents: { helper: helper.agent },
    delegation: {
      onDelegationComplete: ({ bail }) => {
        late = bail
      },
    },
    onIterationComplete: () => {
      late?.()
    },
  })
  const result = await agent.stream('Go', { onError }).result
  expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(problems[0]).toMatchObject({ agent: 'lead', error: { code: 'BAIL_TOO_LATE' } })
  expect(problems[0]?.message).toContain('called bail() too late')
})

test.each<[string, (signal: AbortSignal) => void]>([
  ['that throws', (signal) => signal.addEventListener('abort', () => broken())],
  ['that rejects', (signal) => signal.addEventListener('abort', async () => broken())],
  ['of an object', (signal) => signal.addEventListener('abort', { handleEvent: () => broken() })],
  [
    'in onabort',
    (signal) => {
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the other form of a listener is meant
      signal.onabort = () => broken()
    },
  ],
])('a listener %s is told, and the run ends as it was cancelled', async (_name, listen) => {
  const { problems, onError } = told()
  const begun = Promise.withResolvers<void>()
  const look = createTool({
    id: 'look',
    description: 'Looks.',
    inputSchema,
    execute: (_, { signal }) => {
      listen(signal)
      begun.resolve()
      return new Promise<string>(() => undefined)
    },
  })
  const { agent } = worker('desk', [calls({ name: 'look', args: {} })], { tools: { look } })
  const run = agent.stream('Go', { onError })
  await begun.promise
  await run.cancel('enough')
  expect(await run.result).toMatchObject({ outcome: 'cancelled', reason: 'enough' })
  await turn()
  expect(problems).toMatchObject([{ agent: 'desk', error: new Error('in my listener') }])
  expect(problems[0]?.message).toContain('threw in a listener of its signal')
})

function broken(): never {
  throw new Error('in my listener')
}

test('a listener that was removed is not called', async () => {
  const { problems, onError } = told()
  const begun = Promise.withResolvers<void>()
  const heard: string[] = []
  const look = createTool({
    id: 'look',
    description: 'Looks.',
    inputSchema,
    execute: (_, { signal }) => {
      const removed = (): void => void heard.push('removed')
      signal.addEventListener('abort', removed)
      signal.addEventListener('abort', () => void heard.push('kept'), { once: true })
      signal.removeEventListener('abort', removed)
      begun.resolve()
      return new Promise<string>(() => undefined)
    },
  })
  const { agent } = worker('desk', [calls({ name: 'look', args: {} })], { tools: { look } })
  const run = agent.stream('Go', { onError })
  await begun.promise
  await run.cancel('enough')
  await run.result
  expect(heard).toEqual(['kept'])
  expect(problems).toEqual([])
})

test.each([
  ['throws', () => broken()],
  ['rejects', async () => broken()],
])('a fetch of useRun that %s is a lost connection', async (_name, fetch: () => Promise<Response>) => {
  await expect(remoteRun('http://x/runs/r').send({ type: 'cancel' }, { fetch })).rejects.toMatchObject({
    code: 'CONNECTION_LOST',
    message: 'The connection to the run is lost: in my listener',
  })
})

test.each([7, -1, Number.NaN, 'good', { reason: 'no score' }])(
  'a scorer that answers %j is told for that, and not asked again',
  async (answer) => {
    const { problems, onError } = told()
    let asked = 0
    const judge = createScorer({
      id: 'judge',
      score: () => {
        asked++
        return answer as number
      },
    })
    const { agent } = lead('desk', [], { otherwise: 'An answer.', completion: { scorers: [judge] } })
    const run = agent.stream('Go', { onError, maxSteps: 5 })
    await until(run, 'scoring-complete')
    expect(await run.result).toMatchObject({ outcome: 'exhausted', reason: 'completion' })
    expect(asked).toBe(1)
    expect(problems[0]?.message).toContain('answered wrongly')
    expect(problems[0]?.message).not.toContain('threw')
  },
)
