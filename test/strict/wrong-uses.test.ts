/**
 * Wrong uses as people make them who come from another library: the message names the place or the name that is right here.
 * `good`: it says what to write. `vague`: it says what is wrong, and what is known at the place. A message that misleads names
 * something else; a false one names a place that does not have the option. The last tests try what the messages claim.
 */
import {
  ConfigurationError,
  createAgent,
  createDebate,
  createDispatcher,
  createFanOut,
  createMetaRouter,
  createPlanner,
  createReflexion,
  createRouter,
  createScorer,
  createSupervisor,
  createTool,
  createTroupe,
  createWorkflow,
  memoryStore,
  openai,
  type AgentDefinition,
} from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { fromPromise } from 'xstate'
import { z } from 'zod'

const model = scriptedModel([], { otherwise: 'Hello.' })
const writer = createAgent({ id: 'writer', description: 'Writes.', model })
const editor = createAgent({ id: 'editor', description: 'Edits.', model })
const agents = { writer, editor }
const supervisor = createSupervisor({ id: 'lead', model, agents })
const troupe = createTroupe({ agents: [writer] })
const execute = (): string => 'Done.'
const inputSchema = z.object({ city: z.string() })
const find = createTool({ id: 'find', description: 'Finds.', inputSchema, execute })

/** What a call is given may be wrong: types would say so before. */
const wrong = (given: unknown): never => given as never

const agent = { id: 'x', description: 'd', model }

/** Gives `more` to a place of the library. */
type Place = (more: object) => unknown

const places = {
  createAgent: (more) => createAgent(wrong({ ...agent, ...more })),
  createSupervisor: (more) => createSupervisor(wrong({ ...agent, agents, ...more })),
  createRouter: (more) => createRouter(wrong({ ...agent, agents, memory: true, ...more })),
  createPlanner: (more) => createPlanner(wrong({ ...agent, agents, ...more })),
  createFanOut: (more) => createFanOut(wrong({ ...agent, agents, ...more })),
  createReflexion: (more) => createReflexion(wrong({ ...agent, ...more })),
  createDebate: (more) => createDebate(wrong({ ...agent, agents, ...more })),
  createDispatcher: (more) => createDispatcher(wrong({ ...agent, agents, ...more })),
  createMetaRouter: (more) => createMetaRouter(wrong({ ...agent, agents: { react: writer }, ...more })),
  createTool: (more) => createTool(wrong({ id: 't', description: 'd', inputSchema, execute, ...more })),
  createScorer: (more) => createScorer(wrong({ id: 's', score: () => 1, ...more })),
  createWorkflow: (more) =>
    createWorkflow(
      wrong({ id: 'w', description: 'd', inputSchema, logic: fromPromise(async () => 1), ...more }),
    ),
  createTroupe: (more) => createTroupe(wrong({ agents: [writer], ...more })),
  openai: (more) => openai('gpt-5-mini', wrong(more)),
  'a run': (more) => writer.generate('Hi', wrong(more)),
  'a run of a supervisor': (more) => supervisor.generate('Hi', wrong(more)),
  delegation: (more) => createSupervisor(wrong({ ...agent, agents, delegation: more })),
  completion: (more) =>
    createSupervisor(wrong({ ...agent, agents, completion: { scorers: [scorer], ...more } })),
  memory: (more) => createAgent(wrong({ ...agent, memory: more })),
  budget: (more) => createAgent(wrong({ ...agent, budget: more })),
  compaction: (more) => createAgent(wrong({ ...agent, compaction: { window: 1_000, ...more } })),
  structuredOutput: (more) =>
    createAgent(wrong({ ...agent, structuredOutput: { schema: inputSchema, ...more } })),
  backgroundTasks: (more) => createSupervisor(wrong({ ...agent, agents, backgroundTasks: { writer: more } })),
  toolChoice: (more) => createAgent(wrong({ ...agent, tools: { find }, toolChoice: more })),
} satisfies Readonly<Record<string, Place>>

type PlaceName = keyof typeof places

const scorer = createScorer({ id: 'short', score: () => 1 })

async function complaintOf(give: () => unknown): Promise<string | undefined> {
  try {
    await give()
    return undefined
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message
    throw error
  }
}

type Grade = 'good' | 'vague'

