/** Errors that no caller receives: each is handed over once, and nothing that `onError` does breaks anything. */
import { createTroupe, type Problem } from 'troupe'
import { describe, expect, test, vi } from 'vitest'
import { reporterOf } from '../../src/runtime/report.ts'
import { worker } from '../support/agents/agents.ts'

const problem: Problem = {
  code: 'RUN_POLL_FAILED',
  message: 'it failed',
  where: 'store',
  error: new Error('why'),
}

describe('a reporter', () => {
  test('without onError writes one warning, with the error', () => {
    using warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    reporterOf()(problem)
    expect(warn.mock.calls).toEqual([['troupe: it failed', problem.error]])
  })

  test.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('broken')
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken'))],
  ])('whose onError %s writes the problem itself, and that error once', async (_, onError) => {
    using warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    const report = reporterOf(onError)
    report(problem)
    report(problem)
    await expect.poll(() => warn).toHaveBeenCalledTimes(3)
    expect(warn.mock.calls.map(([text]) => String(text))).toEqual([
      'troupe: it failed',
      'troupe: onError threw; its later errors are not shown',
      'troupe: it failed',
    ])
  })
})

describe('onError', () => {
  test.each([['a text'], [null], [{}]])('that is %j is refused', async (onError) => {
    const { agent } = worker('solo', ['Done.'])
    expect(() => createTroupe({ agents: [agent], onError: onError as never })).toThrow(
      'createTroupe: onError must be a function',
    )
    expect(() => agent.stream('Go', { onError: onError as never })).toThrow('onError must be a function')
  })

  test('receives the error of a subscriber, with run, agent and path, and that of another listener', async () => {
    const { agent } = worker('solo', ['Done.'])
    const problems: Problem[] = []
    const troupe = createTroupe({ agents: [agent], onError: (told) => problems.push(told) })
    const run = await troupe.start(agent, 'Go')
    const first = new Error('first')
    const second = new Error('second')
    run.actor.subscribe(() => {
      throw first
    })
    Object.values(run.actor.getSnapshot().children).forEach((child) =>
      child.on('*', () => Promise.reject(second)),
    )
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    await expect.poll(() => problems).toHaveLength(2)
    const place = { where: 'observer', runId: run.id, agent: 'solo', path: 'solo' }
    expect(problems).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ ...place, error: first }),
        expect.objectContaining({ ...place, error: second }),
      ]),
    )
  })

  test('of a run takes the place of its troupe’s', async () => {
    const { agent } = worker('solo', ['Done.'])
    const onTroupe = vi.fn<() => void>()
    const onRun = vi.fn<() => void>()
    const run = await createTroupe({ agents: [agent], onError: onTroupe }).start(agent, 'Go', {
      onError: onRun,
    })
    run.actor.subscribe(() => {
      throw new Error('boom')
    })
    await run.result
    expect(onRun).toHaveBeenCalledTimes(1)
    expect(onTroupe).not.toHaveBeenCalled()
  })
})
