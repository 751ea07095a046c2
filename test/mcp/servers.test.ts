/** Servers that others wrote, started as programs of their own: over stdio and over Streamable HTTP. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import {
  mcpConnection,
  mcpTools,
  type McpConnection,
  type McpProgress,
  type McpToolsOptions,
} from 'troupe/mcp'
import type { ScriptedToolCall } from 'troupe/testing'
import { expect, test } from 'vitest'
import { calls, worker } from '../support/agents/agents.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const program = (name: string): string =>
  join(
    dirname(createRequire(import.meta.url).resolve(`@modelcontextprotocol/${name}/package.json`)),
    'dist/index.js',
  )

const stdio = (name: string, args: readonly string[] = [], env: Record<string, string> = {}): McpConnection =>
  mcpConnection({
    transport: () =>
      new StdioClientTransport({
        command: process.execPath,
        args: [program(name), ...args],
        env: { PATH: process.env['PATH'] ?? '', ...env },
        stderr: 'ignore',
      }),
  })

/** The results of calls, one after the other. */
async function results(
  connection: McpConnection,
  all: readonly ScriptedToolCall[],
  options: McpToolsOptions = {},
): Promise<readonly object[]> {
  const { agent } = worker('clerk', [...all.map((call) => calls(call)), 'Done.'], {
    tools: () => mcpTools(connection, { approve: false, ...options }),
  })
  const { steps } = await agent.generate('Go', { maxSteps: all.length + 2 })
  return steps.flatMap(({ toolResults }) => toolResults)
}

test('server-filesystem: writes, reads, and keeps to its folder', async () => {
  using folder = temporaryFolder()
  const root = join(folder.path, 'files')
  mkdirSync(root)
  writeFileSync(join(root, 'tea.txt'), 'Tea is old.')
  const connection = stdio('server-filesystem', [root])
  const [read, written, list, outside] = await results(
    connection,
    [
      { name: 'fs_read_text_file', args: { path: join(root, 'tea.txt') } },
      { name: 'fs_write_file', args: { path: join(root, 'new.txt'), content: 'New.' } },
      { name: 'fs_list_directory', args: { path: root } },
      { name: 'fs_read_text_file', args: { path: join(folder.path, 'secret.txt') } },
    ],
    { prefix: 'fs_' },
  )
  expect(read).toMatchObject({ outcome: 'succeeded', value: { content: 'Tea is old.' } })
  expect(written).toMatchObject({ outcome: 'succeeded' })
  expect(JSON.stringify(list)).toContain('new.txt')
  expect(outside).toMatchObject({ outcome: 'failed', error: { code: 'MCP_TOOL_FAILED' } })
  await connection.close()
})

test('server-memory: remembers over connections', async () => {
  using folder = temporaryFolder()
  const env = { MEMORY_FILE_PATH: join(folder.path, 'memory.jsonl') }
  const entities = [{ name: 'Ada', entityType: 'person', observations: ['writes programs'] }]
  const first = stdio('server-memory', [], env)
  const [created] = await results(first, [{ name: 'create_entities', args: { entities } }])
  expect(created).toMatchObject({ outcome: 'succeeded', value: { entities } })
  await first.close()
  const second = stdio('server-memory', [], env)
  const [found] = await results(second, [{ name: 'search_nodes', args: { query: 'Ada' } }])
  expect(found).toMatchObject({ outcome: 'succeeded', value: { entities } })
  await second.close()
})

test('server-everything over stdio: text, structured content, an image, progress', async () => {
  const connection = stdio('server-everything', ['stdio'])
  const progress: McpProgress[] = []
  const [echo, structured, image, long] = await results(
    connection,
    [
      { name: 'echo', args: { message: 'hello' } },
      { name: 'get-structured-content', args: { location: 'New York' } },
      { name: 'get-tiny-image', args: {} },
      { name: 'trigger-long-running-operation', args: { duration: 0.2, steps: 2 } },
    ],
    { onProgress: (one) => void progress.push(one) },
  )
  expect(echo).toMatchObject({ outcome: 'succeeded', value: 'Echo: hello' })
  expect(structured).toMatchObject({ outcome: 'succeeded', value: { temperature: expect.any(Number) } })
  expect(image).toMatchObject({
    value: { files: [{ type: 'file', mediaType: 'image/png', ref: expect.any(String) }] },
  })
  expect(long).toMatchObject({ outcome: 'succeeded' })
  expect(progress[0]).toMatchObject({ progress: 1, total: 2, tool: 'trigger-long-running-operation' })
  await connection.close()
})

test('server-everything over Streamable HTTP: also after it was started again', async () => {
  const port = await freePort()
  const start = async () => {
    const server = spawn(process.execPath, [program('server-everything'), 'streamableHttp'], {
      env: { PATH: process.env['PATH'] ?? '', PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    await once(server.stderr, 'data')
    await expect.poll(() => isOpen(port)).toBe(true)
    return server
  }
  const connection = mcpConnection({
    transport: () => new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)),
  })
  const echo = { name: 'echo', args: { message: 'hello' } }
  const options = { only: ['echo'], onInterrupted: 'retry' } as const
  const first = await start()
  expect(await results(connection, [echo], options)).toMatchObject([{ value: 'Echo: hello' }])
  first.kill('SIGKILL')
  await once(first, 'exit')
  const second = await start()
  expect(await results(connection, [echo], options)).toMatchObject([{ value: 'Echo: hello' }])
  await connection.close()
  second.kill('SIGKILL')
  await once(second, 'exit')
})

test('a program that ends during the run is started again', async () => {
  const pids: (number | null)[] = []
  const transports: StdioClientTransport[] = []
  const connection = mcpConnection({
    transport: () => {
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [program('server-everything'), 'stdio'],
        stderr: 'ignore',
      })
      transports.push(transport)
      return transport
    },
  })
  const echo = (message: string) => calls({ name: 'echo', args: { message } })
  const { agent } = worker(
    'clerk',
    [
      echo('one'),
      () => {
        const pid = transports.at(-1)?.pid ?? null
        pids.push(pid)
        if (pid !== null) process.kill(pid, 'SIGKILL')
        return echo('two')
      },
      'Done.',
    ],
    { tools: () => mcpTools(connection, { only: ['echo'], onInterrupted: 'retry' }) },
  )
  const { steps } = await agent.generate('Go')
  expect(steps.flatMap(({ toolResults }) => toolResults)).toMatchObject([
    { value: 'Echo: one' },
    { value: 'Echo: two' },
  ])
  expect(transports.length).toBe(2)
  expect(pids).toEqual([expect.any(Number)])
  await connection.close()
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function isOpen(port: number): Promise<boolean> {
  try {
    await fetch(`http://127.0.0.1:${port}/mcp`)
    return true
  } catch {
    return false // nothing listens yet
  }
}
