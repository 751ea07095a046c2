/** `toolChoice`: a call that is required is required until the model has made it. */
import { expect, test } from 'vitest'
import {
  ConfigurationError,
  createAgent,
  createDispatcher,
  createReflexion,
  createSupervisor,
  createTool,
  type AgentDefinition,
} from 'troupe'
import { scriptedModel, type ScriptedStep } from 'troupe/testing'
import { z } from 'zod'

const tool = (id: string) =>
  createTool({ id, description: `Does ${id}.`, inputSchema: z.object({}), execute: () => `${id} done` })
const tools = { look: tool('look'), save: tool('save') }
const calls = (...names: string[]): ScriptedStep => ({ toolCalls: names.map((name) => ({ name, args: {} })) })

function agentOf(steps: readonly ScriptedStep[], options: Partial<Parameters<typeof createAgent>[0]> = {}) {
  const model = scriptedModel(steps)
  const agent = createAgent({ id: 'agent', model, tools, toolChoice: 'required', ...options })
  const choices = () => model.calls.map(({ request }) => request.toolChoice)
  return { agent, model, choices }
}

test('a required call is required until one was made, and the agent can then end', async () => {
  const { agent, choices } = agentOf([calls('look'), calls('save'), 'Done.'])
  expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(choices()).toEqual(['required', 'auto', 'auto'])
})

test('a named tool is required until it was called; other calls are carried out', async () => {
  const toolChoice = { tool: 'save' }
  const { agent, choices } = agentOf([calls('look'), calls('save'), 'Done.'], { toolChoice })
  const result = await agent.generate('Go')
  expect(result.steps.map(({ toolResults }) => toolResults.map(({ outcome }) => outcome))).toEqual([
    ['succeeded'],
    ['succeeded'],
    [],
  ])
  expect(choices()).toEqual([toolChoice, toolChoice, 'auto'])
})

test('a call that has failed was made', async () => {
  const { agent, choices } = agentOf([calls('no-such-tool'), 'I cannot.'])
  expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'I cannot.' })
  expect(choices()).toEqual(['required', 'auto'])
})

test.each([
  ['any tool', 'required' as const, 'Call one of your tools.'],
  ['a named tool', { tool: 'save' }, 'Call the tool "save".'],
])('a reply without a call is sent back once: %s', async (_what, toolChoice, notice) => {
  const { agent, model, choices } = agentOf(['I think so.', calls('save'), 'Done.'], { toolChoice })
  const result = await agent.generate('Go')
  expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(result.steps).toHaveLength(2) // to be asked again is no step
  expect(result.usage.totalTokens).toBe(45)
  expect(choices()).toEqual([toolChoice, toolChoice, 'auto'])
  expect(model.calls[1]?.request.messages.slice(-2)).toEqual([
    { role: 'assistant', content: 'I think so.' },
    { role: 'user', internal: 'notice', content: `Your reply calls no tool. ${notice}` },
  ])
})

test.each([['I think so.'], ['']])('a second reply without a call is a typed failure: "%s"', async (text) => {
  const { agent, model } = agentOf(['I think so.', text, 'No.'])
  expect(await agent.generate('Go')).toMatchObject({
    outcome: 'failed',
    error: { name: 'ToolCallMissingError', code: 'TOOL_CALL_MISSING' },
  })
  expect(model.calls).toHaveLength(2)
})

test('a reply that was cut off ends the agent as it always does', async () => {
  const { agent } = agentOf([{ text: 'I wou', finishReason: 'length' }, 'The rest.'])
  expect(await agent.generate('Go')).toMatchObject({ outcome: 'exhausted', reason: 'length' })
})

test('a tool that the provider has executed was called', async () => {
  const choices: unknown[] = []
  const agent = createAgent({
    id: 'agent',
    tools,
    toolChoice: 'required',
    model: {
      provider: 'here',
      modelId: 'searching',
      generate(request) {
        choices.push(request.toolChoice)
        return Promise.resolve({
          text: 'Found.',
          toolCalls: [],
          providerCalls: [{ name: 'search', args: {} }],
          finishReason: 'stop',
          usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
        })
      },
    },
  })
  expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'Found.' })
  expect(choices).toEqual(['required'])
})

test('with "none" the model can only answer, also after an empty reply', async () => {
  const { agent, model, choices } = agentOf(['', 'Done.'], { toolChoice: 'none' })
  expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(choices()).toEqual(['none', 'none'])
  expect(model.calls.map(({ request }) => request.tools)).toEqual([[], []])
  expect(model.calls[1]?.request.messages.at(-1)?.content).toBe('Your last reply was empty. Answer the task.')
})

