/**
 * Each function that the public API takes has a row: how it is awaited, bounded and guarded. A function without a row fails the test of
 * the list, and so does a row without a function.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readSources } from '../../support/imports.ts'
import { reporterOf } from '../../../src/runtime/report.ts'
import { listedFunctions } from './listed.ts'
import { clients } from './clients.ts'
import { rows, type Given } from './runs.ts'
import { searches } from './searches.ts'

/** What is seen where the function answers, where it throws or rejects, where it never answers, and where it promises its answer. */
interface Ends {
  readonly good: string
  readonly broken: string
  readonly late: string
  /** Default: as `good`. */
  readonly promised?: string
  /** Where it rejects. Default: as `broken`. */
  readonly rejected?: string
}

/** A hook that decides nothing: the run goes on, and the error is told. Bounded by `hookTimeout`. */
const toldOf = {
  good: 'completed',
  broken: 'completed HOOK_FAILED told',
  late: 'completed HOOK_TIMEOUT told',
}

/** The run needs the answer: it fails. Bounded by `hookTimeout`. */
const failing = { good: 'completed', broken: 'failed HOOK_FAILED told', late: 'failed HOOK_TIMEOUT told' }

/** An observer: nothing waits for it. */
const observer = { good: 'completed', broken: 'completed told', late: 'completed' }

/** A desk that looks has performed its call. */
const performed = (ends: Ends): Ends => ({
  ...ends,
  good: 'completed performed',
  broken: ends.broken.replace(/ told$/, ' performed told'),
  late: ends.late.replace(/ told$/, ' performed told'),
})

/** A call that is guarded by the function: it is not performed. */
const guarded = { ...toldOf, good: 'completed performed' }

/** Called where nothing can wait: a promise is refused, whatever comes of it. */
const pure = (good: string, code = 'INVALID_HOOK_RESULT'): Ends => ({
  good,
  broken: 'oops',
  rejected: code,
  late: code,
  promised: code,
})