const temperature = 'it is an option of the model, as in openai(modelId, options)'
const ofRun = (name: string): string => `it is an option of a run: generate(prompt, { ${name}: … })`
const called = (name: string): string => `it is called "${name}" here`
const events = 'a run tells what it does in its events: stream(prompt).events'
const eachStep = 'instructions, model and tools may be functions of the run'
const planner = 'a planner has the caps "maxReplans", "maxPlanSteps" and "maxSteps"'
const first = 'the prompt is the first argument: generate(prompt, options)'

/** A key that is unknown at its place, and what is said of it. Default: `good`. */
const keys: readonly (readonly [PlaceName, string, string, Grade?])[] = [
  // The names that other libraries have for the options of an agent.
  ['createAgent', 'system', called('instructions')],
  ['createAgent', 'systemPrompt', called('instructions')],
  ['createAgent', 'system_prompt', called('instructions')],
  ['createAgent', 'prompt', called('instructions')],
  ['createAgent', 'stateModifier', called('instructions')],
  ['createAgent', 'backstory', called('instructions')],
  ['createAgent', 'name', called('id')],
  ['createAgent', 'handoffDescription', called('description')],
  ['createAgent', 'goal', called('description')],
  ['createAgent', 'llm', called('model')],
  ['createAgent', 'maxTurns', called('maxSteps')],
  ['createAgent', 'max_iter', called('maxSteps')],
  ['createAgent', 'recursionLimit', called('maxSteps')],
  ['createAgent', 'maxToolRoundtrips', called('maxSteps')],
  ['createAgent', 'outputType', called('structuredOutput')],
  ['createAgent', 'output_schema', called('structuredOutput')],
  ['createAgent', 'responseFormat', called('structuredOutput')],
  ['createAgent', 'experimental_output', called('structuredOutput')],
  ['createAgent', 'inputGuardrails', called('inputProcessors')],
  ['createAgent', 'outputGuardrails', called('outputProcessors')],
  ['createAgent', 'maxRetries', called('retries')],
  ['createAgent', 'parallelToolCalls', called('toolCallConcurrency')],
  ['createAgent', 'onStepEnd', called('onStepFinish')],
  ['createAgent', 'requestContextSchema', called('contextSchema')],
  ['createAgent', 'checkpointer', '"store" of createTroupe keeps runs and threads'],
  ['createAgent', 'stateSchema', 'the conversation is the state of an agent'],
  ['createAgent', 'tool_choice', 'did you mean "toolChoice"?'],
  ['createAgent', 'handOffs', 'did you mean "handoffs"?'],
  ['createAgent', 'temperature', temperature],
  ['createAgent', 'topP', temperature],
  [
    'createAgent',
    'maxTokens',
    'a reply has "maxOutputTokens" of openai(modelId, options), and a run has "budget: { tokens }"',
  ],
  ['createAgent', 'apiKey', temperature],
  ['createAgent', 'modelSettings', 'settings of a model are its own options'],
  ['createAgent', 'providerOptions', 'settings of a model are its own options'],
  ['createAgent', 'timeout', 'a call of the model has "modelTimeout", a run "budget: { wallClock }"'],
  ['createAgent', 'fallbacks', '"model" may be a list'],
  ['createAgent', 'fallbackModels', '"model" may be a list'],
  ['createAgent', 'prepareStep', eachStep],
  ['createAgent', 'callModelInputFilter', eachStep],
  ['createAgent', 'activeTools', eachStep],
  ['createAgent', 'verbose', events],
  ['createAgent', 'callbacks', events],
  ['createAgent', 'experimental_telemetry', 'spans come from otel() of troupe/otel'],
  ['createAgent', 'mcpServers', 'tools of MCP servers come from mcpTools() of troupe/mcp'],
  ['createAgent', 'defaultOptions', 'options of a run stand on the definition itself'],
  ['createAgent', 'semanticRecall', 'offer a search of yours as a tool'],
  ['createAgent', 'toolUseBehavior', '"stopWhen" ends a run after a call'],
  ['createAgent', 'requireApproval', 'a tool has it, createTool({ requireApproval })'],
  ['createAgent', 'requireToolApproval', 'each tool says so itself'],
  ['createAgent', 'voice', 'there is no option "voice". Known: id, ', 'vague'],
  ['createAgent', 'toolsets', 'did you mean "tools"?'],
  // Options of another pattern, of an object, or of a run.
  ['createAgent', 'agents', 'it is an option of createSupervisor, createRouter and others'],
  ['createAgent', 'subagents', 'it is "agents" of createSupervisor'],
  ['createAgent', 'completion', 'it is an option of createSupervisor and createRouter'],
  ['createAgent', 'isTaskComplete', 'it is "completion" of createSupervisor'],
  ['createAgent', 'onIterationComplete', 'it is an option of createSupervisor and createRouter'],
  ['createAgent', 'backgroundTasks', 'it is an option of createSupervisor'],
  [
    'createAgent',
    'onDelegationStart',
    'it is an option of createSupervisor, createRouter and others, in "delegation"',
  ],
  ['createAgent', 'scorers', 'it is an option of createSupervisor and createRouter, in "completion"'],
  ['createAgent', 'maxReplans', 'it is an option of createPlanner'],
  ['createAgent', 'quorum', 'it is an option of createDebate'],
  ['createAgent', 'taskTypes', 'it is an option of createMetaRouter'],
  ['createAgent', 'lastMessages', 'it belongs in "memory"'],
  ['createAgent', 'workingMemory', 'it belongs in "memory"'],
  ['createAgent', 'tokens', 'it belongs in "budget"'],
  ['createAgent', 'contextWindow', 'it is called "window", and belongs in "compaction"'],
  ['createAgent', 'inputSchema', 'it is an option of createTool'],
  ['createAgent', 'execute', 'it is an option of createTool'],
  ['createAgent', 'store', 'it is an option of createTroupe'],
  ['createAgent', 'storage', 'it is "store" of createTroupe'],
  ['createAgent', 'signal', ofRun('signal')],
  ['createAgent', 'threadId', ofRun('threadId')],
  ['createAgent', 'versions', ofRun('versions')],
  ['createAgent', 'onError', ofRun('onError')],
  ['createAgent', 'requestContext', 'it is "context" of a run'],
  ['createSupervisor', 'onDelegationStart', 'it belongs in "delegation"'],
  ['createSupervisor', 'onDelegationComplete', 'it belongs in "delegation"'],
  ['createSupervisor', 'messageFilter', 'it belongs in "delegation"'],
  ['createSupervisor', 'contextFilter', 'it is called "messageFilter", and belongs in "delegation"'],
  ['createSupervisor', 'includeConversationHistory', 'it belongs in "delegation"'],
  ['createSupervisor', 'maxMessages', 'it belongs in "delegation"'],
  ['createSupervisor', 'subAgentContext', called('delegation')],
  ['createSupervisor', 'isTaskComplete', called('completion')],
  ['createSupervisor', 'scorers', 'it belongs in "completion"'],
  ['createSupervisor', 'continueOnFail', 'it belongs in "completion"'],
  ['createSupervisor', 'maxIterations', called('maxSteps')],
  ['createSupervisor', 'abortSignal', 'it is "signal" of a run: generate(prompt, { signal: … })'],
  ['createSupervisor', 'members', called('agents')],
  ['createSupervisor', 'background', called('backgroundTasks')],
  ['createSupervisor', 'taskTypes', 'it is an option of createMetaRouter'],
  ['createPlanner', 'completion', 'it is an option of createSupervisor and createRouter'],
  ['createPlanner', 'maxIterations', planner],
  ['createPlanner', 'maxTurns', planner],
  ['createPlanner', 'handoffs', 'it is an option of createAgent, createSupervisor and createReflexion'],
  ['createFanOut', 'tools', 'it calls no tools itself: give them to its agents'],
  ['createFanOut', 'completion', 'it is an option of createSupervisor and createRouter'],
  ['createFanOut', 'maxTurns', 'a fan-out has the caps "maxRounds", "maxGoals" and "maxSteps"'],
  ['createDebate', 'tools', 'it calls no tools itself: give them to its agents'],
  ['createMetaRouter', 'tools', 'it calls no tools itself: give them to its agents'],
  ['createMetaRouter', 'maxSteps', 'it is an option of createAgent, createSupervisor and others'],
  ['createDispatcher', 'structuredOutput', 'it is an option of createAgent, createSupervisor and others'],
  ['createReflexion', 'agents', 'it is an option of createSupervisor, createRouter and others'],
  ['createRouter', 'bailStrategy', 'it is an option of createSupervisor'],
  // Tools, scorers and workflows.
  ['createTool', 'name', called('id')],
  ['createTool', 'parameters', called('inputSchema')],
  ['createTool', 'schema', called('inputSchema')],
  ['createTool', 'args_schema', called('inputSchema')],
  ['createTool', 'func', called('execute')],
  ['createTool', 'run', called('execute')],
  ['createTool', 'handler', called('execute')],
  ['createTool', 'needsApproval', called('requireApproval')],
  ['createTool', 'maxSteps', 'it is an option of agents, such as createAgent'],
  ['createTool', 'threshold', 'it is an option of createScorer'],
  ['createTool', 'isEnabled', 'there is no option "isEnabled". Known: id, ', 'vague'],
  ['createScorer', 'name', called('id')],
  ['createScorer', 'fn', called('score')],
  ['createScorer', 'generateScore', called('score')],
  ['createScorer', 'minScore', called('threshold')],
  ['createScorer', 'model', 'it is an option of agents, such as createAgent'],
  ['createWorkflow', 'steps', called('logic')],
  ['createWorkflow', 'machine', called('logic')],
  ['createWorkflow', 'execute', called('logic')],
  // Troupes and models.
  ['createTroupe', 'storage', called('store')],
  ['createTroupe', 'checkpointer', called('store')],
  ['createTroupe', 'middleware', called('around')],
  ['createTroupe', 'model', 'it is an option of agents, such as createAgent'],
  ['createTroupe', 'tools', 'it is an option of agents, such as createAgent'],
  ['createTroupe', 'maxSteps', 'it is an option of agents, such as createAgent'],
  ['createTroupe', 'workflows', 'there is no option "workflows". Known: agents, ', 'vague'],
  ['openai', 'baseUrl', 'did you mean "baseURL"?'],
  ['openai', 'max_tokens', called('maxOutputTokens')],
  ['openai', 'maxTokens', called('maxOutputTokens')],
  ['openai', 'organization', 'a client has it: openai(modelId, { client: new OpenAI({ … }) })'],
  ['openai', 'defaultHeaders', 'a client has it'],
  ['openai', 'stopSequences', called('stop')],
  ['openai', 'response_format', '"structuredOutput" of an agent has the shape of its answer'],
  ['openai', 'maxRetries', '"retries" is an option of agents, such as createAgent'],
  ['openai', 'instructions', 'it is an option of agents, such as createAgent'],
  // Runs.
  ['a run', 'prompt', first],
  ['a run', 'messages', first],
  ['a run', 'system', called('instructions')],
  ['a run', 'abortSignal', called('signal')],
  ['a run', 'maxTurns', called('maxSteps')],
  ['a run', 'thread', called('threadId')],
  ['a run', 'resource', called('resourceId')],
  ['a run', 'configurable', 'thread_id is "threadId" of troupe.start(agent, prompt, { threadId })'],
  ['a run', 'temperature', temperature],
  ['a run', 'tools', 'it belongs in the definition of the agent'],
  ['a run', 'model', 'it belongs in the definition of the agent'],
  ['a run', 'agents', 'it is an option of createSupervisor, createRouter and others'],
  ['a run', 'onChunk', events],
  ['a run', 'streamMode', events],
  ['a run', 'thread_id', 'did you mean "threadId"?'],
  ['a run of a supervisor', 'agents', 'it belongs in the definition of the agent'],
  ['a run of a supervisor', 'onDelegationStart', 'it belongs in "delegation"'],
  ['a run of a supervisor', 'isTaskComplete', called('completion')],
  ['a run of a supervisor', 'scorers', 'it belongs in "completion"'],
  // Objects among the options.
  ['delegation', 'contextFilter', called('messageFilter')],
  ['delegation', 'onHandoff', called('onDelegationStart')],
  ['delegation', 'includeHistory', called('includeConversationHistory')],
  ['delegation', 'maxSteps', 'it stands beside "delegation", and not in it'],
  ['delegation', 'bailStrategy', 'it stands beside "delegation", and not in it'],
  ['completion', 'maxSteps', 'it stands beside "completion", and not in it'],
  ['completion', 'threshold', 'it is an option of createScorer'],
  ['completion', 'onFinish', called('onComplete')],
  ['memory', 'storage', 'it is "store" of createTroupe'],
  ['memory', 'thread', 'threadId is an option of a run'],
  ['memory', 'messageHistory', called('lastMessages')],
  ['budget', 'maxTokens', called('tokens')],
  ['budget', 'usd', called('cost')],
  ['budget', 'timeout', called('wallClock')],
  ['budget', 'maxSteps', 'it stands beside "budget", and not in it'],
  ['compaction', 'contextWindow', called('window')],
  ['compaction', 'threshold', called('at')],
  ['structuredOutput', 'mode', 'there is no option "mode". Known: schema, name.', 'vague'],
  ['backgroundTasks', 'timeout', 'did you mean "timeoutMs"?'],
  ['toolChoice', 'toolName', 'the choice of one tool is { tool: name }'],
  ['toolChoice', 'type', 'the choice of one tool is { tool: name }'],
]