test('a run may choose, and the last turn calls nothing', async () => {
  const { agent, choices } = agentOf([calls('look'), calls('look'), 'Enough.'], { toolChoice: 'auto' })
  expect(await agent.generate('Go', { toolChoice: { tool: 'save' }, maxSteps: 2 })).toMatchObject({
    outcome: 'exhausted',
    text: 'Enough.',
  })
  expect(choices()).toEqual([{ tool: 'save' }, { tool: 'save' }, 'none'])
})

test('a tool is required from the step in which it is on offer', async () => {
  const prepare = createTool({
    id: 'prepare',
    description: 'Prepares.',
    inputSchema: z.object({}),
    nextState: 'ready',
    execute: () => 'ready',
  })
  const save = createTool({
    id: 'save',
    description: 'Saves.',
    inputSchema: z.object({}),
    applicableStates: ['ready'],
    execute: () => 'saved',
  })
  const { agent, choices } = agentOf([calls('prepare'), calls('save'), 'Done.'], {
    tools: { prepare, save },
    toolChoice: { tool: 'save' },
  })
  expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed' })
  expect(choices()).toEqual(['auto', { tool: 'save' }, 'auto'])
})

test('a supervisor must delegate, and an agent of reflexion must act', async () => {
  const worker = createAgent({ id: 'worker', description: 'Works.', model: scriptedModel(['Worked.']) })
  const model = scriptedModel([{ toolCalls: [{ name: 'agent-worker', args: { prompt: 'Work.' } }] }, 'Done.'])
  const lead = createSupervisor({
    id: 'lead',
    model,
    agents: { worker },
    toolChoice: { tool: 'agent-worker' },
  })
  expect(await lead.generate('Go')).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(model.calls.map(({ request }) => request.toolChoice)).toEqual([{ tool: 'agent-worker' }, 'auto'])
  const lazy = createReflexion({
    id: 'lazy',
    model: scriptedModel(['No.', 'No.']),
    tools,
    toolChoice: 'required',
  })
  expect(await lazy.generate('Go')).toMatchObject({ outcome: 'failed', error: { code: 'TOOL_CALL_MISSING' } })
})

test.each<[string, () => unknown, string]>([
  [
    'no tools',
    () => createAgent({ id: 'a', model: scriptedModel([]), toolChoice: 'required' }),
    'toolChoice requires a tool, and the agent offers: none.',
  ],
  [
    'another tool',
    () => createAgent({ id: 'a', model: scriptedModel([]), tools, toolChoice: { tool: 'seek' } }),
    'toolChoice requires the tool "seek", and the agent offers: look, save.',
  ],
  [
    'an unknown word',
    () => createAgent({ id: 'a', model: scriptedModel([]), tools, toolChoice: 'any' as 'auto' }),
    "toolChoice must be 'auto', 'none', 'required' or { tool }",
  ],
  [
    'an unknown field',
    () => createAgent({ id: 'a', model: scriptedModel([]), tools, toolChoice: { tools: 'look' } as never }),
    'there is no option "tools": the choice of one tool is { tool: name }.',
  ],
])('a choice that no agent can make is refused: %s', (_what, create, message) => {
  expect(create).toThrow(ConfigurationError)
  expect(create).toThrow(message)
})

test('a run is refused in the same words; a pattern that does not call has no choice', async () => {
  const { agent } = agentOf([])
  await expect(agent.generate('Go', { toolChoice: { tool: 'seek' } })).rejects.toThrow(
    'toolChoice requires the tool "seek"',
  )
  const options = { toolChoice: 'required' } as object
  const model = scriptedModel([])
  expect(() => createDispatcher({ id: 'd', model, tools, ...options })).toThrow('toolChoice')
})

test('tools that a function makes are required as soon as they are known', async () => {
  const { agent, choices } = agentOf([calls('look'), 'Done.'], { tools: () => tools })
  expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed' })
  expect(choices()).toEqual(['required', 'auto'])
})

test('agents that hand to each other are checked when they run', async () => {
  const desk = (toolChoice: { readonly tool: string }): AgentDefinition =>
    createAgent({
      id: 'desk',
      description: 'Takes calls.',
      model: scriptedModel([calls('transfer-to-billing')]),
      toolChoice,
      handoffs: [(): AgentDefinition => billing],
    })
  const billing = createAgent({ id: 'billing', description: 'Bills.', model: scriptedModel(['Billed.']) })
  expect(await desk({ tool: 'transfer-to-billing' }).generate('Go')).toMatchObject({ text: 'Billed.' })
  await expect(desk({ tool: 'transfer-to-sales' }).generate('Go')).rejects.toThrow(
    'and the agent offers: transfer-to-billing.',
  )
})
