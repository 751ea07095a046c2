/** An inspector is a bystander: whatever it, its user's functions or its network do, the run goes on and is over. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { StatelyInspectionEvent } from '@statelyai/inspect'
import { createTroupe } from 'troupe'
import { statelyInspector, type StatelyInspectorOptions } from 'troupe/inspect-stately'
import { describe, expect, test, vi } from 'vitest'
import { calls, lead, to, worker } from '../support/agents/agents.ts'
import { isRunEnd } from './receivers.ts'

/** Runs a lead and its scout before an inspector with these options; gives what `onError` was told. */
async function runBefore(options: StatelyInspectorOptions): Promise<readonly string[]> {
  const told: string[] = []
  const inspector = statelyInspector({ onError: ({ message }) => told.push(message), ...options })
  const scout = worker('scout', ['Found.'])
  const { agent } = lead('lead', [calls(to('scout', 'Look')), 'Done.'], { agents: { scout: scout.agent } })
  const troupe = createTroupe({ agents: [agent], inspect: inspector.inspect })
  const run = await troupe.start(agent, 'Go')
  expect(await run.result).toMatchObject({
    outcome: 'completed',
    text: 'Done.',
    delegations: [{ agent: 'scout', outcome: 'succeeded', text: 'Found.' }],
  })
  await inspector.stop()
  return told
}

describe('a function of the user', () => {
  const fail = (): never => {
    throw new Error('oops')
  }

  test('adapter.send that throws', async () => {
    expect(await runBefore({ adapter: { send: fail } })).toEqual([
      'The inspector could not send a message: oops',
    ])
  })

  test('adapter.send that rejects', async () => {
    expect(await runBefore({ adapter: { send: () => Promise.reject(new Error('oops')) } })).toEqual([
      'The inspector could not send a message: oops',
    ])
  })

  test('adapter.stop that throws', async () => {
    const adapter = { send: () => undefined, stop: fail }
    expect(await runBefore({ adapter })).toEqual(['The inspector could not be stopped: oops'])
  })

  test('a filter that throws lets nothing through', async () => {
    const sent: StatelyInspectionEvent[] = []
    const adapter = { send: (message: StatelyInspectionEvent) => void sent.push(message) }
    expect(await runBefore({ adapter, filter: fail })).toEqual(['The filter of the inspector failed: oops'])
    expect(sent).toEqual([])
  })

  test('a sanitize that throws lets nothing through', async () => {
    const sent: StatelyInspectionEvent[] = []
    const adapter = { send: (message: StatelyInspectionEvent) => void sent.push(message) }
    expect(await runBefore({ adapter, sanitize: fail })).toEqual([
      'The sanitize of the inspector failed: oops',
    ])
    expect(sent).toEqual([])
  })

  test.for(['adapter', 'port'] as const)(
    'a message that sanitize made unfit to be sent, by %s',
    async (way) => {
      const options = {
        adapter: { adapter: { send: (message: StatelyInspectionEvent) => void JSON.stringify(message) } },
        port: { port: 0 },
      }[way]
      const circular = (message: StatelyInspectionEvent) => Object.assign(message, { self: message })
      expect(await runBefore({ ...options, sanitize: circular })).toEqual([
        expect.stringMatching(
          /^The inspector could not send a message: Converting circular structure to JSON/,
        ),
      ])
    },
  )

  test('an onError that throws', async () => {
    const log = vi.spyOn(console, 'warn').mockReturnValue()
    expect(await runBefore({ adapter: { send: fail }, onError: fail })).toEqual([])
    expect(log.mock.calls).toEqual([
      ['troupe: onError of an inspector threw; the same error is not reported again', new Error('oops')],
    ])
    log.mockRestore()
  })

  test('without onError, the trouble stands on the console once', async () => {
    const log = vi.spyOn(console, 'warn').mockReturnValue()
    expect(await runBefore({ adapter: { send: fail }, onError: undefined })).toEqual([])
    expect(log.mock.calls).toEqual([
      [
        'troupe/inspect-stately: The inspector could not send a message: oops. Runs go on; this is said once.',
      ],
    ])
    log.mockRestore()
  })
})

test('a port that is taken is told of, and there is no page', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const told: string[] = []
  const inspector = statelyInspector({ port, onError: ({ message }) => told.push(message) })
  expect(await inspector.page).toBe(undefined)
  const { agent } = worker('scout', ['Found.'])
  const run = await createTroupe({ agents: [agent], inspect: inspector.inspect }).start(agent, 'Go')
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Found.' })
  await inspector.stop()
  expect(told).toEqual([
    `The inspector cannot be served on port ${port}: listen EADDRINUSE: address already in use 127.0.0.1:${port}`,
  ])
  other.close()
})

test('after stop nothing is sent, and to stop again is to wait for the same end', async () => {
  const sent: StatelyInspectionEvent[] = []
  const stop = vi.fn<() => void>()
  const inspector = statelyInspector({ adapter: { send: (message) => void sent.push(message), stop } })
  const { agent } = worker('scout', ['Found.', 'Found.'])
  const troupe = createTroupe({ agents: [agent], inspect: inspector.inspect })
  await (
    await troupe.start(agent, 'Go')
  ).result
  await Promise.all([inspector.stop(), inspector.stop()])
  const before = sent.length
  expect(sent.some(isRunEnd)).toBe(true)
  await (
    await troupe.start(agent, 'Go on')
  ).result
  await inspector.stop()
  expect(sent.length).toBe(before)
  expect(stop).toHaveBeenCalledTimes(1)
})

test.for([
  [
    { port: 1, adapter: { send: (): void => undefined } },
    'port and adapter: expected at most one of port and adapter.',
  ],
  [{ port: 70_000 }, 'port must be an integer from 0 to 65535, not 70000.'],
  [{ port: 1.5 }, 'port must be an integer from 0 to 65535, not 1.5.'],
  [{ inspectorPage: 'javascript:alert(1)' }, 'inspectorPage must be a URL that begins with http: or https:.'],
  [{ adapter: {} as { send: () => void } }, 'adapter must be an object with a method "send", not {}.'],
] as const)('the options %j are refused', ([options, message]) => {
  expect(() => statelyInspector(options)).toThrow(
    expect.objectContaining({ name: 'ConfigurationError', message: `statelyInspector: ${message}` }),
  )
})
