/** The table of who sees what says what the models read. */
import { createAgent, createMetaRouter, createSupervisor } from 'troupe'
import { formatVisibility, scriptedModel, visibilityOf } from 'troupe/testing'
import { expect, test } from 'vitest'
import { agent, lead, tool } from './configurations.ts'

const quiet = scriptedModel([])

test('a subagent sees the conversation as its supervisor shares it', () => {
  const [root, worker] = visibilityOf(
    lead({ delegation: { maxMessages: 3, filterInternalMessages: false }, agents: { worker: agent() } }),
  )
  expect(root).toMatchObject({ path: 'lead', begunBy: 'run', prompt: 'the task', history: 'given' })
  expect(worker).toEqual({
    path: 'lead.agents.worker',
    agent: 'worker',
    begunBy: 'delegation',
    prompt: 'a prompt of the model',
    history: 3,
    internal: ['feedback', 'notice', 'scoring'],
    framing: [],
    tools: [],
    memory: undefined,
    answers: 'its text',
    dynamic: [],
  })
})

test('a model reads what the table says, and no more', async () => {
  const worker = scriptedModel(['Found.', 'Found again.'])
  const model = scriptedModel([
    { text: 'I ask.', toolCalls: [{ name: 'agent-worker', args: { prompt: 'Find it.' } }] },
    'Done.',
  ])
  const conversation = [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Hi' },
    { role: 'user', content: 'Go' },
  ] as const
  const made = (delegation: object) =>
    lead({ instructions: 'Secret.', model, agents: { worker: agent({ model: worker }) }, delegation })
  const shared = made({ maxMessages: 2 })
  expect(visibilityOf(shared)[1]?.history).toBe(2)
  await shared.generate(conversation)
  const contents = worker.calls[0]?.request.messages.map(({ content }) => content)
  expect(contents).toEqual(['Go', 'I ask.', 'Find it.'])
  const alone = lead({
    model: scriptedModel([{ toolCalls: [{ name: 'agent-worker', args: { prompt: 'Find it.' } }] }, 'Done.']),
    agents: { worker: agent({ model: worker }) },
    delegation: { includeConversationHistory: false },
  })
  expect(visibilityOf(alone)[1]).toMatchObject({ history: 0, internal: [] })
  await alone.generate(conversation)
  expect(worker.calls[1]?.request.messages.map(({ content }) => content)).toEqual(['Find it.'])
})

test('tools follow groups down the tree, and framing follows meta-routers', () => {
  const worker = agent({ tools: { read: tool({ groups: ['text'] }), pay: tool({ groups: ['money'] }) } })
  const team = createSupervisor({
    id: 'team',
    description: 'A team.',
    instructions: '',
    model: quiet,
    toolGroups: ['text'],
    agents: { worker },
  })
  const desk = createMetaRouter({
    id: 'desk',
    instructions: '',
    model: quiet,
    agents: { react: worker, supervisor: team },
    toolGroups: ['text', 'money'],
  })
  expect(visibilityOf(desk).map(({ path, tools, framing }) => [path, tools, framing])).toEqual([
    ['desk', [], []],
    ['desk.agents.react', ['read', 'pay'], ['desk']],
    ['desk.agents.supervisor', [], ['desk']],
    ['desk.agents.supervisor.agents.worker', ['read'], ['desk']],
  ])
})

test('a successor sees the conversation, a function of the user may choose it', () => {
  const successor = agent({ id: 'billing', memory: { lastMessages: 4, workingMemory: true } })
  const first = createAgent({
    id: 'reception',
    instructions: '',
    model: quiet,
    handoffs: [successor],
    handoffFilter: ({ messages }) => messages,
  })
  expect(visibilityOf(first)[1]).toMatchObject({
    path: 'reception.handoffs.billing',
    begunBy: 'handoff',
    history: 'filtered',
    memory: { lastMessages: 4, note: true },
    tools: ['update-working-memory'],
  })
})

test('the table is Markdown', () => {
  const worker = agent({ tools: () => ({}) })
  expect(
    formatVisibility(
      visibilityOf(
        lead({ agents: { worker }, delegation: { includeSubAgentToolResultsInModelContext: true } }),
      ),
    ),
  ).toBe(
    [
      '| agent | begun by | works on | history | framing of | tools | memory | its caller reads |',
      '| --- | --- | --- | --- | --- | --- | --- | --- |',
      '| `lead` | run | the task | as the run was given it | none | none | none | its text |',
      '| `lead.agents.worker` | delegation | a prompt of the model | at most 20 messages, with messages of the library (scoring) | none | (tools of the run) | none | its text and its tool results |',
      '',
    ].join('\n'),
  )
})
