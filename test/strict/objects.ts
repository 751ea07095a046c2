/** Every object that users hand in, each with a way to hand it in: a good one, with more put over it. */
import { InMemoryTransport } from '@modelcontextprotocol/client'
import {
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
  deferTools,
  createTroupe,
  createWorkflow,
  file,
  openai,
  throttled,
  withCircuit,
  memoryStore,
  type OnError,
} from 'troupe'
import { aiSdk, toLanguageModel } from 'troupe/ai-sdk'
import { chainedStore } from 'troupe/audit'
import { codeMode } from 'troupe/code-mode'
import { toMermaid, toSvg } from 'troupe/diagram'
import { defineChartAgent, defineEffect, storedRuns } from 'troupe/kit'
import { createHandler, type Access } from 'troupe/http'
import { inspector, recordStory } from 'troupe/inspector'
import { nodeFetch } from 'troupe/node-http'
import { exportRuns, importRuns } from 'troupe/moving'
import { Agent, createTool as createMastraTool, LibSQLStore, Mastra, Memory } from 'troupe/mastra'
import { otel, otelGauges } from 'troupe/otel'
import { statelyInspector } from 'troupe/inspect-stately'
import { a2aFetch, a2aHandler, agentCard, remoteAgent } from 'troupe/a2a'
import { answerElicitation, mcpConnection, mcpServer, mcpTools } from 'troupe/mcp'
import { formatExplanation, provenanceOf, provenanceSink } from 'troupe/provenance'
import { recall } from 'troupe/recall'
import { readSkills } from 'troupe/skills'
import { readDeltas, restateEndpoint, restateTroupe, serveDeltas } from 'troupe/restate'
import { postgresStore } from 'troupe/postgres'
import { aesCodec, restateSealing, sealedStore } from 'troupe/sealed'
import { sqliteStore } from 'troupe/sqlite'
import {
  compareEvaluations,
  coverMachine,
  createEvaluation,
  evaluate,
  explore,
  goldenOf,
  lint,
  lintMachine,
  modelContract,
  storeContract,
  precedes,
  recordModel,
  recordRun,
  replayModel,
  replayRecording,
  scriptedModel,
  simulatedUser,
  testModel,
  testPaths,
  virtualClock,
  type ScriptedModel,
} from 'troupe/testing'
import { toTrustGraphChunks } from 'troupe/trustgraph'
import { useRun } from 'troupe/react'
import { runsText, summarise, summaryText } from 'troupe/view'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { createMachine, fromPromise } from 'xstate'
import { z } from 'zod'
import { worker } from '../support/agents/agents.ts'
import { sealing, secretOf } from '../support/sealing.ts'
import { languageModel } from '../support/providers/language-model.ts'

export interface OutsideObject {
  /** As it reads in an error, or a part of that. */
  readonly name: string
  /** The exported types that it is of. */
  readonly types: readonly string[]
  /** Hands in a good one, with `more` put over it. */
  readonly give: (more: object) => unknown
  /** Fields that take anything at all. */
  readonly free?: readonly string[]
  /** It becomes JSON before it is read. */
  readonly isJson?: boolean
}

export const model: ScriptedModel = scriptedModel([], { otherwise: 'Done.' })
const base = { instructions: '', model }
const helper = worker('helper', ['Help.'], { otherwise: 'Help.' }).agent
const other = worker('other', ['Help.'], { otherwise: 'Help.' }).agent
const solo = createAgent({ id: 'solo', ...base })
const spent = worker('spent', [], { otherwise: 'Done.' }).agent
const endpoint = { url: 'http://localhost/a2a', binding: 'JSONRPC' }
const boss = createSupervisor({ id: 'boss', ...base, agents: { helper } })
const mastra = new Agent({ id: 'desk', model, agents: { helper }, memory: new Memory() })
const router = createMetaRouter({ id: 'router', ...base, agents: { react: helper } })

export const troupe = createTroupe({ agents: [solo, boss, router] })

/** A run that has ended. */
const ended = async (): Promise<string> => {
  const run = await createTroupe({ agents: [spent] }).start(spent, 'Go')
  await run.result
  return run.id
}
const journaled = async () => {
  const of = createTroupe({ agents: [spent] })
  const run = await of.start(spent, 'Go')
  await run.result
  return { of, id: run.id, journal: await of.journal(run.id) }
}

const chained = (more: object) =>
  chainedStore(memoryStore(), { current: 'k', keys: { k: new Uint8Array(32) }, ...more })

