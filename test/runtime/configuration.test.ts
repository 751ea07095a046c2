import { expect, test } from 'vitest'
import {
  ConfigurationError,
  createAgent,
  createScorer,
  createSupervisor,
  createTool,
  createTroupe,
} from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { z } from 'zod'

const model = scriptedModel([])
const base = { id: 'a', instructions: '', model }
const tool = createTool({ id: 't', description: 'd', inputSchema: z.object({}), execute: () => 1 })
const scorer = createScorer({ id: 's', score: () => 1 })
const agent = (id: string, description = 'd') => createAgent({ ...base, id, description })

/** Mistakes that the types would catch: users of JavaScript make them too. */
const wrong = (value: unknown) => value as never

test.each<[string, () => unknown, string]>([
  ['no id', () => createAgent(wrong({ instructions: '', model })), 'the id undefined is not allowed'],
  ['an id with a slash', () => createAgent({ ...base, id: 'a/b' }), 'the id "a/b" is not allowed'],
  ['a reserved id', () => createAgent({ ...base, id: 'agent-x' }), '"agent-", which is reserved'],
  ['an id that is too long', () => createAgent({ ...base, id: 'a'.repeat(56) }), 'is not allowed'],
  ['no model', () => createAgent(wrong({ id: 'a', instructions: '' })), 'model must be a ChatModel'],
  [
    'instructions of numbers',
    () => createAgent(wrong({ id: 'a', model, instructions: 5 })),
    'instructions must be a text',
  ],
  [
    'an unknown option',
    () => createAgent({ ...base, ...(wrong({ maxStep: 1 }) as object) }),
    'there is no option "maxStep"',
  ],
  ['maxSteps 0', () => createAgent({ ...base, maxSteps: 0 }), 'maxSteps must be a positive integer, not 0'],
  [
    'maxSteps 1.5',
    () => createAgent({ ...base, maxSteps: 1.5 }),
    'maxSteps must be a positive integer, not 1.5',
  ],
  [
    'a negative retry',
    () => createAgent({ ...base, retries: -1 }),
    'retries must be 0 or a positive integer',
  ],
  [
    'a wrong choice',
    () => createAgent({ ...base, onExhausted: wrong('x') }),
    "must be 'finalTurn' or 'stop', not \"x\"",
  ],
  [
    'stopWhen that is no function',
    () => createAgent({ ...base, stopWhen: wrong(3) }),
    'stopWhen must be a function',
  ],
  [
    'a tool that is none',
    () => createAgent({ ...base, tools: wrong({ t: {} }) }),
    'must come from createTool()',
  ],
  [
    'a tool name with a space',
    () => createAgent({ ...base, tools: { 'a b': tool } }),
    'the tool name "a b" is not allowed',
  ],
  [
    'a tool named as an agent',
    () => createAgent({ ...base, tools: { 'agent-x': tool } }),
    'not beginning with "agent-"',
  ],
  [
    'an agent that is none',
    () => createSupervisor({ ...base, agents: wrong({ x: {} }) }),
    'must come from createAgent()',
  ],
  [
    'an agent without description',
    () => createSupervisor({ ...base, agents: { x: agent('x', '') } }),
    'has no description',
  ],
  ['no scorer', () => createSupervisor({ ...base, completion: { scorers: [] } }), 'at least one scorer'],
  [
    'a scorer twice',
    () => createSupervisor({ ...base, completion: { scorers: [scorer, scorer] } }),
    '"s" stands twice',
  ],
  [
    'a timeout of 0',
    () => createSupervisor({ ...base, delegation: { timeout: 0 } }),
    'positive number of milliseconds',
  ],
  [
    'an unknown delegation option',
    () => createSupervisor({ ...base, delegation: wrong({ onStart: 1 }) }),
    'there is no option "onStart"',
  ],
  [
    'a threshold of 2',
    () => createScorer({ id: 's', threshold: 2, score: () => 1 }),
    'threshold must be a number from 0 to 1',
  ],
  [
    'a tool without description',
    () => createTool({ id: 't', description: ' ', inputSchema: z.object({}), execute: () => 1 }),
    'description must be a text that is not empty',
  ],
  [
    'a tool without schema',
    () => createTool(wrong({ id: 't', description: 'd', execute: () => 1 })),
    'inputSchema must be a zod schema',
  ],
  [
    'a schema of a string',
    () => createTool({ id: 't', description: 'd', inputSchema: z.string(), execute: () => 1 }),
    'expected a schema of an object',
  ],
  [
    'a schema with a date',
    () => createTool({ id: 't', description: 'd', inputSchema: z.object({ d: z.date() }), execute: () => 1 }),
    'cannot be expressed as JSON Schema',
  ],
  ['no agents', () => createTroupe({ agents: [] }), 'at least one agent'],
  [
    'two agents of one id',
    () => createTroupe({ agents: [agent('a'), agent('a')] }),
    'two different agents with the id "a"',
  ],
  [
    'two subagents of one id',
    () => createTroupe({ agents: [createSupervisor({ ...base, agents: { x: agent('x'), y: agent('x') } })] }),
    'two different agents with the id "x"',
  ],
])('%s is a ConfigurationError that says so', (_what, create, message) => {
  expect(create).toThrow(ConfigurationError)
  expect(create).toThrow(message)
})

test.each<[string, unknown, string]>([
  ['an empty prompt', '  ', 'The prompt is empty.'],
  ['no message', [], 'last message of a prompt must be the user'],
  [
    'a last message that is not the user’s',
    [{ role: 'assistant', content: 'x' }],
    'last message of a prompt must be the user',
  ],
])('%s is refused before a run begins', async (_what, prompt, message) => {
  await expect(createAgent(base).generate(prompt as never)).rejects.toThrow(message)
})

test('a wrong option of one run is refused, and names the agent', async () => {
  await expect(createAgent(base).generate('x', { maxSteps: 0 })).rejects.toThrow(
    'options of a run of "a": maxSteps must be a positive integer, not 0.',
  )
})

test('a troupe refuses an agent that it does not have', async () => {
  const troupe = createTroupe({ agents: [agent('known')] })
  await expect(troupe.start(agent('other'), 'x')).rejects.toThrow(
    'There is no agent "other" in this troupe. It has: known.',
  )
  await expect(troupe.start(agent('known'), 'x')).rejects.toThrow(
    'This troupe has another agent with the id "known".',
  )
  await expect(troupe.replay('nothing')).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
})