describe('a key that another place has, or that others call so', () => {
  test.for(keys)('%s: %s', async ([place, key, says, grade = 'good']) => {
    const message = (await complaintOf(() => places[place]({ [key]: 1 }))) ?? 'It was taken.'
    expect(message).toContain(says)
    const isHint = /: it |: a |"; did you mean|: [a-z"]/.test(message.split(' Known: ')[0] ?? '')
    expect(isHint || grade === 'vague').toBe(true)
    // It suggests nothing beside what is right.
    expect(suggestionsIn(message)).toEqual(suggestionsIn(says))
  })
})

function suggestionsIn(message: string): readonly string[] {
  return [...message.matchAll(/(?:did you mean|it is called|it is) "(\w+)"/g)].map(([, name = '']) => name)
}

const sdkModel = { specificationVersion: 'v3', provider: 'p', modelId: 'm', doGenerate() {}, doStream() {} }
const zod3 = { _def: { typeName: 'ZodObject' }, parse: () => undefined }
const zod324 = { ...zod3, '~standard': { version: 1, vendor: 'zod', validate: () => ({ value: 1 }) } }

/** Values in the wrong place, by what was tried. */
const values: readonly (readonly [string, () => unknown, string, Grade?])[] = [
  [
    'a model by its name',
    () => createAgent(wrong({ ...agent, model: 'gpt-5' })),
    'not a name: openai("gpt-5").',
  ],
  [
    'a model by provider and name',
    () => createAgent(wrong({ ...agent, model: 'openai/gpt-5' })),
    'not a name: openai("gpt-5").',
  ],
  [
    'a model of the AI SDK',
    () => createAgent(wrong({ ...agent, model: sdkModel })),
    'model must be aiSdk(model), of troupe/ai-sdk: this is a model of the AI SDK.',
  ],
  [
    'a model of an old AI SDK',
    () => createAgent(wrong({ ...agent, model: { ...sdkModel, specificationVersion: 'v2' } })),
    `aiSdk(model) of troupe/ai-sdk takes 'v3' and 'v4'.`,
  ],
  [
    'a client for a model',
    () => createAgent(wrong({ ...agent, model: { chat: { completions: {} }, apiKey: 'sk-0123456789' } })),
    `model must be openai('gpt-5-mini', { client }): this is a client, which has no model.`,
  ],
  [
    'a model of LangChain',
    () => createAgent(wrong({ ...agent, model: { invoke() {}, bindTools() {} } })),
    'and this is one of LangChain',
  ],
  [
    'a model of OpenAI Agents',
    () => createAgent(wrong({ ...agent, model: { getResponse() {}, getStreamedResponse() {} } })),
    'and this is one of OpenAI Agents',
  ],
  ['no model', () => createAgent(wrong({ id: 'x' })), `for example openai('gpt-5-mini'), not undefined.`],
  [
    'a model of the AI SDK that summarises',
    () => createAgent({ ...agent, compaction: { window: 1_000, model: wrong(sdkModel) } }),
    'compaction.model must be aiSdk(model), of troupe/ai-sdk',
  ],
  ['tools in a list', () => createAgent(wrong({ ...agent, tools: [find] })), 'such as { find }, not a list.'],
  [
    'a function for a tool',
    () => createAgent(wrong({ ...agent, tools: { find: execute } })),
    'it is a function: createTool({ id, description, inputSchema, execute }).',
  ],
  [
    'a tool of the AI SDK',
    () => createAgent(wrong({ ...agent, tools: { find: { description: 'Finds.', inputSchema, execute } } })),
    'it is a plain object, such as a tool of the AI SDK: createTool(',
  ],
  [
    'a tool of LangChain',
    () => createAgent(wrong({ ...agent, tools: { find: { lc_namespace: [], invoke() {} } } })),
    'it is a tool of LangChain: createTool(',
  ],
  [
    'a tool of OpenAI Agents',
    () => createAgent(wrong({ ...agent, tools: { find: { type: 'function', invoke() {} } } })),
    'it is a tool of OpenAI Agents: createTool(',
  ],
  [
    'a tool as a server reads it',
    () => createAgent(wrong({ ...agent, tools: { find: { type: 'function', function: {} } } })),
    'inputSchema: jsonSchema(parameters)',
  ],
  [
    'a tool that the provider executes',
    () => createAgent(wrong({ ...agent, tools: { find: { type: 'provider', id: 'p.search', args: {} } } })),
    'aiSdk(model, { providerTools: { … } })',
  ],
  [
    'an agent among the tools',
    () => createAgent(wrong({ ...agent, tools: { writer } })),
    'it is an agent, and belongs in agents.',
  ],
  [
    'a tool among the agents',
    () => createSupervisor(wrong({ ...agent, agents: { find } })),
    'it is a tool, and belongs in tools.',
  ],
  [
    'an agent by its id',
    () => createSupervisor(wrong({ ...agent, agents: ['writer'] })),
    'it is a name: give the agent itself.',
  ],
  [
    'the promise of an agent',
    () => createSupervisor(wrong({ ...agent, agents: { writer: Promise.resolve(writer) } })),
    'it is a promise: await it.',
  ],
  [
    'an agent as a plain object',
    () => createSupervisor(wrong({ ...agent, agents: { b: { instructions: 'Write.', model } } })),
    'it is a plain object: createAgent({ id, description, model, … }).',
  ],
  [
    'a graph of LangGraph among the agents',
    () => createSupervisor(wrong({ ...agent, agents: { b: { invoke() {}, stream() {} } } })),
    'it is a graph of LangGraph: a tool may call it, by createTool.',
  ],
  [
    'a subagent without a description',
    () => createSupervisor(wrong({ ...agent, agents: [createAgent({ id: 'mute', model })] })),
    'the agent "mute" has no description; a supervisor chooses its subagents by it.',
  ],
  [
    'an agent twice in a list',
    () => createSupervisor({ ...agent, agents: [writer, writer] }),
    'agents has the agent "writer" twice.',
  ],
  ['a troupe of an agent', () => createTroupe(wrong(writer)), 'createTroupe({ agents: [writer] }).'],
  ['a troupe of a list', () => createTroupe(wrong([writer])), 'createTroupe({ agents: […] }).'],
  [
    'one agent as the agents of a troupe',
    () => createTroupe({ agents: wrong(writer) }),
    'agents must be a list of agents, such as [writer], and not one agent.',
  ],
  [
    'agents of a troupe under other keys',
    () => createTroupe({ agents: { author: writer } }),
    'agents.author is the agent "writer", and key and id must be the same here.',
  ],
  ['a troupe without agents', () => createTroupe({ agents: {} }), 'agents must hold at least one agent.'],
  [
    'a tool among the agents of a troupe',
    () => createTroupe({ agents: wrong([find]) }),
    'agents[0] must come from createAgent() or another create function; it is a tool, and belongs in tools.',
  ],
  [
    'a file for a store',
    () => createTroupe({ agents: [writer], store: wrong('runs.db') }),
    'store must be a store, for example memoryStore(), not "runs.db".',
  ],
  [
    'a start by the id of an agent',
    () => troupe.start(wrong('writer'), 'Hi'),
    'A run starts with an agent itself, as in start(agent, prompt), and not with "writer".',
  ],
  [
    'a start with one object',
    () => troupe.start(wrong({ agent: writer, prompt: 'Hi' }), wrong(undefined)),
    'A run starts with an agent itself, as in start(agent, prompt), and not with an object.',
  ],
  [
    'a start with an agent of another troupe',
    () => troupe.start(editor, 'Hi'),
    'There is no agent "editor" in this troupe. It has: writer.',
  ],
  [
    'a prompt in an object',
    () => writer.generate(wrong({ prompt: 'Hi' })),
    `The prompt must be a text, or messages { role: 'user' | 'assistant', content }`,
  ],
  [
    'a system message in the prompt',
    () => writer.generate(wrong([{ role: 'system', content: 'Be brief.' }])),
    `0.role must be 'user' or 'assistant', not "system".`,
  ],
  [
    'a controller for a signal',
    () => writer.generate('Hi', { signal: wrong(new AbortController()) }),
    'signal must be an AbortSignal',
  ],
  [
    'a schema of zod 3',
    () => createTool(wrong({ id: 't', description: 'd', inputSchema: zod3, execute })),
    `inputSchema must be a schema of zod 4, and this is one of zod 3: update zod, or import { z } from 'zod/v4'`,
  ],
  [
    'a schema of the last zod 3',
    () => createTool(wrong({ id: 't', description: 'd', inputSchema: zod324, execute })),
    `It is one of zod 3: update zod, or import { z } from 'zod/v4' of zod 3.25.`,
  ],
  [
    'a plain JSON schema',
    () => createTool(wrong({ id: 't', description: 'd', inputSchema: { type: 'object' }, execute })),
    '(a JSON Schema as jsonSchema(schema))',
  ],
  [
    'a schema of the AI SDK',
    () =>
      createTool(
        wrong({ id: 't', description: 'd', inputSchema: { jsonSchema: {}, validate() {} }, execute }),
      ),
    'and this is one of the AI SDK: jsonSchema(schema.jsonSchema).',
  ],
  [
    'the fields of a schema',
    () => createTool(wrong({ id: 't', description: 'd', inputSchema: { city: z.string() }, execute })),
    'and this is a plain object of schemas: z.object({ city }).',
  ],
  [
    'a schema of a text',
    () => createTool(wrong({ id: 't', description: 'd', inputSchema: z.string(), execute })),
    'expected a schema of an object, for example z.object({ … })',
  ],
  [
    'a schema in the place of structuredOutput',
    () => createAgent({ ...agent, structuredOutput: wrong(inputSchema) }),
    'structuredOutput must be { schema }, and this is the schema itself.',
  ],
  [
    'scorers in the place of completion',
    () => createSupervisor({ ...agent, agents, completion: wrong([scorer]) }),
    'completion must be an object { scorers, … }',
  ],
  [
    'a function for a scorer',
    () => createSupervisor({ ...agent, agents, completion: { scorers: wrong([() => 1]) } }),
    'every scorer must come from createScorer().',
  ],
  [
    'background tasks within tools',
    () =>
      createSupervisor({
        ...agent,
        agents,
        backgroundTasks: wrong({ tools: { writer: { enabled: true } } }),
      }),
    'backgroundTasks has agents by their keys, and not within "tools": { writer }.',
  ],
  [
    'a number for a budget',
    () => createAgent({ ...agent, budget: wrong(1_000) }),
    'budget must be an object of limits, such as { tokens: 100_000 }, not 1000.',
  ],
  [
    'a choice of any tool',
    () => createAgent({ ...agent, tools: { find }, toolChoice: wrong('any') }),
    `toolChoice must be 'auto', 'none', 'required' or { tool }, not "any".`,
  ],
  [
    'a key in the place of a model id',
    () => openai(wrong({ apiKey: 'sk-0123456789abcdef' })),
    `as in openai('gpt-5-mini', options), not an object.`,
  ],
  [
    'a router without memory',
    () => createRouter(wrong({ ...agent, agents })),
    'memory: true takes the defaults.',
  ],
  [
    'a debate of one',
    () => createDebate({ ...agent, agents: [writer] }),
    'agents must hold two agents at least, not 1.',
  ],
  [
    'an agent without a configuration',
    () => createAgent(wrong(undefined)),
    'expected an object of options',
    'vague',
  ],
  [
    'a tool by function and options',
    () => createTool(wrong(execute)),
    'expected an object of options, not a function.',
    'vague',
  ],
]

