/** Behaviour 99. What a program can do and cannot, and what becomes of one that goes wrong. */
import { createTool, deferTools, createTroupe, type ErrorData, type JsonValue } from 'troupe'
import { codeMode, type CodeLimits } from 'troupe/code-mode'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { calls, lead, to } from '../support/agents/agents.ts'

const units: Readonly<Record<string, number>> = { a: 3, b: 7, c: 2 }

const stock = createTool({
  id: 'stock',
  description: 'Tells how many units of an item are there.',
  inputSchema: z.object({ id: z.string() }),
  outputSchema: z.object({ id: z.string(), units: z.number() }),
  execute: ({ id }) => ({ id, units: units[id] ?? 0 }),
})

const broken = createTool({
  id: 'broken',
  description: 'Fails.',
  inputSchema: z.object({}),
  execute: () => {
    throw new Error('the secret of the database')
  },
})

const echo = createTool({
  id: 'echo-it',
  description: 'Gives back.',
  inputSchema: z.object({ it: z.unknown() }),
  execute: ({ it }) => it as JsonValue,
})

const tools = { stock, broken, 'echo-it': echo }

/** A result with the error that it has, if any. */
function ended<Result extends object>(result: Result): Result & { readonly error?: ErrorData } {
  return result
}

async function resultOf(program: string, limits: CodeLimits = {}) {
  const code = codeMode({ id: 'code', tools, limits, retries: 0 })
  return ended(await code.generate(program, { onError: () => undefined }))
}

async function textOf(program: string): Promise<string> {
  const { outcome, text } = await resultOf(program)
  expect(outcome).toBe('completed')
  return text
}

