/** `codeMode`: tools become an agent that runs a program, which calls them. */
import type { AgentDefinition, ChatModel, ToolMap } from '../index.ts'
import { ConfigurationError, TerminalError } from '../index.ts'
import {
  anObject,
  defaultsOf,
  is,
  isObject,
  once,
  optional,
  positiveInteger,
  readOptions,
  required,
  show,
  withDefault,
  type Field,
  type Fields,
} from '../kit/index.ts'
import {
  type AnyContext,
  type DefinitionFor,
  type NoShape,
  type ProgramRunOptions,
  defineAgent,
  definitionParts,
  legLogic,
  optionsOf,
  programMachine,
} from '../kit/host.ts'
import { declarationsOf, resultOf } from './declarations.ts'
import { Interpreter } from './interpreter/interpreter.ts'

/** The options of a run of such an agent. */
export type CodeModeRunOptions = ProgramRunOptions

/** What a program may use up. */
export interface CodeLimits {
  /** Bytes that the program may hold. Default: 32 MiB. */
  readonly memory?: number
  /** Instructions of the whole program, counted in steps of 10 000. Default: 100 million. */
  readonly instructions?: number
  /** Calls of the whole program. A call beyond is an error that the program can catch. Default: 1 000. */
  readonly calls?: number
  /** Characters of the result, and of what `console.log` writes. Default: 50 000. */
  readonly text?: number
  /** Milliseconds from one wait for calls to the next. Default: 5 000. */
  readonly time?: number
}

/** The configuration of `codeMode`. */
export interface CodeModeConfig extends ProgramRunOptions {
  /** A letter, then at most 54 letters, digits, "_" or "-". Unique in a troupe. */
  readonly id: string
  readonly version?: string
  /** The tools that a program may call, by the names that it calls them by. */
  readonly tools: ToolMap
  /** What the tools are for. The rules of programs and the declarations of the tools follow it. */
  readonly description?: string
  readonly limits?: CodeLimits
}

const limitFields = {
  memory: withDefault(positiveInteger, 32 * 1024 * 1024),
  instructions: withDefault(positiveInteger, 100_000_000),
  calls: withDefault(positiveInteger, 1000),
  text: withDefault(positiveInteger, 50_000),
  time: withDefault(positiveInteger, 5000),
} satisfies Fields<CodeLimits>

const {
  model: _model,
  contextSchema: _schema,
  instructions: _instructions,
  workflows: _workflows,
  ...parts
} = definitionParts.program

const fields: Readonly<Record<string, Field>> = {
  ...parts,
  ...optionsOf.program,
  tools: required(is('an object by the names of tools', isObject)),
  limits: optional(anObject(limitFields)),
}

/** All programs of a process share a thread. */
const interpreter = new Interpreter()

/**
 * Defines an agent that runs programs. Its prompt is a program in JavaScript: the body of an async function, which calls the tools
 * and returns the answer. Each call is a call of the agent: checked, approved where its tool requires it, on record. The agent
 * stands wherever an agent stands, handoffs excepted. It calls no model. Throws a `ConfigurationError` for a wrong option.
 * @experimental
 */
export function codeMode(
  config: CodeModeConfig,
): DefinitionFor<CodeModeRunOptions, NoShape, AnyContext, string>
export function codeMode(given: CodeModeConfig): AgentDefinition {
  const where = `codeMode(${show((given as Partial<CodeModeConfig> | undefined)?.id)})`
  const read = readOptions<object>(given, where, fields) as CodeModeConfig
  const { limits: some, description = '', ...config } = read
  const limits: Required<CodeLimits> = { ...defaultsOf(limitFields), ...some }
  if (Object.keys(config.tools).length === 0)
    throw new ConfigurationError(`${where}: tools must hold at least one tool: a program has nothing else.`)
  const leg = legLogic((asked, call) => interpreter.run(asked, limits, call))
  const kind = {
    pattern: 'program',
    chart: once(() => programMachine().provide({ actors: { leg } })),
  } as const
  const model = noModel(config.id)
  const { toolset } = defineAgent(kind, where, { ...config, model })
  assertDeclared(config.tools, where)
  return defineAgent(kind, where, {
    ...config,
    model,
    description: described(description, config.tools, toolset),
  })
}

/** A program has its tools declared: it can search for none. */
function assertDeclared(tools: ToolMap, where: string): void {
  const deferred = Object.keys(tools).find((name) => tools[name]?.deferred === true)
  if (deferred === undefined) return
  throw new ConfigurationError(
    `${where}: the tool "${deferred}" is deferred, and a program has its tools declared at once. Give it without deferTools.`,
  )
}

const rules = [
  'Runs a program in JavaScript that calls the tools below, and answers with what it returns.',
  'The prompt is the program alone: the body of an async function. `await` a call, `return` the result.',
  'Independent calls run side by side in `Promise.all`. Keep what the answer does not need inside of the program.',
  'A call that fails throws an Error with `code` and `message`. There is no network, clock, randomness, import or require.',
]

function described(about: string, tools: ToolMap, { descriptions }: AgentDefinition['toolset']): string {
  const offered = descriptions.map(({ name, description, parameters }) => ({
    name,
    description,
    parameters,
    result: resultOf(tools[name]?.outputSchema),
  }))
  return [about, rules.join('\n'), declarationsOf(offered)].filter((part) => part !== '').join('\n\n')
}

/** Stands in the place of a model: a program calls none. */
function noModel(id: string): ChatModel {
  return {
    provider: 'code',
    modelId: id,
    generate: async () => {
      throw new TerminalError(`The agent "${id}" has no model: it runs programs.`, { code: 'MODEL_FAILED' })
    },
  }
}