describe('a value in the wrong place', () => {
  test.for(values)('%s', async ([, give, says]) => {
    const message = await complaintOf(give)
    expect(message).toContain(says)
    expect(message).not.toMatch(/sk-0123|did you mean/)
  })
})

test('there are a hundred wrong uses and more, and nearly all messages say what to write', () => {
  const grades = [...keys, ...values].map(([, , , grade = 'good']) => grade)
  expect(grades.length).toBeGreaterThan(200)
  expect(grades.filter((grade) => grade === 'vague').length).toBeLessThan(10)
})

// What a message claims of a key is tried: the place that it names has such an option.

const isKnown = async (place: Place, key: string): Promise<boolean> => {
  const message = await complaintOf(() => place({ [key]: Symbol(key) }))
  return message === undefined || !message.includes(`there is no option "${key}"`)
}

const nested: Readonly<Record<string, PlaceName>> = {
  delegation: 'delegation',
  completion: 'completion',
  memory: 'memory',
  budget: 'budget',
  compaction: 'compaction',
  structuredOutput: 'structuredOutput',
}

const placeNamed = (name: string): Place => {
  if (name.startsWith('the model')) return places.openai
  if (name.startsWith('agents, such as')) return places.createAgent
  const place = Object.entries(places).find(([known]) => known === name)?.[1]
  if (place === undefined) throw new Error(`A message names "${name}", which is no place.`)
  return place
}