describe('a program', () => {
  test.for([
    ['returns JSON', 'return { a: [1, null, "x"] }', '{"a":[1,null,"x"]}'],
    ['returns a text as it is', 'return "a\\nb"', 'a\nb'],
    ['returns nothing', '1 + 1', ''],
    ['returns null', 'return null', 'null'],
    ['writes instead of returning', 'console.log("a", { b: 1 }); console.warn("c")', 'a {"b":1}\nc'],
    ['calls a tool', 'return (await tools.stock({ id: "b" })).units', '7'],
    [
      'calls tools side by side, and one after the other',
      'const all = await Promise.all(["a", "b", "c"].map((id) => tools.stock({ id }))); ' +
        'const low = all.filter((row) => row.units < 5); const again = []; ' +
        'for (const { id } of low) again.push((await tools.stock({ id })).units); return again',
      '[3,2]',
    ],
    ['calls a tool whose name is no identifier', 'return tools["echo-it"]({ it: [1] })', '[1]'],
    [
      'awaits in any order',
      'const b = tools.stock({ id: "b" }); const a = await tools.stock({ id: "a" }); return a.units + (await b).units',
      '10',
    ],
    [
      'takes the first of several',
      'return (await Promise.race([tools.stock({ id: "a" }), tools.stock({ id: "b" })])).id',
      'a',
    ],
    ['makes calls that nothing awaits', 'tools.stock({ id: "a" }); return "ended"', 'ended'],
    ['within a block of Markdown', '```js\nreturn 5\n```\n', '5'],
    ['with a comment at its end', 'return 5 // five', '5'],
    [
      'catches the error of a call',
      'try { await tools.broken({}) } catch (error) { return [error instanceof Error, error.code, error.message] }',
      '[true,"TOOL_FAILED","The tool \\"broken\\" failed."]',
    ],
    [
      'catches wrong arguments',
      'try { await tools.stock({ id: 5 }) } catch (error) { return error.code }',
      'INVALID_TOOL_CALL',
    ],
    [
      'has no clock, network or process',
      'return [typeof Date, typeof fetch, typeof process, typeof require, typeof setTimeout]',
      '["undefined","undefined","undefined","undefined","undefined"]',
    ],
    [
      'has nothing in its global scope but the tools',
      'return Object.keys(globalThis)',
      '["tools","console"]',
    ],
    [
      'cannot leave by a constructor',
      'return tools.stock.constructor.constructor("return typeof process")()',
      'undefined',
    ],
    [
      'changes nothing of the tools by changing what they use',
      'JSON.parse = () => 0; JSON.stringify = () => "[]"; Promise.prototype.then = () => 0; Object.assign = () => 0; return (await tools.stock({ id: "b" })).units',
      '7',
    ],
    ['does not share the prototypes of another', 'Object.prototype.x = 1; return ({}).x', '1'],
  ] as const)('%s', async ([, program, text]) => {
    expect(await textOf(program)).toBe(text)
  })

  test.for([
    ['a text with the character 0', 'return "a\\0b"', 'a\0b'],
    ['a line with the character 0', 'console.log("a\\0b")', 'a\0b'],
    [
      'no clock and no randomness beside its function',
      '}, globalThis.found = [typeof Date, typeof WeakRef], async () => { return globalThis.found',
      '["undefined","undefined"]',
    ],
    [
      'what the tools need, though it changes it beside its function',
      '}, JSON.stringify = () => "x", async () => { return (await tools.stock({ id: "b" })).units',
      '7',
    ],
  ] as const)('has %s', async ([, program, text]) => {
    expect(await textOf(program)).toBe(text)
  })

  test.for([
    ['throws', 'throw new TypeError("no")', 'CODE_FAILED', 'TypeError: no (line 1)'],
    ['throws in its third line', '\n\nnull.x', 'CODE_FAILED', /^TypeError: .*\(line 3\)$/],
    [
      'throws a value that cannot be read',
      'throw { get toJSON() { throw 1 } }',
      'CODE_FAILED',
      'Error: The program threw a value that cannot be read.',
    ],
    [
      'throws what JSON cannot write',
      '}); throw 10n; (async () => {',
      'CODE_FAILED',
      'Error: The program threw a value.',
    ],
    ['throws a value', 'throw { why: 1 }', 'CODE_FAILED', 'Error: {"why":1}'],
    ['is no JavaScript', 'return 1 +', 'CODE_FAILED', /^SyntaxError: /],
    [
      'does not catch the error of a call',
      'await tools.broken({})',
      'CODE_FAILED',
      /: The tool "broken" failed\.$/,
    ],
    [
      'calls a tool that is not there',
      'return tools.nope({})',
      'CODE_FAILED',
      'TypeError: There is no tool "nope". There are: broken, echo-it, stock. (line 1)',
    ],
    [
      'waits for nothing',
      'await new Promise(() => {})',
      'CODE_NEVER_SETTLES',
      'The program waits for a promise that nothing settles.',
    ],
    ['asks for randomness', 'return Math.random()', 'CODE_FAILED', /no randomness/],
    ['returns what is no JSON', 'return 10n', 'CODE_FAILED', /BigInt/],
    ['returns a circle', 'const a = {}; a.a = a; return a', 'CODE_FAILED', /circular/],
    ['recurses without end', 'const f = () => f() + 1; f()', 'CODE_FAILED', /stack overflow/],
    ['nests too deeply to be read', 'return JSON.parse("[".repeat(1e6))', 'CODE_FAILED', /./],
  ] as const)('fails where it %s', async ([, program, code, message]) => {
    const { outcome, error, text } = await resultOf(program)
    expect([outcome, error?.code, text]).toEqual(['failed', code, ''])
    if (typeof message === 'string') expect(error?.message).toBe(message)
    else expect(error?.message).toMatch(message)
    expect(JSON.stringify(error)).not.toContain('secret')
  })

  const small = { memory: 2 * 1024 * 1024, instructions: 1_000_000, calls: 10, text: 100, time: 20_000 }

  test.for([
    ['instructions', 'for (;;) {}', 'CODE_OUT_OF_FUEL'],
    ['instructions after a call', 'await tools.stock({ id: "a" }); for (;;) {}', 'CODE_OUT_OF_FUEL'],
    ['instructions, and catches', 'for (;;) { try { for (;;) {} } catch {} }', 'CODE_OUT_OF_FUEL'],
    ['instructions in an expression', '/^(a+)+$/.test("a".repeat(40) + "b")', 'CODE_OUT_OF_FUEL'],
    ['memory', 'const all = []; for (;;) all.push(new Array(1000).fill(0))', 'CODE_OUT_OF_MEMORY'],
    ['a gigabyte', 'return "x".repeat(2 ** 29).length', 'CODE_OUT_OF_MEMORY'],
    ['characters of the result', 'return "x".repeat(101)', 'CODE_RESULT_TOO_LARGE'],
    [
      'calls',
      'const all = []; for (let n = 0; n < 11; n++) all.push(tools.stock({ id: "a" })); await Promise.all(all)',
      'CODE_FAILED',
    ],
  ] as const)('is stopped where it uses up its %s', async ([, program, code]) => {
    const { outcome, error } = await resultOf(program, small)
    expect([outcome, error?.code]).toEqual(['failed', code])
  })

  test('is stopped where it does not come back in time', async () => {
    const { outcome, error } = await resultOf('for (;;) "x".repeat(1e6)', { time: 300 })
    expect([outcome, error?.code]).toEqual(['failed', 'CODE_TIMEOUT'])
  })

  test('can catch that its calls are used up, and none beyond is made', async () => {
    const program =
      'let failed = 0; for (let n = 0; n < 15; n++) try { await tools.stock({ id: "a" }) } ' +
      'catch (error) { if (error.code === "CODE_TOO_MANY_CALLS") failed++ } return failed'
    const { text, steps } = await resultOf(program, small)
    expect(text).toBe('5')
    expect(steps.flatMap(({ toolCalls }) => toolCalls)).toHaveLength(10)
  })

  test('that is stopped takes no other with it', async () => {
    const approved = createTool({
      id: 'order',
      description: 'Orders.',
      inputSchema: z.object({ id: z.string() }),
      requireApproval: true,
      execute: ({ id }) => ({ ordered: id }),
    })
    const code = codeMode({ id: 'code', tools: { stock, order: approved }, limits: { time: 1000 } })
    const troupe = createTroupe({ agents: [code], onError: () => undefined })
    onTestFinished(() => troupe.close())
    const waits = await troupe.start(
      code,
      'const first = await tools.stock({ id: "a" }); const second = await tools.order({ id: first.id }); return [first, second]',
    )
    const idle = await waits.whenIdle
    if (idle.outcome !== 'suspended') throw new Error(`it is ${idle.outcome}`)
    const hostile = await troupe.start(code, 'for (;;) "x".repeat(1e6)')
    expect(ended(await hostile.result).error?.code).toBe('CODE_TIMEOUT')
    const [question] = idle.awaiting
    await waits.approve(question?.toolCallId ?? '')
    expect((await waits.result).text).toBe('[{"id":"a","units":3},{"ordered":"a"}]')
  })

  test('asks for more than its thread can hold, and the process goes on', async () => {
    const program = 'const one = {}; const it = Array(5e6).fill(one); return tools["echo-it"]({ it })'
    const { outcome, error } = await resultOf(program)
    expect(outcome).toBe('failed')
    expect(error?.code).toMatch(/^CODE_/)
    expect(await textOf('return 1')).toBe('1')
  })

  test('begins in time, though its thread must begin first', async () => {
    await resultOf('for (;;) "x".repeat(1e6)', { time: 300 }) // ends the thread
    const { text } = await resultOf('return 1', { time: 300 })
    expect(text).toBe('1')
  })

  test('of another troupe with the same run id and path is another program', async () => {
    const code = () => codeMode({ id: 'code', tools })
    const [one, other] = [code(), code()]
    const [first, second] = [one, other].map((agent) => createTroupe({ agents: [agent] }))
    onTestFinished(async () => void (await Promise.all([first?.close(), second?.close()])))
    const programs = ['a', 'b'].map(
      (id) =>
        `const it = await tools["echo-it"]({ it: "${id}" }); return it + await tools["echo-it"]({ it })`,
    )
    const runs = await Promise.all([
      first?.start(one, programs[0] ?? '', { runId: 'same' }),
      second?.start(other, programs[1] ?? '', { runId: 'same' }),
    ])
    const results = await Promise.all(runs.map(async (run) => run?.result))
    expect(results.map((result) => result?.text)).toEqual(['aa', 'bb'])
  })

  test('stops with its run', async () => {
    const code = codeMode({ id: 'code', tools })
    const troupe = createTroupe({ agents: [code], onError: () => undefined })
    onTestFinished(() => troupe.close())
    const run = await troupe.start(code, 'for (;;) "x".repeat(1e6)')
    await run.cancel('enough')
    expect((await run.result).outcome).toBe('cancelled')
  })
})

