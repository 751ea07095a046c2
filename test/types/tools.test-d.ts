/** What of tools must, and must not, compile. */
import {
  createAgent,
  createTool,
  jsonSchema,
  openai,
  type AbortReason,
  type JsonObject,
  type JsonValue,
  type Schema,
  type SuspensionAnswer,
  type Tool,
  type ToolSignal,
} from 'troupe'
import { z } from 'zod'
import { expectType } from './expect-type.ts'

const model = openai('gpt-5-mini')
const common = { id: 'search', description: 'Searches.' }

const search = createTool({
  ...common,
  inputSchema: z.object({ query: z.string(), limit: z.number().default(3), since: z.coerce.date() }),
  outputSchema: z.object({ hits: z.array(z.string()) }),
  requireApproval: (input) => {
    expectType<{ query: string; limit: number; since: Date }>()(input)
    return input.limit > 10
  },
  execute: (input, { signal, idempotencyKey, runId, agent, toolCallId, suspend, resumeData, answers }) => {
    expectType<{ query: string; limit: number; since: Date }>()(input)
    expectType<ToolSignal>()(signal)
    const fired: AbortSignal = signal
    expectType<AbortReason | undefined>()(signal.reason)
    if (signal.reason?.code === 'TROUPE_CLOSED') void fired
    // @ts-expect-error: no such reason
    if (signal.reason?.code === 'SOMETHING_ELSE') void fired
    expectType<string>()(idempotencyKey)
    expectType<string>()(runId)
    expectType<string>()(agent)
    expectType<string>()(toolCallId)
    expectType<JsonValue | undefined>()(resumeData)
    if (resumeData === undefined) expectType<never>()(suspend({ ask: input.query }, { name: 'first' }))
    expectType<SuspensionAnswer | undefined>()(answers.named('first'))
    const told: JsonValue[] = answers.flatMap(({ payload, data }) => [payload, data])
    void told
    // @ts-expect-error a name is text
    void answers.named(1)
    // @ts-expect-error there is no such argument
    void input.page
    return { hits: [input.query] }
  },
})
expectType<Tool<{ hits: string[] }>>()(search)
export const tool: Tool = search

// What a tool returns needs no schema, and may come later.
createTool({ ...common, inputSchema: z.object({}), execute: async () => ['a', 1] })
createTool({
  ...common,
  inputSchema: z.object({}),
  requireApproval: async () => true,
  onInterrupted: 'ask',
  execute: () => undefined,
})

// Any Standard Schema will do.
declare const other: Schema<unknown, { readonly city: string }>
createTool({
  ...common,
  inputSchema: other,
  execute: (input) => expectType<{ readonly city: string }>()(input),
})

// A plain JSON Schema describes JSON objects, or what its user says.
createTool({
  ...common,
  inputSchema: jsonSchema({ type: 'object', properties: { city: { type: 'string' } } }),
  execute: (input) => expectType<JsonObject>()(input),
})
createTool({
  ...common,
  inputSchema: jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } } }),
  execute: (input) => expectType<{ city: string }>()(input),
})
// @ts-expect-error a JSON Schema is an object
jsonSchema('{}')

createTool({
  ...common,
  inputSchema: z.object({}),
  outputSchema: z.object({ hits: z.array(z.string()) }),
  // @ts-expect-error the result does not fit the output schema
  execute: () => ({ hits: [1] }),
})
createTool({
  ...common,
  inputSchema: z.object({ query: z.string() }),
  // @ts-expect-error the input has no such shape
  execute: (input: { text: string }) => input.text,
})
// @ts-expect-error a predicate answers with a boolean
createTool({ ...common, inputSchema: z.object({}), requireApproval: () => 'yes', execute: () => 1 })
createTool({ ...common, inputSchema: z.object({}), background: true, execute: () => 1 })
createTool({ ...common, inputSchema: z.object({}), background: { concurrency: 2 }, execute: () => 1 })
// @ts-expect-error the timeout is that of the tool
createTool({ ...common, inputSchema: z.object({}), background: { timeoutMs: 5 }, execute: () => 1 })
// @ts-expect-error there is no such way
createTool({ ...common, inputSchema: z.object({}), onInterrupted: 'again', execute: () => 1 })
// @ts-expect-error JSON Schema as such is not taken
createTool({ ...common, inputSchema: { type: 'object' }, execute: () => 1 })
// @ts-expect-error there is no such option
createTool({ ...common, inputSchema: z.object({}), parameters: {}, execute: () => 1 })
// @ts-expect-error a description is required
createTool({ id: 'search', inputSchema: z.object({}), execute: () => 1 })
// @ts-expect-error an input schema is required
createTool({ ...common, execute: () => 1 })
// @ts-expect-error execute is required
createTool({ ...common, inputSchema: z.object({}) })
// @ts-expect-error a tool is made with createTool
createAgent({ id: 'a', instructions: '', model, tools: { search: { execute: () => 1 } } })
// @ts-expect-error tools stand under their names
createAgent({ id: 'a', instructions: '', model, tools: [search] })