/** The places that a message names, each with the key that it is said to have. */
function claimsOf(place: PlaceName, key: string, message: string): readonly (readonly [Place, string])[] {
  const [said = ''] = message.split(' Known: ')
  const claims: (readonly [Place, string])[] = []
  for (const [, name = ''] of said.matchAll(/it is called "(\w+)" here|did you mean "(\w+)"/g)) {
    if (name !== '') claims.push([places[place], name])
  }
  const [, parents] = /belongs in ("[\w" or]+")/.exec(said) ?? []
  const [, renamed = key] = /it is called "(\w+)", and belongs/.exec(said) ?? []
  for (const [, parent = ''] of parents?.matchAll(/"(\w+)"/g) ?? []) {
    const inner = nested[parent]
    if (inner !== undefined) claims.push([places[inner], renamed])
  }
  const [, functions, parent] =
    /it is an option of (create\w+(?:, create\w+)*(?: and create\w+)?)(?: and others)?(?:, in "(\w+)")?/.exec(
      said,
    ) ?? []
  for (const [name] of functions?.matchAll(/create\w+/g) ?? []) {
    claims.push([placeNamed(name), parent ?? key])
    if (parent !== undefined && nested[parent] !== undefined) claims.push([places[nested[parent]], key])
  }
  const [, other] = /it is an option of (the model|agents, such as)/.exec(said) ?? []
  if (other !== undefined) claims.push([placeNamed(other), key])
  const [, own = '', of] = /it is "(\w+)" of (a run|the model|agents, such as|create\w+)/.exec(said) ?? []
  if (of !== undefined) claims.push([of === 'a run' ? places['a run'] : placeNamed(of), own])
  if (said.includes('it is an option of a run')) claims.push([places['a run'], key])
  const [, beside] = /it stands beside "(\w+)"/.exec(said) ?? []
  if (beside !== undefined) claims.push([places.createSupervisor, key])
  return claims
}

