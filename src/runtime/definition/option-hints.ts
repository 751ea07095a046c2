/** Hints for options of agents and of their runs: another function, another object or the run has the option. */
import { nameOf, optionElsewhere, otherName, firstOf, sayings } from '../../actors/strict/hints.ts'
import { once } from '../../actors/values/once.ts'
import type { Hint } from '../../actors/strict/plain-name.ts'
import {
  budgetFields,
  compactionFields,
  completionFields,
  delegationFields,
  memoryFields,
  structuredOutputFields,
} from '../options/option-fields.ts'
import { callFields, optionsOf } from '../options/option-table.ts'
import type { Pattern } from '../options/pattern.ts'

/** The names of the parts of a definition, by pattern. */
export type PartsByPattern = Readonly<Record<Pattern, object>>

const creates: readonly (readonly [Pattern, string])[] = [
  ['react', 'createAgent'],
  ['supervisor', 'createSupervisor'],
  ['router', 'createRouter'],
  ['plan-then-execute', 'createPlanner'],
  ['fan-out', 'createFanOut'],
  ['reflexion', 'createReflexion'],
  ['debate', 'createDebate'],
  ['dispatch', 'createDispatcher'],
  ['meta-router', 'createMetaRouter'],
]

/** The objects among the options, with the names of their fields. */
const innerRows = once(() =>
  Object.entries({
    delegation: delegationFields,
    completion: completionFields,
    structuredOutput: structuredOutputFields,
    budget: budgetFields,
    memory: memoryFields,
    compaction: compactionFields,
  }).map(([parent, fields]) => [parent, Object.keys(fields)] as const),
)

/** `it belongs in "delegation"`, for a field of an object that is known here. */
const belongsIn: Hint = (key, known) => {
  const parents = innerRows().flatMap(([parent, names]) =>
    known.includes(parent) && names.includes(key) ? [`"${parent}"`] : [],
  )
  return parents.length === 0 ? undefined : `it belongs in ${parents.join(' or ')}`
}

const belongsInByOtherName: Hint = (key, known) => {
  for (const [parent, names] of innerRows()) {
    const name = known.includes(parent) ? nameOf(key, names) : undefined
    if (name !== undefined) return `it is called "${name}", and belongs in "${parent}"`
  }
  return undefined
}

/** At most three functions, by their names. */
function listed(functions: readonly string[]): string {
  if (functions.length > 3) return `${functions.slice(0, 2).join(', ')} and others`
  return functions.length > 1
    ? `${functions.slice(0, -1).join(', ')} and ${functions.at(-1)}`
    : functions.join('')
}

/** `it is an option of createSupervisor`, for an option of other patterns, or of an object that these have. */
function ofOtherPatterns(parts: PartsByPattern): Hint {
  const namesOf = creates.map(
    ([pattern, create]) => [create, { ...parts[pattern], ...optionsOf[pattern] }] as const,
  )
  const having = (name: string): readonly string[] =>
    namesOf.flatMap(([create, names]) => (Object.hasOwn(names, name) ? [create] : []))
  return (key) => {
    const functions = having(key)
    if (functions.length > 0) return `it is an option of ${listed(functions)}`
    const [parent] = innerRows().find(([, names]) => names.includes(key)) ?? []
    return parent === undefined ? undefined : `it is an option of ${listed(having(parent))}, in "${parent}"`
  }
}

const ofRuns: Hint = (key) =>
  Object.hasOwn(callFields, key) ? `it is an option of a run: generate(prompt, { ${key}: … })` : undefined

const ofRunsByOtherName: Hint = (key) => {
  const name = nameOf(key, Object.keys(callFields))
  return name === undefined ? undefined : `it is "${name}" of a run: generate(prompt, { ${name}: … })`
}

const settings = 'settings of a model are its own options: openai(modelId, { temperature: … })'
const events = 'a run tells what it does in its events: stream(prompt).events'
const eachStep =
  'instructions, model and tools may be functions of the run; tools change from step to step by their states'
const spans = 'spans come from otel() of troupe/otel, in createTroupe({ around })'

const kept =
  '"store" of createTroupe keeps runs and threads, and "memory: true" lets an agent go on with a thread'
const ofThread =
  'thread_id is "threadId" of troupe.start(agent, prompt, { threadId }), and other values are "context"'