const ends: Readonly<Record<string, Ends>> = {
  'AgentOptions.handoffFilter': failing,
  'AgentOptions.onFinish': performed(toldOf),
  'AgentOptions.onStepFinish': performed(toldOf),
  'AgentOptions.stopWhen': { ...performed(failing), good: 'stopped performed' },
  'ChartAgentConfig.chart': {
    ...pure('completed', 'failed INVALID_HOOK_RESULT'),
    broken: 'failed MACHINE_FAILED',
  },
  'ChatModel.generate': {
    good: 'completed',
    broken: 'failed MODEL_FAILED told',
    late: 'failed MODEL_TIMEOUT',
  },
  'CompactionOptions.summarize': {
    good: 'completed performed',
    broken: 'completed COMPACTION_FAILED performed told',
    late: 'completed HOOK_TIMEOUT performed',
  },
  'CompletionOptions.onComplete': toldOf,
  'ConditionRule.condition': pure(''),
  'DelegationOptions.messageFilter': toldOf,
  'DelegationOptions.onDelegationComplete': toldOf,
  'DelegationOptions.onDelegationStart': toldOf,
  'DelegationOptions.requireApproval': toldOf,
  'DispatcherConfig.agents': failing,
  'EffectOptions.perform': {
    good: 'completed',
    broken: 'failed EFFECT_FAILED told',
    late: 'failed HOOK_TIMEOUT told',
  },
  'EvaluationCase.user': {
    good: 'false 2 The user has not done after 2 turns.',
    broken: 'false 1 The user failed after turn 1: oops',
    late: 'false 1 The user failed after turn 1: The user of the case did not answer within 120000 ms.',
  },
  'EvaluationScorer.score': {
    good: 'true',
    broken: 'false SCORER_FAILED',
    late: 'false HOOK_TIMEOUT',
  },
  'FanOutConfig.agents': failing,
  'FilteringHandoffs.handoffFilter': failing,
  'GraphOptions.events': pure('2 paths'),
  'GraphOptions.stateKey': pure('1 paths'),
  'HandoffOptions.handoffs': failing,
  'HandoffTarget.agent': pure('completed', 'INVALID_CONFIGURATION'),
  'Identity.instructions': { ...failing, good: 'completed performed' },
  'Identity.memory': { ...failing, good: 'completed performed' },
  'Identity.model': failing,
  'Identity.tools': { ...failing, good: 'completed performed' },
  'Identity.workflows': { ...failing, good: 'completed performed' },
  'InputProcessor.processInput': { ...failing, good: 'completed performed' },
  'MachineExploreOptions.stateKey': pure('true'),
  'McpConnectionOptions.onState': {
    good: 'closed',
    broken: 'closed told',
    late: 'closed',
  },
  'McpToolsOptions.onProgress': { ...performed(observer), late: 'completed performed' },
  'ModelSubject.open': { good: 'passed', broken: 'oops', late: 'HOOK_TIMEOUT' },
  'Observer.agent': observer,
  'Observer.around': { ...observer, late: 'completed told' },
  'Observer.traceparent': { ...observer, promised: 'completed told', late: 'completed told' },
  'OpenAIOptions.fetch': {
    good: 'completed',
    broken: 'failed MODEL_UNREACHABLE',
    late: 'failed MODEL_TIMEOUT',
  },
  'OutputProcessor.processOutput': {
    ...performed(failing),
    broken: 'failed HOOK_FAILED told',
    late: 'failed HOOK_TIMEOUT told',
  },
  'OutputProcessor.processOutputStream': {
    good: 'completed performed',
    broken: 'failed HOOK_FAILED performed told',
    rejected: 'failed INVALID_HOOK_RESULT performed',
    late: 'failed INVALID_HOOK_RESULT performed',
    promised: 'failed INVALID_HOOK_RESULT performed',
  },
  'PathOptions.pathGenerator': pure('2 paths'),
  'PathOptions.stopWhen': pure('2 paths'),
  'PathOptions.toState': pure('1 paths'),
  'PlannerConfig.agents': failing,
  'ProvenanceSinkOptions.write': {
    good: 'written',
    broken: 'oops',
    rejected: 'written told',
    late: 'written',
  },
  'RecordModelOptions.match': pure('Done.'),
  'RemoteAgentOptions.fetch': {
    good: 'completed performed',
    broken: 'failed REMOTE_UNREACHABLE',
    late: 'failed REMOTE_TIMEOUT',
  },
  'RemoteAgentOptions.headers': {
    good: 'completed performed',
    broken: 'failed REMOTE_CARD_INVALID',
    late: 'failed REMOTE_TIMEOUT',
  },
  'ReplayRecordingOptions.inspect': { good: 'true', broken: 'true', late: 'true' },
  'RouterConfig.agents': failing,
  'RouterConfig.memory': failing,
  'RunOptions.invariant': {
    good: '2 paths',
    broken: 'oops',
    late: 'invariant of a path did not answer within 60000 ms.',
  },
  'Schema.input': {
    ...pure('completed performed', 'INVALID_CONFIGURATION'),
    broken: 'INVALID_CONFIGURATION',
  },
  'Schema.validate': {
    good: 'completed performed',
    broken: 'completed SCHEMA_FAILED told',
    late: 'completed HOOK_TIMEOUT told',
  },
  'ScorerConfig.score': {
    good: 'completed',
    broken: 'exhausted SCORER_FAILED told',
    late: 'exhausted SCORER_TIMEOUT',
  },
  'ScriptedModelOptions.otherwise': pure('Done.', 'INVALID_CONFIGURATION'),
  'StoreSubject.open': { good: 'passed', broken: 'oops', late: 'HOOK_TIMEOUT' },
  'SupervisorConfig.agents': failing,
  'PlanOptions.approvePlan': failing,
  'SupervisorOptions.onIterationComplete': failing,
  'DeferOptions.search': {
    good: 'completed performed',
    broken: 'completed TOOL_FAILED told',
    late: 'completed TOOL_TIMEOUT told',
  },
  'ToolConfig.execute': {
    good: 'completed performed',
    broken: 'completed TOOL_FAILED told',
    late: 'completed TOOL_TIMEOUT told',
  },
  'ToolConfig.requireApproval': guarded,
  'TroupeConfig.around': { ...observer, late: 'completed told' },
  'TroupeConfig.inspect': observer,
}

const driven = { ...rows, ...searches, ...clients }

const codeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if ('code' in error) return String(error.code)
  return error.message.includes('has answered with a promise')
    ? 'INVALID_HOOK_RESULT'
    : (error.message.split('\n')[0] ?? '')
}

test.each(Object.entries(ends))('%s is awaited, bounded and guarded', async (name, expected) => {
  const row = driven[name]
  if (row === undefined) throw new Error(`There is no driver of ${name}.`)
  const seen = (given: () => unknown) => row.drive(given as Given).catch(codeOf)
  expect(await seen(() => row.good)).toBe(expected.good)
  expect(await seen(() => Promise.resolve(row.good))).toBe(expected.promised ?? expected.good)
  expect(await seen(oops)).toBe(expected.broken)
  expect(await seen(() => Promise.reject(new Error('oops')))).toBe(expected.rejected ?? expected.broken)
  expect(await seen(() => new Promise(() => undefined))).toBe(expected.late)
})

function oops(): never {
  throw new Error('oops')
}

