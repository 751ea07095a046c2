/** A server with sessions is killed under the calls of many runs, and started again. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createTroupe, type OnInterrupted } from 'troupe'
import { mcpConnection, mcpTools } from 'troupe/mcp'
import { expect, test } from 'vitest'
import { calls, worker } from '../support/agents/agents.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const program = fileURLToPath(new URL('support/desk-process.ts', import.meta.url))

async function startDesk(port: number, log: string, mode: 'hold' | 'answer') {
  const child: ChildProcess = spawn(process.execPath, [program, String(port), log, mode], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout ?? child, 'data')) as [Buffer]
  const kill = async (): Promise<void> => {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  return { port: Number(line.toString()), kill }
}

/** Each run has a policy of its own for the calls that the server had begun. */
const policies: readonly OnInterrupted[] = [
  'ask',
  'ask',
  'ask',
  'ask',
  'retry',
  'retry',
  'retry',
  'fail',
  'fail',
  'fail',
]

test('of 50 calls, those that the server had begun end as their policy says, and no other is asked about, lost or made twice', async () => {
  using folder = temporaryFolder()
  const log = folder.file('calls.log')
  writeFileSync(log, '')
  const told = (what: string, key: string): number =>
    readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line === `${what} ${key}`).length
  const first = await startDesk(0, log, 'hold')
  const connection = mcpConnection({
    transport: () => new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${first.port}/mcp`)),
  })
  const call = (name: string, n: string) => ({ name, args: { n } })
  const runs = policies.map((onInterrupted, index) => {
    const key = (name: string): string => `${index}${name}`
    const { agent } = worker(
      `clerk${index}`,
      [
        calls(call('book', key('a')), call('slow', key('b')), call('slow', key('c'))),
        calls(call('book', key('d')), call('book', key('e'))),
        'Done.',
      ],
      { tools: () => mcpTools(connection, { onInterrupted }), retries: 12 },
    )
    return { agent, onInterrupted, key }
  })
  const troupe = createTroupe({ agents: runs.map(({ agent }) => agent), onError: () => undefined })
  const started = await Promise.all(runs.map(({ agent }) => troupe.start(agent, 'Go')))
  await expect
    .poll(
      () =>
        runs.every(
          ({ key }) => told('answered', key('a')) + told('begun', key('b')) + told('begun', key('c')) === 3,
        ),
      {
        timeout: 60_000,
      },
    )
    .toBe(true)

  await first.kill()
  const second = await startDesk(first.port, log, 'answer')

  for (const [index, { onInterrupted, key }] of runs.entries()) {
    const run = started[index]
    if (run === undefined) throw new Error('There is no such run.')
    const idle = await run.whenIdle
    if (onInterrupted === 'ask') {
      expect(idle).toMatchObject({ outcome: 'suspended' })
      const { awaiting } = idle.outcome === 'suspended' ? idle : { awaiting: [] }
      expect(awaiting.map(({ toolName, payload }) => [toolName, payload])).toMatchObject([
        ['slow', { interrupted: true }],
        ['slow', { interrupted: true }],
      ])
      expect([told('begun', key('b')), told('begun', key('c'))]).toEqual([1, 1])
      for (const { toolCallId } of awaiting) await run.resume(toolCallId, { retry: true })
    }
    const { outcome, steps } = await run.result
    expect(outcome).toBe('completed')
    const results = steps.flatMap(({ toolResults }) => toolResults)
    for (const [name, record] of ['a', 'b', 'c', 'd', 'e'].map((one, at) => [one, results[at]] as const)) {
      const wasBegun = name === 'b' || name === 'c'
      const isFailed = wasBegun && onInterrupted === 'fail'
      expect([key(name), record]).toMatchObject([
        key(name),
        isFailed
          ? { outcome: 'failed', error: { code: 'MCP_CONNECTION_LOST' } }
          : { value: `booked ${key(name)}` },
      ])
      expect([key(name), told('begun', key(name)), told('answered', key(name))]).toEqual([
        key(name),
        wasBegun && !isFailed ? 2 : 1,
        isFailed ? 0 : 1,
      ])
    }
  }
  await troupe.close()
  await connection.close()
  await second.kill()
}, 120_000)