test('what the messages claim is so', async () => {
  let tried = 0
  for (const [place, key] of keys) {
    const message = (await complaintOf(() => places[place]({ [key]: 1 }))) ?? ''
    for (const [claimed, name] of claimsOf(place, key, message)) {
      tried++
      expect([place, key, name, await isKnown(claimed, name)]).toEqual([place, key, name, true])
    }
  }
  expect(tried).toBeGreaterThan(140)
})

test('every option of an agent, given to each other place, is told where it belongs, and truly', async () => {
  const known = new Set<string>()
  const creates = Object.keys(places).filter((name) =>
    /^create(?!Tool|Scorer|Workflow|Troupe)/.test(name),
  ) as PlaceName[]
  for (const place of creates) {
    const [, list = ''] =
      / Known: (.*)\.$/.exec((await complaintOf(() => places[place]({ xqzw: 1 }))) ?? '') ?? []
    for (const name of list.split(', ')) known.add(name)
  }
  expect(known.size).toBeGreaterThan(50)
  for (const place of [...creates, 'a run'] as const) {
    for (const key of known) {
      const message = await complaintOf(() => places[place]({ [key]: Symbol(key) }))
      if (message === undefined || !message.includes(`there is no option "${key}"`)) continue
      expect(message).toMatch(/there is no option "\w+": /)
      for (const [claimed, name] of claimsOf(place, key, message)) {
        expect([place, key, name, await isKnown(claimed, name)]).toEqual([place, key, name, true])
      }
    }
  }
})

