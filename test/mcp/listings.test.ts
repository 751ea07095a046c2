/** A listing of any size and shape becomes tools without holding the event loop, and each schema is compiled when it is used. */
import { mcpTools } from 'troupe/mcp'
import { expect, test } from 'vitest'

const field = (number: number) => ({
  type: 'string',
  minLength: 1,
  description: `The field ${number} of the tool, with a text of the usual length that tells a model what it is for.`,
})

const fields = (count: number) => ({
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`field_${index}`, field(index)]),
  ),
})

/** A client that is connected to a server with these tools. */
const clientWith = (tools: readonly { readonly name: string; readonly inputSchema: object }[]) => ({
  listTools: () => Promise.resolve({ tools }),
  callTool: () => Promise.resolve({ content: [] }),
})

/** About a kilobyte for each tool, or for each seven fields of the one. */
const listings: Readonly<Record<string, (kilobytes: number) => Parameters<typeof clientWith>[0]>> = {
  'many tools': (kilobytes) =>
    Array.from({ length: kilobytes }, (_, index) => ({ name: `tool_${index}`, inputSchema: fields(7) })),
  'one tool': (kilobytes) => [{ name: 'tool', inputSchema: fields(7 * kilobytes) }],
}

/** The least of several preparations, in milliseconds. */
async function timeOf(listing: Parameters<typeof clientWith>[0]): Promise<number> {
  const times: number[] = []
  for (let count = 0; count < 3; count++) {
    const begun = performance.now()
    await mcpTools(clientWith(listing))
    times.push(performance.now() - begun)
  }
  return Math.min(...times)
}

// A quadratic preparation takes four hundred times as long for twenty times the text.
test.each(Object.entries(listings))('%s are prepared in linear time', async (_, listing) => {
  const [short, long] = [await timeOf(listing(50)), await timeOf(listing(1000))]
  expect(long).toBeLessThan(200 * Math.max(short, 5))
})

test('other work has its turn while the tools of a large listing are prepared', async () => {
  let turns = 0
  const other = setInterval(() => turns++, 0)
  await mcpTools(clientWith(listings['many tools']?.(1000) ?? []))
  clearInterval(other)
  expect(turns).toBeGreaterThan(9)
})

test('a schema is compiled at its first use', async () => {
  let reads = 0
  const properties = {
    get a() {
      reads++
      return { type: 'string' }
    },
  }
  const listed = [
    { name: 'look', inputSchema: { type: 'object' }, outputSchema: { type: 'object', properties } },
  ]
  const { look } = await mcpTools(clientWith(listed))
  expect(reads).toBe(0)
  const validate = look?.outputSchema?.['~standard'].validate
  expect(validate?.({ a: 1 })).toHaveProperty('issues')
  const first = reads
  expect(first).toBeGreaterThan(0)
  expect(validate?.({ a: 'x' })).toMatchObject({ value: { a: 'x' } })
  expect(reads).toBe(first)
})

test('a large schema is checked by the server alone', async () => {
  const listed = [50, 1000].map((count) => ({
    name: `tool_${count}`,
    inputSchema: fields(count),
    outputSchema: fields(count),
  }))
  const { tool_50: small, tool_1000: large } = await mcpTools(clientWith(listed))
  const wrong = { field_1: 1 }
  for (const schema of [small?.inputSchema, small?.outputSchema])
    expect(schema?.['~standard'].validate(wrong)).toHaveProperty('issues')
  for (const schema of [large?.inputSchema, large?.outputSchema])
    expect(schema?.['~standard'].validate(wrong)).toEqual({ value: wrong })
})

test('of tools that have one name the first counts, and the developer is told', async () => {
  const problems: unknown[] = []
  const twice = ['first', 'second'].map((description) => ({
    name: 'look',
    description,
    inputSchema: { type: 'object' },
  }))
  const other = { name: 'find', inputSchema: { type: 'object' } }
  const tools = await mcpTools(clientWith([...twice, other]), {
    onError: ({ code, error }) => problems.push([code, error]),
  })
  expect(Object.values(tools).map(({ id, description }) => [id, description])).toEqual([
    ['look', 'first'],
    ['find', 'find'],
  ])
  expect(problems).toEqual([
    ['MCP_DUPLICATE_TOOL', expect.objectContaining({ message: expect.stringContaining('"look"') as string })],
  ])
})