const inARow = '"model" may be a list: where a model fails for good, the next one is called'

const ofAgents = sayings({
  fallback: inARow,
  fallbacks: inARow,
  fallbackmodel: inARow,
  fallbackmodels: inARow,
  timeout:
    'a call of the model has "modelTimeout", a run "budget: { wallClock }", and a tool the "timeout" of createTool',
  maxtokens: 'a reply has "maxOutputTokens" of openai(modelId, options), and a run has "budget: { tokens }"',
  modelsettings: settings,
  provideroptions: settings,
  llmconfig: settings,
  preparestep: eachStep,
  premodelhook: eachStep,
  callmodelinputfilter: eachStep,
  activetools: eachStep,
  verbose: events,
  debug: events,
  callbacks: events,
  hooks: events,
  onevent: events,
  onchunk: events,
  ontoken: events,
  streammode: events,
  telemetry: spans,
  experimentaltelemetry: spans,
  tracing: spans,
  checkpointer: kept,
  checkpointsaver: kept,
  stateschema: 'the conversation is the state of an agent; data of the app is "context" of a run',
  mcpservers: 'tools of MCP servers come from mcpTools() of troupe/mcp, and belong in "tools"',
  defaultoptions: 'options of a run stand on the definition itself',
  defaultgenerateoptions: 'options of a run stand on the definition itself',
  requireapproval:
    'a tool has it, createTool({ requireApproval }), and so has "delegation" of agents that delegate',
  requiretoolapproval: 'each tool says so itself: createTool({ requireApproval: true })',
  interrupton: 'each tool says so itself: createTool({ requireApproval: true })',
  semanticrecall: 'offer a search of yours as a tool',
  toolusebehavior: '"stopWhen" ends a run after a call',
})

const first = 'the prompt is the first argument: generate(prompt, options)'

const ofCalls = firstOf(
  sayings({ prompt: first, messages: first, input: first, task: first, configurable: ofThread }),
  ofAgents,
)

const callsNoTools = 'it calls no tools itself: give them to its agents'

/** The caps of patterns whose steps are no turns of a loop, for the names that a cap of turns has elsewhere. */
/* @__NO_SIDE_EFFECTS__ */
function caps(said: string): Hint {
  return (key) => (nameOf(key, ['maxSteps']) === undefined ? undefined : said)
}

const ofPattern: Readonly<Partial<Record<Pattern, Hint>>> = {
  'plan-then-execute': caps('a planner has the caps "maxReplans", "maxPlanSteps" and "maxSteps"'),
  'fan-out': firstOf(
    sayings({ tools: callsNoTools, workflows: callsNoTools }),
    caps('a fan-out has the caps "maxRounds", "maxGoals" and "maxSteps"'),
  ),
  debate: firstOf(
    sayings({ tools: callsNoTools, workflows: callsNoTools }),
    caps('a debate has the caps "rounds" and "maxSteps"'),
  ),
  'meta-router': sayings({ tools: callsNoTools, workflows: callsNoTools }),
}

const none: Hint = () => undefined

/** For the definition of an agent. */
export function definitionHint(pattern: Pattern, parts: PartsByPattern): Hint {
  return (key, known) => forDefinition(pattern, parts)(key, known)
}

function forDefinition(pattern: Pattern, parts: PartsByPattern): Hint {
  return firstOf(
    ofPattern[pattern] ?? none,
    ofAgents,
    otherName,
    belongsIn,
    ofOtherPatterns(parts),
    ofRuns,
    belongsInByOtherName,
    ofRunsByOtherName,
    optionElsewhere,
  )
}

/** For a run of an agent: nothing is made for it before a key is unknown. */
export function callHint(pattern: Pattern, parts: PartsByPattern): Hint {
  return (key, known) => forCall(pattern, parts)(key, known)
}

function forCall(pattern: Pattern, parts: PartsByPattern): Hint {
  const ofDefinition: Hint = (key) =>
    Object.hasOwn(parts[pattern], key) ? `it belongs in the definition of the agent` : undefined
  return firstOf(
    ofCalls,
    ofDefinition,
    otherName,
    belongsIn,
    ofOtherPatterns(parts),
    belongsInByOtherName,
    optionElsewhere,
  )
}