test('a supervisor delegates programs, and reads their answers and their errors', async () => {
  const code = codeMode({ id: 'code', description: 'Knows the stock.', tools })
  const steps = [
    calls(to('code', 'return tools.stok({ id: "a" })')),
    calls(to('code', 'return (await tools.stock({ id: "a" })).units')),
    'There are 3.',
  ]
  const { agent, model } = lead('lead', steps, { agents: { code } })
  const { outcome, text } = await agent.generate('How many?', { onError: () => undefined })
  expect([outcome, text]).toEqual(['completed', 'There are 3.'])
  const read = model.calls.map(({ request }) => request.messages.at(-1)?.content)
  expect(read).toEqual([
    'How many?',
    '{"error":"The agent \\"code\\" failed: TypeError: There is no tool \\"stok\\". There are: broken, echo-it, stock. (line 1)"}',
    '3',
  ])
  const [offered] = model.calls[0]?.request.tools ?? []
  expect(offered?.description).toBe(
    [
      'Delegate a task to the agent "code": Knows the stock.',
      '',
      'Runs a program in JavaScript that calls the tools below, and answers with what it returns.',
      'The prompt is the program alone: the body of an async function. `await` a call, `return` the result.',
      'Independent calls run side by side in `Promise.all`. Keep what the answer does not need inside of the program.',
      'A call that fails throws an Error with `code` and `message`. There is no network, clock, randomness, import or require.',
      '',
      '/** Tells how many units of an item are there. */',
      'tools.stock(args: { id: string }): Promise<{ id: string; units: number }>',
      '/** Fails. */',
      'tools.broken(args: Record<string, unknown>): Promise<unknown>',
      '/** Gives back. */',
      'tools["echo-it"](args: { it: unknown }): Promise<unknown>',
    ].join('\n'),
  )
})

test.for([
  [
    { id: 'code', tools: {} },
    'codeMode("code"): tools must hold at least one tool: a program has nothing else.',
  ],
  [{ id: 'code' }, /codeMode\("code"\).*tools/],
  [{ id: 'code', tools: { stock: {} } }, 'codeMode("code"): the tool "stock" must come from createTool().'],
  [{ id: 'code', tools: deferTools(tools) }, /is deferred, and a program has its tools declared at once/],
  [{ id: 'code', tools, limits: { memory: 0 } }, /memory/],
  [{ id: 'code', tools, model: 'openai/x' }, /model/],
  [{ id: 'no id!', tools }, /id/],
  [undefined, /codeMode/],
] as const)('a wrong option is refused: %#', ([config, message]) => {
  expect(() => codeMode(config as never)).toThrow(message)
})