const options = (more: object): never => more as never
const ofRun = (name: string, good: object = {}) => ({
  name,
  give: (more: object) => troupe.start(boss, 'Go', options({ [name]: { ...good, ...more } })),
})
const one = z.object({})
const tool = { id: 'tool', description: 'Does.', inputSchema: one, execute: () => null }
const workflow = { id: 'flow', description: 'Flows.', inputSchema: one, logic: fromPromise(async () => 1) }
const scorers = [createScorer({ id: 'good', score: () => 1 })]
const create = (name: string, types: string[], make: (config: never) => unknown, more: object = {}) => ({
  name,
  types,
  give: (given: object) => make(options({ id: 'made', ...base, ...more, ...given })),
})
const machine = createMachine({ id: 'm', initial: 'a', states: { a: {} } })
const addresses = { ingress: 'http://127.0.0.1:1', agents: [solo] }
/** A client of a server without tools. */
const silentServer = { callTool: async () => ({}), listTools: async () => ({ tools: [] }) }
const asked = {
  type: 'mcp-elicitation',
  tool: 'plan',
  questions: { when: { mode: 'url', message: 'When?', url: 'https://example.org' } },
}
const cover = { inputs: {}, outcomes: {} }

export const objects: readonly OutsideObject[] = [
  create('createAgent', ['AgentConfig', 'AgentOptions', 'HandoffOptions'], createAgent, {
    handoffs: [helper],
  }),
  create('createSupervisor', ['SupervisorConfig', 'SupervisorOptions'], createSupervisor, {
    handoffs: [helper],
  }),
  create('createRouter', ['RouterConfig', 'RouterOptions'], createRouter, {
    memory: true,
    agents: { helper },
  }),
  create('createDispatcher', ['DispatcherConfig', 'DispatcherOptions'], createDispatcher, {
    agents: { helper },
  }),
  create('createPlanner', ['PlannerConfig', 'PlannerOptions'], createPlanner),
  create('createFanOut', ['FanOutConfig', 'FanOutOptions'], createFanOut, { agents: { helper } }),
  create('createMetaRouter', ['MetaRouterConfig', 'MetaRouterOptions'], createMetaRouter, {
    agents: { helper },
  }),
  create('createReflexion', ['ReflexionConfig', 'ReflexionOptions'], createReflexion, { handoffs: [helper] }),
  create('createDebate', ['DebateConfig', 'DebateOptions'], createDebate, { agents: { helper, other } }),

  { name: 'options of a run', types: ['CallOptions'], give: (more) => troupe.start(boss, 'Go', more) },
  { name: 'options of a run of "solo"', types: [], give: (more) => solo.generate('Go', more) },
  {
    name: 'defineEffect("quote")',
    types: ['EffectOptions'],
    give: (more) => defineEffect({ name: 'quote', perform: () => 1, ...more }),
  },
  {
    name: 'defineChartAgent("broker")',
    types: ['ChartAgentConfig', 'ChartAgentRunOptions'],
    free: ['id', 'instructions'],
    give: (more) => defineChartAgent({ id: 'broker', chart: () => createMachine({}), ...more }),
  },
  {
    name: 'codeMode("code")',
    types: ['CodeModeConfig', 'CodeModeRunOptions'],
    free: ['id'],
    give: (more) => codeMode({ id: 'code', tools: { tool: createTool(tool) }, ...more }),
  },
  {
    name: 'codeMode("code"): limits',
    types: ['CodeLimits'],
    give: (limits) => codeMode({ id: 'code', tools: { tool: createTool(tool) }, limits }),
  },
  {
    name: 'resuming',
    types: [],
    free: ['context'], // what has ended needs none
    give: async (more) => {
      const { of, id } = await journaled()
      return of.resume(id, more)
    },
  },
  { ...ofRun('delegation'), types: ['DelegationOptions'] },
  { ...ofRun('completion', { scorers }), types: ['CompletionOptions'] },
  { ...ofRun('structuredOutput', { schema: one }), types: ['StructuredOutput'] },
  { ...ofRun('memory'), types: ['MemoryOptions'] },
  { ...ofRun('compaction', { window: 1_000 }), types: ['CompactionOptions'] },
  { ...ofRun('contextEditing', { above: 1_000 }), types: ['ContextEditingOptions'] },
  {
    name: 'workingMemory',
    types: [],
    give: (more) =>
      troupe.start(boss, 'Go', options({ memory: { workingMemory: { template: 'A', ...more } } })),
  },
  { ...ofRun('budget'), types: ['BudgetOptions'] },
  {
    name: 'prices',
    types: ['ModelPrice', 'PriceTable'],
    give: (more) =>
      troupe.start(boss, 'Go', options({ budget: { prices: { gpt: { input: 1, output: 1, ...more } } } })),
  },
  {
    name: 'backgroundTasks.helper',
    types: ['BackgroundTask'],
    give: (more) => troupe.start(boss, 'Go', options({ backgroundTasks: { helper: more } })),
  },
  {
    name: 'handoffs.helper',
    types: ['HandoffTarget'],
    give: (more) =>
      createAgent({
        id: 'made',
        ...base,
        handoffs: { helper: options({ agent: helper, inputSchema: one, ...more }) },
      }),
  },
  { ...ofRun('versions', { agents: {} }), types: ['VersionOverrides'] },
  {
    name: 'versions.agents.solo',
    types: ['VersionSelector'],
    give: (more) => troupe.start(boss, 'Go', options({ versions: { agents: { solo: { ...more } } } })),
  },
  {
    name: 'signals',
    types: ['RequestSignals'],
    give: (more) => troupe.start(router, 'Go', options({ signals: more })),
  },
  {
    name: 'prompt',
    types: ['PromptMessage'],
    give: (more) => troupe.start(solo, [options({ role: 'user', content: 'Go', ...more })]),
  },
  {
    name: 'content[0]',
    types: ['TextPart'],
    give: (more) =>
      troupe.start(solo, [{ role: 'user', content: [options({ type: 'text', text: 'Go', ...more })] }]),
  },
  {
    name: 'content[0]',
    types: ['FileData', 'FileUrl', 'FileRef'],
    give: (more) =>
      troupe.start(solo, [
        { role: 'user', content: [options({ type: 'file', mediaType: 'image/png', data: 'AAAA', ...more })] },
      ]),
  },
  {
    name: 'file: options',
    types: ['FileOptions'],
    give: (more) => file(Uint8Array.of(1), 'image/png', more),
  },
  {
    name: 'inputProcessors',
    types: ['InputProcessor'],
    give: (more) =>
      troupe.start(
        boss,
        'Go',
        options({ inputProcessors: [{ id: 'p', processInput: () => undefined, ...more }] }),
      ),
  },
  {
    name: 'outputProcessors',
    types: ['OutputProcessor'],
    give: (more) =>
      troupe.start(
        boss,
        'Go',
        options({ outputProcessors: [{ id: 'p', processOutput: () => undefined, ...more }] }),
      ),
  },

  { name: 'createTool', types: ['ToolConfig'], give: (more) => createTool({ ...tool, ...more }) },
  {
    name: 'recall',
    types: ['RecallOptions'],
    give: (more) => recall({ search: () => [], ...more }),
  },
  {
    name: 'readSkills',
    types: ['SkillsOptions'],
    give: (more) => readSkills('examples/49-skills/skills', more),
  },
  { name: 'deferTools', types: ['DeferOptions'], give: (more) => deferTools({}, more) },
  {
    name: 'background',
    types: ['ToolBackground'],
    give: (more) => createTool({ ...tool, background: more }),
  },
  {
    name: 'createWorkflow',
    types: ['WorkflowConfig'],
    give: (more) => createWorkflow({ ...workflow, ...more }),
  },
  {
    name: 'createScorer',
    types: ['ScorerConfig'],
    give: (more) => createScorer({ id: 'scorer', score: () => 1, ...more }),
  },
  {
    name: 'taskTypes',
    types: ['TaskType'],
    give: (more) =>
      createMetaRouter({
        id: 'routes',
        ...base,
        agents: { react: helper },
        taskTypes: [{ name: 'audit', description: 'Audits.', valid_patterns: ['react'], ...more }],
      }),
  },
  {
    name: 'patterns',
    types: ['PatternItem'],
    give: (more) =>
      createMetaRouter({
        id: 'routes',
        ...base,
        agents: { react: helper },
        patterns: [{ name: 'react', description: 'Acts.', ...more }],
      }),
  },
  {
    name: 'patterns[0].settings',
    types: ['PatternSettings'],
    give: (more) =>
      createMetaRouter({
        id: 'routes',
        ...base,
        agents: { react: helper },
        patterns: [{ name: 'react', description: 'Acts.', settings: { maxSteps: 3, ...more } }],
      }),
  },
  {
    name: 'config: agent-pattern',
    types: [],
    isJson: true,
    give: (more) =>
      troupe.config.load({ 'agent-pattern': { react: { name: 'react', description: 'Acts.', ...more } } }),
  },

  {
    name: 'createTroupe',
    types: ['TroupeConfig'],
    give: (more) => createTroupe({ agents: [solo], ...more }),
  },
  {
    name: 'storedRuns',
    types: ['StoredRunsConfig'],
    give: (more) => storedRuns({ store: memoryStore(), ...more }),
  },
  { name: 'logic', types: ['LogicOptions'], give: (more) => troupe.logic(solo, more) },
  { name: 'recover', types: ['RecoverOptions'], give: (more) => troupe.recover(more) },
  {
    name: 'drain',
    types: ['DrainOptions'],
    give: (more) => createTroupe({ agents: [solo] }).drain(more),
  },
  {
    name: 'close',
    types: ['CloseOptions'],
    give: (more) => createTroupe({ agents: [solo] }).close(more),
  },
  {
    name: 'stats',
    types: ['StatsOptions'],
    give: (more) => createTroupe({ agents: [solo] }).stats(more),
  },
  {
    name: 'health',
    types: ['HealthOptions'],
    give: (more) => createTroupe({ agents: [solo] }).health(more),
  },
  {
    name: 'view',
    types: ['ViewOptions'],
    give: async (more) => {
      const { of, id } = await journaled()
      return (await of.trail(id)).view(1, more)
    },
  },
  {
    name: 'trail',
    types: ['TrailOptions'],
    give: async (more) => {
      const { of, id } = await journaled()
      return of.trail(id, more)
    },
  },
  {
    name: 'journal',
    types: ['JournalOptions'],
    give: (more) => ended().then((id) => troupe.journal(id, more)),
  },
  { name: 'watch', types: ['WatchOptions'], give: (more) => troupe.watch('any', more) },
  { name: 'replay', types: ['ReplayOptions'], give: async (more) => troupe.replay(await ended(), more) },
  {
    name: 'fork',
    types: ['ForkOptions'],
    give: async (more) => {
      const { of, id } = await journaled()
      return of.fork(id, { at: 1, ...more })
    },
  },
  {
    name: 'options for resuming the run',
    types: ['ResumeOptions'],
    free: ['context'],
    give: async (more) => {
      const { of, id } = await journaled()
      return of.resume(id, more)
    },
  },
  {
    name: 'options for forking the run',
    types: ['ForkRunOptions'],
    free: ['context'],
    give: async (more) => {
      const { of, id } = await journaled()
      return of.fork(id, { at: 1 }, more)
    },
  },
  {
    name: 'fork: patch',
    types: ['ForkPatch'],
    free: ['value', 'error'],
    give: async (more) => {
      const { of, id } = await journaled()
      return of.fork(id, { at: 2, patch: options({ value: { text: 'Other.' }, ...more }) })
    },
  },
  {
    name: 'fork: patch.error',
    types: ['ErrorData'],
    free: ['cause'],
    give: async (more) => {
      const { of, id } = await journaled()
      const error = { name: 'Error', code: 'BROKE', message: 'It broke.', ...more }
      return of.fork(id, { at: 2, patch: { error } })
    },
  },
  { name: 'runs', types: ['RunFilter', 'PageOptions'], give: (more) => troupe.runs(more) },
  {
    name: 'schedules.list',
    types: ['ScheduleFilter'],
    give: (more) => troupe.schedules.list(more),
  },
  { name: 'decisions', types: ['DecisionFilter'], give: (more) => troupe.decisions(more) },
  { name: 'chainedStore', types: ['ChainKeys'], give: (more) => chained(more) },
  {
    name: 'verify',
    types: ['VerifyOptions'],
    give: (more) => chained({}).verify('run', more),
  },
  { name: 'awaiting', types: ['QuestionFilter'], give: (more) => troupe.awaiting(more) },
  {
    name: 'createTroupe: tenants',
    types: ['TenantOptions'],
    give: (more) => createTroupe({ agents: [solo], tenants: { limits: [], ...more } }),
  },
  {
    name: 'createTroupe: tenants.limits[0]',
    types: ['TenantLimit'],
    give: (more) => createTroupe({ agents: [solo], tenants: { limits: [{ per: 'day', ...more }] } }),
  },
  {
    name: 'createTroupe: retention',
    types: ['Retention'],
    give: (more) => createTroupe({ agents: [solo], retention: more }),
  },
  {
    name: 'createTroupe: retention.runs',
    types: ['RetentionLimits'],
    give: (more) => createTroupe({ agents: [solo], retention: { runs: { age: 1e9, ...more } } }),
  },
  { name: 'memoryStore', types: ['MemoryStoreOptions'], give: (more) => memoryStore(more) },
  {
    name: 'cancel',
    types: ['CancelOptions', 'CancelRunOptions'],
    give: async (more) => troupe.cancel(await ended(), 'Enough', more),
  },
  {
    name: 'delete',
    types: ['DeleteRunOptions'],
    give: async (more) => troupe.delete(await ended(), more),
  },
  {
    name: 'eraseResource',
    types: ['EraseOptions'],
    give: (more) => troupe.eraseResource('nobody', more),
  },
  { name: 'memory.resources', types: [], give: (more) => troupe.memory.resources(more) },
  {
    name: 'signal',
    types: ['RunSignal'],
    free: ['toolCallId', 'data', 'delegationId', 'args', 'message'],
    give: async (more) => troupe.signal(await ended(), { type: 'deny', toolCallId: 'none', ...more }),
  },
  {
    name: 'approve',
    types: ['Answer', 'ApprovalAnswer', 'ApproveAnswer'],
    free: ['args'],
    give: async (more) => {
      const { of, id } = await journaled()
      return (await of.resume(id)).approve('none', more)
    },
  },
  {
    name: 'say',
    types: ['SayOptions'],
    give: async (more) => {
      const { of, id } = await journaled()
      return (await of.resume(id)).say('Wait.', more)
    },
  },
  { name: 'memory.threads', types: ['ThreadFilter'], give: (more) => troupe.memory.threads(more) },
  {
    name: 'memory.save',
    types: ['ThreadMessage'],
    free: ['at'],
    give: (more) => troupe.memory.save('t', [{ id: '1', role: 'user', content: 'Go', at: 1, ...more }]),
  },

  {
    name: 'openai',
    types: ['OpenAIOptions', 'OpenAISettings'],
    give: (more) => openai('gpt-5-mini', { apiKey: 'sk-secret-secret', ...more }),
  },
  { name: 'withCircuit', types: ['CircuitOptions'], give: (more) => withCircuit(model, more) },
  { name: 'throttled', types: ['ThrottleOptions'], give: (more) => throttled(model, more) },
  {
    name: 'aiSdk("fake.chat/fake-1")',
    types: ['AiSdkOptions', 'AiSdkSettings', 'ProviderTool'],
    give: (more) => aiSdk(languageModel(), more),
  },
  {
    name: 'toLanguageModel',
    types: ['LanguageModelOptions'],
    free: ['run'], // read as the options of a run
    give: (more) => toLanguageModel(solo, more),
  },
  {
    name: 'modelContract',
    types: ['ModelSubject'],
    give: (more) => modelContract({ open: () => ({ model }), ...more }),
  },
  { name: 'summarise', types: ['SummaryOptions'], give: (more) => summarise([], more) },
  { name: 'runsText', types: ['RunsTextOptions'], give: (more) => runsText([], more) },
  {
    name: 'summaryText',
    types: ['SummaryTextOptions'],
    give: (more) => summaryText(summarise([]), more),
  },
  {
    name: 'storeContract',
    types: ['StoreSubject'],
    give: (more) => storeContract({ open: () => ({ store: memoryStore() }), ...more }),
  },
  { name: 'scriptedModel', types: ['ScriptedModelOptions'], give: (more) => scriptedModel([], more) },
  {
    name: 'scriptedModel: steps[0]',
    types: ['ScriptedReply', 'ScriptedStep'],
    free: ['error', 'providerData'],
    give: (more) => scriptedModel([more]),
  },
  {
    name: 'sources[0]',
    types: ['WebSource', 'DocumentSource'],
    give: (more) => scriptedModel([{ sources: [options({ type: 'url', url: 'https://a.test', ...more })] }]),
  },
  {
    name: 'toolCalls[0]',
    types: ['ScriptedToolCall'],
    free: ['args', 'providerData'],
    give: (more) => scriptedModel([{ toolCalls: [{ name: 'look', ...more }] }]),
  },
  {
    name: 'steps[0].usage',
    types: [],
    free: [
      'inputTokens',
      'outputTokens',
      'totalTokens',
      'cachedInputTokens',
      'cacheWriteTokens',
      'reasoningTokens',
      'cost',
      'incomplete',
    ],
    give: (more) => scriptedModel([{ usage: more }]),
  },
  {
    name: 'coverMachine',
    types: ['CoverOptions', 'RunOptions', 'GraphOptions'],
    give: (more) => coverMachine(machine, { ...cover, ...more }),
  },
  {
    name: 'testPaths',
    types: ['PathOptions'],
    give: (more) => testPaths(machine, { ...cover, ...more }),
  },
  {
    name: 'goldenOf',
    types: ['GoldenOptions'],
    give: (more) => goldenOf(machine, { ...cover, ...more }),
  },
  {
    name: 'testModel',
    types: ['ModelOptions'],
    free: ['input'],
    give: (more) => testModel(machine, { outcomes: cover.outcomes, ...more }),
  },
  {
    name: 'outcomes',
    types: ['Outcome'],
    free: ['value', 'error'],
    give: (more) =>
      coverMachine(machine, { ...cover, outcomes: { work: [{ name: 'ends', value: 1, ...more }] } }),
  },
  {
    name: 'events',
    types: ['ExternalEvent'],
    give: (more) =>
      coverMachine(machine, { ...cover, events: [{ name: 'goes', event: { type: 'go' }, ...more }] }),
  },
  {
    name: 'explore',
    types: ['ExploreOptions'],
    free: ['task'], // read as the prompt of a run
    give: async (more) => explore(solo, { limits: { states: 1 }, ...more }),
  },
  {
    name: 'explore("m")',
    types: ['MachineExploreOptions'],
    free: ['input'], // the machine's own
    give: (more) => explore(machine, { outcomes: {}, ...more }),
  },
  { name: 'adversary', types: ['AdversaryOptions'], give: (more) => explore(solo, { adversary: more }) },
  { name: 'limits', types: ['LimitOptions'], give: (more) => explore(solo, { limits: more }) },
  {
    name: 'precedes("step-start", "step-finish")',
    types: ['EventFilter'],
    give: (more) => precedes('step-start', 'step-finish', more),
  },
  {
    name: 'config[0]',
    types: ['ConfigItems'],
    free: ['value'],
    give: (more) => explore(solo, { config: [{ kind: 'k', key: 'k', value: 1, ...more }] }),
  },
  {
    name: 'lintMachine',
    types: ['LintMachineOptions'],
    give: (more) => lintMachine(createMachine({}), more),
  },
  {
    name: 'lint',
    types: ['LintOptions'],
    free: ['run'], // read as the options of a run
    give: (more) => lint(solo, more),
  },
  {
    name: 'accept[0]',
    types: ['AcceptedFinding'],
    give: (more) => lint(solo, { accept: [{ code: 'handoff-circle', reason: 'It is meant so.', ...more }] }),
  },
  { name: 'virtualClock', types: ['VirtualClockOptions'], give: (more) => virtualClock(more) },
  { name: 'recordModel', types: ['RecordModelOptions'], give: (more) => recordModel(model, more) },
  {
    name: 'replayModel',
    types: ['ReplayModelOptions'],
    give: (more) => replayModel(recordModel(model).cassette(), more),
  },
  {
    name: 'evaluate',
    types: ['EvaluateOptions'],
    free: ['run'], // read as the options of a run
    give: async (more) => evaluate(solo, [{ prompt: 'Go' }], more),
  },
  {
    name: 'cases[0]',
    types: ['EvaluationCase'],
    free: ['expected', 'run'],
    give: async (more) => evaluate(solo, [{ prompt: 'Go', ...more }]),
  },
  {
    name: 'createEvaluation',
    types: ['EvaluationConfig'],
    give: async (more) => createEvaluation({ id: 'solo', agent: solo, cases: [{ prompt: 'Go' }], ...more }),
  },
  {
    name: 'gates',
    types: ['EvaluationGates'],
    give: async (more) => evaluate(solo, [{ prompt: 'Go' }], { gates: more }),
  },
  {
    name: 'simulatedUser',
    types: ['SimulatedUserOptions'],
    give: (more) => simulatedUser({ model, instructions: 'Ask.', ...more }),
  },
  {
    name: 'compareEvaluations',
    types: ['CompareOptions'],
    give: async (more) => {
      const report = await evaluate(spent, [])
      return compareEvaluations(report, report, more)
    },
  },
  {
    name: 'gates',
    types: ['ComparisonGates'],
    give: async (more) => {
      const report = await evaluate(spent, [])
      return compareEvaluations(report, report, { gates: more })
    },
  },
  {
    name: 'replayRecording',
    types: ['ReplayRecordingOptions'],
    give: async (more) =>
      replayRecording(recordRun((await journaled()).journal), { agents: [spent], ...more }),
  },
  {
    name: 'exportRuns',
    types: ['ExportOptions'],
    give: (more) => exportRuns(memoryStore(), {}, more),
  },
  { name: 'runs', types: ['ExportFilter'], give: (more) => exportRuns(memoryStore(), more) },
  {
    name: 'importRuns',
    types: ['ImportOptions'],
    give: (more) => importRuns(memoryStore(), exportRuns(memoryStore()), more),
  },
  {
    name: 'postgresStore',
    types: ['PostgresStoreOptions'],
    free: ['pool'], // an object of the user's
    give: (more) => postgresStore({ connectionString: 'postgres://nowhere', ...more }),
  },
  {
    name: 'sealedStore',
    types: ['SealedStoreOptions'],
    give: (more) => sealedStore(memoryStore(), { ...sealing, ...more }),
  },
  {
    name: 'restateSealing',
    types: ['RestateSealingOptions'],
    give: (more) => restateSealing({ codec: sealing.codec, names: secretOf(9), ...more }),
  },
  {
    name: 'aesCodec',
    types: ['AesCodecOptions'],
    give: (more) => aesCodec({ keys: [{ id: 'k', bytes: secretOf(1) }], ...more }),
  },
  {
    name: 'sqliteStore',
    types: ['SqliteStoreOptions'],
    give: (more) => sqliteStore('/nowhere/runs.db', more),
  },
  { name: 'toMermaid', types: ['MermaidOptions'], give: (more) => toMermaid(machine, more) },
  {
    name: 'recordStory',
    types: ['StoryOptions'],
    give: async (more) => {
      const { of, id } = await journaled()
      return recordStory(of, id, more)
    },
  },
  { name: 'toSvg', types: ['SvgOptions'], give: (more) => toSvg(machine, more) },
  {
    name: 'provenance',
    types: ['ProvenanceOptions'],
    give: async (more) => {
      const { of, id } = await journaled()
      return provenanceOf(of, id, more)
    },
  },
  {
    name: 'provenanceSink',
    types: ['ProvenanceSinkOptions'],
    give: (more) => provenanceSink({ write: () => undefined, ...more }),
  },
  {
    name: 'new Agent',
    types: ['AgentConfig', 'MastraModelConfig'],
    give: (more) => new Agent(options({ id: 'solo', model, ...more })).definition(),
  },
  {
    name: 'subAgentContext',
    types: ['SubAgentContextConfig'],
    give: (more) => new Agent(options({ id: 'solo', model, subAgentContext: more })).definition(),
  },
  {
    name: 'backgroundTasks',
    types: ['BackgroundTasksConfig'],
    give: (more) => new Agent(options({ id: 'solo', model, backgroundTasks: more })).definition(),
  },
  {
    name: 'defaultOptions',
    types: [],
    give: (more) => new Agent(options({ id: 'solo', model, defaultOptions: more })).generate('Go'),
  },
  { name: 'generate', types: ['StreamOptions'], give: (more) => mastra.generate('Go', more) },
  { name: 'network', types: ['NetworkOptions'], give: (more) => mastra.network('Go', more) },
  {
    name: 'delegation',
    types: ['DelegationConfig'],
    give: (more) => mastra.generate('Go', { delegation: more }),
  },
  {
    name: 'completion',
    types: ['CompletionConfig'],
    give: (more) => mastra.generate('Go', { completion: { scorers, ...more } }),
  },
  { name: 'memory', types: [], give: (more) => mastra.generate('Go', { memory: more }) },
  {
    name: 'approveToolCall',
    types: ['AnswerOptions'],
    give: (more) => mastra.approveToolCall({ runId: 'r', ...more }),
  },
  {
    name: 'createTool("tool")',
    types: ['LooseToolConfig', 'TypedToolConfig'],
    give: (more) => createMastraTool({ ...tool, ...more }),
  },
  { name: 'new Memory', types: ['MemoryConfig'], give: (more) => new Memory(more) },
  {
    name: 'new LibSQLStore',
    types: ['LibSQLConfig'],
    give: (more) => new LibSQLStore({ url: 'file:a.db', ...more }),
  },
  { name: 'new Mastra', types: ['MastraConfig'], give: (more) => new Mastra(more) },
  {
    name: 'toTrustGraphChunks',
    types: ['TrustGraphChunkOptions'],
    give: async (more) => toTrustGraphChunks(worker('solo', ['Hi.']).agent.stream('Go').events, more),
  },
  {
    name: 'useRun',
    types: ['UseRunOptions'],
    give: (more) => renderToString(createElement(() => useRun('/runs/r1', more).status)),
  },
  {
    name: 'agentCard',
    types: ['AgentCardOptions'],
    free: ['more'], // fields of the card
    give: (more) => agentCard(helper, { endpoints: [endpoint], ...more }),
  },
  {
    name: 'a2aHandler',
    types: ['A2aHandlerOptions'],
    free: ['card'], // made by agentCard
    give: (more) =>
      a2aHandler(helper, { troupe, card: agentCard(helper, { endpoints: [endpoint] }), ...more }),
  },
  {
    name: 'a2aHandler: push',
    types: ['A2aPushOptions'],
    give: (more) =>
      a2aHandler(helper, {
        troupe,
        card: agentCard(helper, { endpoints: [endpoint] }),
        push: { origins: { 'https://example.com': 'a secret of two programs' }, ...more },
      }),
  },
  {
    name: 'resumePush',
    types: ['ResumePushOptions'],
    give: async (more) => {
      const card = agentCard(helper, { endpoints: [endpoint] })
      const push = { origins: { 'https://example.com': 'a secret of two programs' } }
      const handler = a2aHandler(helper, { troupe, card, push })
      await handler.resumePush(more)
      await handler.closePush()
    },
  },
  {
    name: 'a2aFetch',
    types: ['A2aFetchOptions'],
    give: (more) => {
      const card = agentCard(helper, { endpoints: [endpoint] })
      return a2aFetch(a2aHandler(helper, { troupe, card }), { authenticate: 'everybody', ...more })
    },
  },
  {
    name: 'remoteAgent',
    types: ['RemoteAgentOptions', 'RemoteRunOptions'],
    free: ['card'], // made by agentCard
    give: (more) =>
      remoteAgent({ id: 'partner', description: 'Helps.', url: 'https://partner.test', ...more }),
  },
  {
    name: 'mcpConnection',
    types: ['McpConnectionOptions'],
    give: (more) => mcpConnection({ transport: () => new InMemoryTransport(), ...more }),
  },
  {
    name: 'mcpTools',
    types: ['McpToolsOptions'],
    give: async (more) => mcpTools(silentServer, more),
  },
  {
    name: 'mcpServer',
    types: ['McpServerOptions'],
    give: (more) => mcpServer({ agents: { helper }, troupe, ...more }),
  },
  {
    name: 'createHandler',
    types: ['HandlerOptions'],
    give: (more) => createHandler(troupe, options({ authorize: 'everybody', agents: [solo], ...more })),
  },
  {
    name: 'the answer of authorize',
    types: ['Access'],
    give: async (more) => {
      const problems: Error[] = []
      const authorize = (): Access => options({ resource: null, ...more })
      const onError: OnError = ({ error }) => error instanceof Error && problems.push(error)
      await createHandler(troupe, { authorize, onError })(new Request('http://test.example/runs'))
      for (const problem of problems) throw problem
    },
  },
  {
    name: 'answerElicitation',
    types: [],
    free: ['content'], // read as the fields of the form
    give: (more) => answerElicitation(asked, { when: { action: 'decline', ...more } }),
  },
  {
    name: 'formatExplanation',
    types: ['FormatOptions'],
    give: (more) => formatExplanation({ agent: 'solo' } as never, more),
  },
  {
    name: 'inspector',
    types: ['InspectorOptions'],
    give: async (more) => {
      const view = inspector(troupe, more)
      await view.url
      await view.stop()
    },
  },
  {
    name: 'createTroupe: around',
    types: ['Observer'],
    give: (more) => createTroupe({ agents: [solo], around: { ...more } }),
  },
  { name: 'otel', types: ['OtelOptions'], give: (more) => otel(more) },
  {
    name: 'otelGauges',
    types: ['OtelGaugesOptions'],
    give: (more) => otelGauges(createTroupe({ agents: [solo] }), more),
  },
  {
    name: 'nodeFetch',
    types: ['NodeFetchOptions'],
    give: (more) => nodeFetch(more),
  },
  {
    name: 'statelyInspector',
    types: ['StatelyInspectorOptions'],
    give: (more) => statelyInspector({ adapter: { send: () => undefined }, ...more }),
  },

  {
    name: 'restateTroupe',
    types: ['RestateTroupeConfig'],
    give: (more) => restateTroupe({ ...addresses, ...more }),
  },
  {
    name: 'ingress',
    types: [],
    give: (more) => restateTroupe({ ...addresses, ingress: { url: 'http://127.0.0.1:1', ...more } }),
  },
  {
    name: 'runs',
    types: ['RestateRunFilter'],
    give: (more) => restateTroupe({ ...addresses, admin: 'http://127.0.0.1:1' }).runs(more),
  },
  {
    name: 'awaiting',
    types: ['RestateQuestionFilter'],
    give: (more) => restateTroupe({ ...addresses, admin: 'http://127.0.0.1:1' }).awaiting(more),
  },
  {
    name: 'restateTroupe: resume',
    types: ['RestateResumeOptions'],
    give: (more) => restateTroupe(addresses).resume('none', more),
  },
  {
    name: 'restateEndpoint',
    types: ['RestateEndpointConfig'],
    free: ['inactivityTimeout', 'abortTimeout', 'journalRetention', 'workflowRetention'],
    give: (more) => restateEndpoint({ agents: [solo], ...more }),
  },
  {
    name: 'retryPolicy',
    types: [],
    free: ['initialInterval', 'maxInterval'],
    give: (more) => restateEndpoint({ agents: [solo], retryPolicy: more }),
  },
  {
    name: 'listen',
    types: ['ListenOptions'],
    give: (more) => restateEndpoint({ agents: [solo] }).listen(more),
  },
  { name: 'serveDeltas', types: ['DeltaServerOptions'], give: (more) => serveDeltas(more) },
  {
    name: 'readDeltas',
    types: ['DeltaReaderOptions'],
    give: (more) => readDeltas({ workers: ['http://127.0.0.1:1'], ...more }),
  },
]