/** `test/user-functions/guards.test.ts` has the cases of these: they fail closed, within a minute. */
const inGuards = [
  ...readFileSync(join(import.meta.dirname, '../guards.test.ts'), 'utf8').matchAll(/^ {2}'([\w.]+)': \{$/gm),
].map(([, name]) => name)

/** Interfaces that a store, a model, a client or a troupe implements, and what a run hands to functions: they are no options. */
const implemented =
  'A2aTroupe Agent AgentDefinition AnAgent BlobStorage Built Clock ConfigStorage CountedTroupe DefaultGraph DeltaSink DeltaSource Handoffs KeyIndex KeyedList LedgerStorage LibSQLStore Literal McpClient McpConnection MemoryStorage MessageAdapter NamedNode NoteItems PostgresPool Quad RemoteServer ReplayingTroupe Run RunService RunStore RunView ScheduleStorage Scorer ServedTroupe ServingTroupe SparseMap Store StreamState Tool Toolset Troupe TroupeBlobs TroupeConfiguration TroupeMemory TroupeSchedules Vector VirtualClock'.split(
    ' ',
  )

/** Functions whose rows are not driven here yet, and how they are called. */
const undriven: Readonly<Record<string, string>> = {
  'SealCodec.seal': 'the timeout of the store, then SEAL_FAILED: sealed/integrity.test.ts',
  'SealCodec.open': 'as SealCodec.seal',
  'SealedStoreOptions.keyOf': 'as SealCodec.seal',
  'SealedStoreOptions.redact': 'it answers at once: sealed/redaction.test.ts',
  'SealKeys.newest': 'as SealCodec.seal',
  'SealKeys.find': 'as SealCodec.seal',
  'RestateSealing.seal': 'made by restateSealing, at once',
  'RestateSealing.open': 'as RestateSealing.seal',
  'RestateSealing.nameOf': 'as RestateSealing.seal',
  'RestateSealing.idOf': 'as RestateSealing.seal',
  'Observer.traceparentOf': 'as Observer.traceparent, on Restate alone',
  'RestateEndpointConfig.around': 'as TroupeConfig.around',
  'RestateEndpointConfig.logger': 'the package of Restate calls it',
  'A2aPushOptions.fetch': 'the timeout of a push, then it counts as failed',
  'CronCalendar.check': 'it answers at once; what it throws is the error of the schedule: runtime/schedules',
  'CronCalendar.next': 'as CronCalendar.check',
  'CronCalendar.latest': 'as CronCalendar.check',
  'RecallOptions.search': 'within a processor, as InputProcessor.processInput: recall/recall.test.ts',
  'SkillsOptions.onInvalid':
    'it answers at once; what it throws, readSkills rejects with: skills/skills.test.ts',
  'TenantOptions.limits': 'it answers at once; what it throws is the error of the call: behaviours/limits',
  'UseRunOptions.fetch': 'until the page leaves the run',
  'StoryOptions.sanitize': 'as that of the inspector: inspector/story',
  // Those of `troupe/mastra` become the functions of ours that are named here: mastra/agent.test.ts
  'AgentConfig.instructions': 'as Identity.instructions',
  'AgentConfig.model': 'as Identity.model',
  'AgentConfig.agents': 'as SupervisorConfig.agents',
  'AgentConfig.workflows': 'as Identity.workflows',
  'AgentConfig.tools': 'as Identity.tools',
  'AgentConfig.memory': 'as Identity.memory',
  'AiSdkLanguageModel.doGenerate': 'as ChatModel.generate, through aiSdk',
  'AiSdkLanguageModel.doStream': 'as ChatModel.generate, through aiSdk',
  'SubAgentContextConfig.messageFilter': 'as DelegationOptions.messageFilter',
  'CompletionConfig.onComplete': 'as CompletionOptions.onComplete',
  'StreamOptions.onIterationComplete': 'as SupervisorOptions.onIterationComplete',
  'CommonOptions.stopWhen': 'as AgentOptions.stopWhen',
  'CommonOptions.onDelegationStart': 'as DelegationOptions.onDelegationStart',
  'CommonOptions.onDelegationComplete': 'as DelegationOptions.onDelegationComplete',
  'CommonOptions.onStepFinish': 'as AgentOptions.onStepFinish',
  'CommonOptions.onFinish': 'as AgentOptions.onFinish',
  'DelegationConfig.onDelegationStart': 'as DelegationOptions.onDelegationStart',
  'DelegationConfig.onDelegationComplete': 'as DelegationOptions.onDelegationComplete',
  'DelegationConfig.messageFilter': 'as DelegationOptions.messageFilter',
  'TypedToolConfig.execute': 'as ToolConfig.execute',
  'LooseToolConfig.execute': 'as ToolConfig.execute',
}

test('the list of the compiler and the rows are the same', () => {
  const listed = [...listedFunctions()].filter((name) => {
    const [owner = '', field = ''] = name.split('.')
    return field !== 'onError' && (!implemented.includes(owner) || name in ends)
  })
  const known = new Set([...Object.keys(ends), ...Object.keys(undriven), ...inGuards])
  expect(listed.filter((name) => !known.has(name))).toEqual([])
  expect(Object.keys({ ...ends, ...undriven }).filter((name) => !listed.includes(name))).toEqual([])
})

test('each onError is called by the reporter alone, which takes what it throws, rejects with and never answers', async () => {
  const callers = Object.entries(readSources('src'))
    .filter(([, source]) => /\boptions\.onError\??\.?\(|[^.\w]onError\??\.?\((?:problem|\{)/.test(source))
    .map(([file]) => file)
  expect(callers).toEqual(['runtime/report.ts'])
  const problem = { code: 'FUNCTION_THREW', message: 'm', where: 'effect', error: new Error('e') } as const
  for (const given of [oops, () => Promise.reject(new Error('oops')), () => new Promise(() => undefined)])
    expect(reporterOf(given)(problem)).toBeUndefined()
})