test('agents are taken as a list or by their keys, and a list has their ids as keys', () => {
  const creates = [createSupervisor, createPlanner, createFanOut, createDebate, createDispatcher]
  for (const create of creates as ((config: object) => AgentDefinition)[]) {
    const listed = create({ ...agent, agents: [writer, editor] })
    expect(Object.keys(listed.agents)).toEqual(['writer', 'editor'])
    expect(listed.toolset.names).toEqual(create({ ...agent, agents }).toolset.names)
  }
  const router = createRouter({ ...agent, memory: true, agents: [writer] })
  expect(Object.keys(router.agents)).toEqual(['writer'])
  expect(Object.keys(createMetaRouter({ ...agent, agents: [writer] }).agents)).toEqual(['writer'])
})

test('a function of the run may answer with a list', async () => {
  const desk = scriptedModel([{ toolCalls: [{ name: 'agent-writer', args: { prompt: 'Write.' } }] }, 'Done.'])
  const lead = createSupervisor({ id: 'lead', model: desk, agents: async () => [writer] })
  const troupe = createTroupe({ agents: { lead, writer }, store: memoryStore() })
  const { outcome, delegations } = await (await troupe.start(lead, 'Go')).result
  expect([outcome, delegations.map((one) => [one.agent, one.outcome])]).toEqual([
    'completed',
    [['writer', 'succeeded']],
  ])
  await troupe.close()
})
