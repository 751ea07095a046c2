/** `Agent`: an agent of Mastra, which is a supervisor of this library. */
import {
  ConfigurationError,
  createRouter,
  createSupervisor,
  createTroupe,
  type AgentDefinition,
  type CallOptions,
  type ChatModel,
  type JsonValue,
  type MemoryOptions,
  type Prompt,
  type RouterConfig,
  type Run,
  type Store,
  type SupervisorConfig,
  type Troupe,
} from '../index.ts'
import { isObject, reporterOf } from '../kit/index.ts'
import { backgroundOf, nameOf, readAgentConfig, toolsInBackground, type AgentConfig } from './agent-config.ts'
import { AgentStream } from './agent-stream.ts'
import {
  answered,
  approving,
  declining,
  readAnswerOptions,
  resuming,
  type AnswerOptions,
  type Answering,
} from './answer.ts'
import { dynamic, isFunctionOfRun } from './dynamic-argument.ts'
import { generateResultOf, type GenerateResult } from './generate-result.ts'
import type { Keys } from './hooks.ts'
import { Memory, memoryOptionsOf, storeInMemory, storeOf } from './memory.ts'
import { assertModel, chatModelOf, type MastraModelConfig } from './model.ts'
import {
  definitionIn,
  hasModel,
  introduce,
  isAgent,
  registrationOf,
  type AgentsOfRecord,
  type AnAgent,
  type Place,
} from './registration.ts'
import {
  defaultsFor,
  networkOptionsOf,
  readNetworkOptions,
  readStreamOptions,
  streamOptionsOf,
  type NetworkOptions,
  type StreamOptions,
} from './run-options.ts'

type DynamicModel = SupervisorConfig['model']

interface Built {
  readonly id: string
  readonly model: DynamicModel
  readonly definition: Promise<AgentDefinition>
}

/** A router with the primitives of the agent, and the troupe in which it runs. */
interface Network {
  readonly troupe: Troupe
  readonly router: AgentDefinition
}

/** A run of a network. `isJudged`: it has scorers, which may reject an answer. */
interface RoutedRun {
  readonly network: Network
  readonly isJudged: boolean
}

type Parts = Required<Pick<SupervisorConfig, 'id' | 'description' | 'model' | 'tools' | 'agents'>> &
  Pick<SupervisorConfig, 'instructions' | 'workflows' | 'memory' | 'delegation'>

const everything = Number.MAX_SAFE_INTEGER

/**
 * An agent, which delegates to its `agents`. Throws a `ConfigurationError` for an unknown or wrong option.
 * @experimental
 */
export class Agent implements AnAgent {
  readonly #config: AgentConfig
  readonly #built: Built[] = []
  readonly #report = reporterOf()
  #model: Promise<DynamicModel> | undefined
  #troupe: Promise<Troupe> | undefined
  #network: Promise<Network> | undefined
  /** The runs of networks that go on, by their ids. */
  readonly #routedRuns = new Map<string, RoutedRun>()

  constructor(config: AgentConfig) {
    this.#config = readAgentConfig(config)
    const where = nameOf(this.#config)
    const { agents, model, defaultOptions } = this.#config
    if (model !== undefined && !isFunctionOfRun(model)) assertModel(model, `${where}: model`)
    if (agents !== undefined && !isFunctionOfRun(agents)) assertAgents(agents, where)
    readStreamOptions(defaultOptions, `${where}: defaultOptions`)
    introduce(this, {
      hasModel: model !== undefined,
      definitionIn: (place) => this.#definitionIn(place),
    })
  }

  /** The id; without one the key under which a `Mastra` has the agent, else its name. */
  get id(): string | undefined {
    const { id, name } = this.#config
    return id ?? registrationOf(this)?.key ?? name
  }

  get name(): string | undefined {
    return this.#config.name ?? this.id
  }

  /** Runs to the end, or to a suspension. Rejects with the error of a run that fails, and with a `ConfigurationError`. */
  async generate<Output = undefined>(
    prompt: Prompt,
    options?: StreamOptions<Output>,
  ): Promise<GenerateResult<Output>> {
    const run = await this.#start(prompt, options, 'generate')
    return generateResultOf<Output>(await run.whenIdle)
  }

  /** Begins a run, and resolves with its stream. Rejects with a `ConfigurationError`. */
  async stream<Output = undefined>(
    prompt: Prompt,
    options?: StreamOptions<Output>,
  ): Promise<AgentStream<Output>> {
    const isJudged = isJudgedBy(options) || isJudgedBy(this.#config.defaultOptions)
    return this.#streamOf<Output>(await this.#start(prompt, options, 'stream'), isJudged)
  }

  /** As `stream`: a run ends only when no background task is at work. */
  streamUntilIdle<Output = undefined>(
    prompt: Prompt,
    options?: StreamOptions<Output>,
  ): Promise<AgentStream<Output>> {
    return this.stream(prompt, options)
  }

  /**
   * Begins a run in which the agent's model is a routing agent: it decides, step by step, which agent, workflow or tool works
   * next. It needs memory: of the agent, or in the options. Rejects with a `ConfigurationError`.
   */
  async network<Output = undefined>(
    prompt: Prompt,
    options?: NetworkOptions<Output>,
  ): Promise<AgentStream<Output>> {
    const where = `${this.#where()}: network`
    const read = readNetworkOptions(options, where)
    const isOwn = read.agents !== undefined || read.tools !== undefined || read.workflows !== undefined
    const isPlain = !isOwn && !(read.memory instanceof Memory)
    const network = isPlain ? await this.#plainNetwork(read, where) : await this.#networkOf(read, where)
    const { troupe, router } = network
    const run = await troupe.start(router, prompt, networkOptionsOf(read, keysOf(router.agents), where))
    const isJudged = read.completion !== undefined
    this.#routedRuns.set(run.id, { network, isJudged })
    afterEnd(run, () => {
      this.#routedRuns.delete(run.id)
      if (!isPlain) void troupe.close().catch(this.#report)
    })
    return this.#streamOf<Output>(run, isJudged, { isNetwork: true })
  }

  /** Lets a call run that waits for approval, and resolves with the stream of what follows. Rejects as `run.approve`. */
  approveToolCall(options: AnswerOptions): Promise<AgentStream> {
    return this.#answer(options, approving, 'approveToolCall')
  }

  /** Denies a call that waits for approval, and resolves with the stream of what follows. Rejects as `run.deny`. */
  declineToolCall(options: AnswerOptions): Promise<AgentStream> {
    return this.#answer(options, declining, 'declineToolCall')
  }

  /** Gives data to a call that is suspended, and resolves with the stream of what follows. Rejects as `run.resume`. */
  resumeStream(data: JsonValue | undefined, options: AnswerOptions): Promise<AgentStream> {
    return this.#answer(options, resuming(data), 'resumeStream')
  }

  /** The agent as `createTroupe` takes it. Rejects with a `ConfigurationError`, for example where it has no model. */
  definition(): Promise<AgentDefinition> {
    const key = registrationOf(this)?.key
    return this.#definitionIn(key === undefined ? {} : { key })
  }

  /** The troupe in which the agent runs. Rejects as `definition`, and with a `StoreError`. */
  troupe(): Promise<Troupe> {
    this.#troupe ??= this.#makeTroupe().catch((error: unknown) => {
      this.#troupe = undefined // the next run tries again: a store may be there then
      throw error
    })
    return this.#troupe
  }

  async #start(prompt: Prompt, given: StreamOptions<unknown> | undefined, name: string): Promise<Run> {
    const where = `${this.#where()}: ${name}`
    const options = { ...defaultsFor(true, this.#config.defaultOptions), ...readStreamOptions(given, where) }
    const definition = await this.definition()
    const troupe = await this.troupe()
    const own = streamOptionsOf(options, keysOf(definition.agents), where)
    return troupe.start(definition, prompt, { ...own, stream: name === 'stream' } as CallOptions)
  }

  #streamOf<Output>(run: Run, isJudged: boolean, { after = 0, isNetwork = false } = {}): AgentStream<Output> {
    return new AgentStream<Output>(run, { after, isJudged, isNetwork, report: this.#report })
  }

  async #answer(options: AnswerOptions, answer: Answering, name: string): Promise<AgentStream> {
    const where = `${this.#where()}: ${name}`
    const read = readAnswerOptions(options, where)
    const routed = await this.#routedRun(read.runId, where)
    const troupe = routed?.network.troupe ?? (await this.troupe())
    const { run, after } = await answered(troupe, read, answer, where)
    const isJudged = routed?.isJudged ?? isJudgedBy(this.#config.defaultOptions)
    return this.#streamOf(run, isJudged, { after, isNetwork: routed !== undefined })
  }

  /** A run of a network, also of one that another process has begun. `undefined`: the run is none of a network. */
  async #routedRun(runId: string, where: string): Promise<RoutedRun | undefined> {
    const known = this.#routedRuns.get(runId)
    if (known !== undefined) return known
    const [started] = (await (await this.#store(this.#config.memory)).read(runId, 0)) ?? []
    if (started?.type !== 'run.started') return undefined
    const { pattern } = started.agents?.[started.agent]?.structure ?? {}
    if (pattern !== 'router') return undefined
    return {
      network: await this.#plainNetwork({}, where),
      isJudged: started.settings.completion !== undefined,
    }
  }

  async #makeTroupe(): Promise<Troupe> {
    return this.#troupeOf(await this.definition(), this.#config.memory)
  }

  /** The agents that stand beside this one in a `Mastra` are known in its troupe, with their versions. */
  async #troupeOf(root: AgentDefinition, memory: AgentConfig['memory']): Promise<Troupe> {
    const { mastra } = registrationOf(this) ?? {}
    const others = Object.values(mastra?.agents ?? {}).filter((agent) => agent !== this && hasModel(agent))
    const registered = await Promise.all(others.map((agent) => agent.definition()))
    return createTroupe({
      agents: [...new Set([root, ...registered])],
      store: await this.#store(memory),
      ...(mastra?.versions === undefined ? {} : { versions: mastra.versions }),
    })
  }

  /** Without storage a `Mastra`, else a `Memory`, has a store in memory, which all agents with it share. */
  async #store(memory: AgentConfig['memory']): Promise<Store> {
    const { mastra } = registrationOf(this) ?? {}
    const own = memory instanceof Memory ? memory : undefined
    return (await storeOf(own?.storage ?? mastra?.storage)) ?? storeInMemory(mastra ?? own ?? this)
  }

  /** Made once; one that could not be made is made again. */
  async #plainNetwork(options: NetworkOptions<unknown>, where: string): Promise<Network> {
    const made = (this.#network ??= this.#networkOf(options, where))
    try {
      return await made
    } catch (error) {
      if (this.#network === made) this.#network = undefined
      throw error
    }
  }

  async #networkOf(
    { memory, agents, tools, workflows }: NetworkOptions<unknown>,
    where: string,
  ): Promise<Network> {
    const key = registrationOf(this)?.key
    const parts = await this.#partsIn(key === undefined ? {} : { key })
    const ofRun = memory instanceof Memory ? memory : this.#config.memory
    if (ofRun === undefined && memory === undefined) {
      throw new ConfigurationError(`${where}: a network needs memory; give the agent a Memory.`)
    }
    const { delegation, ...rest } = parts
    const { inputProcessors, outputProcessors } = this.#config
    const router = createRouter({
      ...rest,
      ...(inputProcessors && { inputProcessors }),
      ...(outputProcessors && { outputProcessors }),
      memory: ofRun instanceof Memory ? ofRun.options : (parts.memory ?? true),
      ...(delegation === undefined ? {} : { delegation }),
      ...(agents && { agents: { ...fixed(parts.agents), ...(await this.#subagents(agents, parts.model)) } }),
      ...(tools && { tools: { ...fixed(parts.tools), ...tools } }),
      ...(workflows && { workflows: { ...fixed(parts.workflows), ...workflows } }),
    } as RouterConfig & { readonly description: string })
    const troupe = await this.#troupeOf(router, ofRun)
    return { troupe, router }
  }

  /** One definition for each id and model: a troupe holds an agent once, wherever it stands. */
  async #definitionIn(place: Place): Promise<AgentDefinition> {
    const id = this.#idIn(place)
    const model = await this.#modelIn(place)
    const known = this.#built.find((one) => one.id === id && one.model === model)
    if (known !== undefined) return known.definition
    const definition = this.#define(place)
    this.#built.push({ id, model, definition })
    return definition
  }

  async #define(place: Place): Promise<AgentDefinition> {
    const { defaultOptions, backgroundTasks = {}, version, status, agents } = this.#config
    const { inputProcessors, outputProcessors } = this.#config
    const parts = await this.#partsIn(place)
    const { delegation, ...rest } = parts
    const where = nameOf(this.#config, place.key)
    const defaults = streamOptionsOf(
      defaultsFor(false, defaultOptions),
      keysOf(parts.agents),
      `${where}: defaultOptions`,
    )
    const hooks = { ...delegation, ...defaults.delegation }
    const names = agents === undefined || isFunctionOfRun(agents) ? [] : Object.keys(agents)
    return createSupervisor({
      onExhausted: 'stop',
      ...defaults,
      ...rest,
      delegation: hooks,
      ...backgroundOf(backgroundTasks, names),
      ...(inputProcessors && { inputProcessors }),
      ...(outputProcessors && { outputProcessors }),
      ...(version === undefined ? {} : { version }),
      ...(status === undefined ? {} : { status }),
    })
  }

  async #partsIn(place: Place): Promise<Parts> {
    const { instructions, tools = {}, agents = {}, workflows, memory, backgroundTasks = {} } = this.#config
    const where = nameOf(this.#config, place.key)
    const model = await this.#modelIn(place)
    const names = isFunctionOfRun(agents) ? undefined : Object.keys(agents)
    return {
      id: this.#idIn(place),
      description: this.#description(place),
      model,
      tools: await dynamic(tools, (given) => toolsInBackground(given, names, backgroundTasks, where)),
      agents: await dynamic(agents, (given) => this.#subagents(given, model)),
      delegation: this.#conversation(),
      ...(instructions === undefined ? {} : { instructions: await dynamic(instructions, (given) => given) }),
      ...(workflows === undefined ? {} : { workflows: await dynamic(workflows, (given) => given) }),
      ...(memory === undefined ? {} : { memory: await dynamic(memory, (given) => this.#remembering(given)) }),
    }
  }

  /** The definitions of subagents: one without an id takes its key, one without a model that of this agent. */
  async #subagents(given: AgentsOfRecord, model: DynamicModel): Promise<Record<string, AgentDefinition>> {
    assertAgents(given, this.#where())
    const entries = Object.entries(given).map(async ([key, agent]) => {
      const definition = await definitionIn(agent, { key, model })
      return [key, definition] as const
    })
    return Object.fromEntries(await Promise.all(entries))
  }

  #idIn({ key }: Place): string {
    const id = this.#config.id ?? key ?? this.#config.name
    if (id !== undefined) return id
    throw new ConfigurationError(`${this.#where()}: it has no id, and stands in no record whose key is one.`)
  }

  #modelIn({ key, model: above }: Place): Promise<DynamicModel> {
    const { model } = this.#config
    const where = nameOf(this.#config, key)
    if (model === undefined && above === undefined) {
      throw new ConfigurationError(
        `${where}: it has no model, and stands in the agents of none that has one.`,
      )
    }
    if (model === undefined) return Promise.resolve(above as DynamicModel)
    return (this.#model ??= Promise.resolve(
      dynamic<MastraModelConfig, ChatModel>(model, (given) => chatModelOf(given, `${where}: model`)),
    ))
  }

  #description(place: Place): string {
    const { description, instructions, name = this.#idIn(place) } = this.#config
    if (description !== undefined) return description
    const isKnown = typeof instructions === 'string' && instructions.trim() !== ''
    return isKnown ? `Delegate to ${name} agent: ${instructions}` : `Delegate to ${name} agent`
  }

  #conversation(): SupervisorConfig['delegation'] {
    const { subAgentContext } = this.#config
    if (subAgentContext === undefined) return { maxMessages: everything }
    const { includeConversationHistory = false, maxMessages = 20, messageFilter, ...rest } = subAgentContext
    return {
      ...rest,
      includeConversationHistory,
      maxMessages,
      ...(messageFilter && {
        messageFilter: ({ messages }) =>
          messages.filter((message) => messageFilter(message)).slice(-maxMessages),
      }),
    }
  }

  #remembering(given: Memory): MemoryOptions {
    const options = memoryOptionsOf(given, this.#where())
    if (given === this.#config.memory || given.storage === undefined) return options
    throw new ConfigurationError(
      `${this.#where()}: a Memory that a function of the run makes has no storage of its own; give it to Mastra.`,
    )
  }

  #where(): string {
    return nameOf(this.#config, registrationOf(this)?.key)
  }
}

function assertAgents(agents: unknown, where: string): void {
  if (!isObject(agents))
    throw new ConfigurationError(`${where}: agents must be an object by the keys of agents.`)
  for (const [key, agent] of Object.entries(agents)) {
    const isDefinition = isObject(agent) && 'chart' in agent && 'pattern' in agent
    if (isAgent(agent) || isDefinition) continue
    throw new ConfigurationError(`${where}: agents.${key} must be an Agent.`)
  }
}

/** The keys of subagents that do not depend on the run, by their ids. */
function keysOf(agents: unknown): Keys {
  const known = typeof agents === 'function' ? {} : (agents as Readonly<Record<string, AgentDefinition>>)
  return new Map(Object.entries(known).map(([key, { id }]) => [id, key]))
}

function fixed(part: object | ((run: never) => unknown) | undefined): object {
  return typeof part === 'function' || part === undefined ? {} : part
}

/** A rejected answer must not look like the answer: it is held until it is accepted. */
function isJudgedBy(
  options: Pick<StreamOptions, 'completion' | 'isTaskComplete' | 'onIterationComplete'> = {},
): boolean {
  const { completion, isTaskComplete, onIterationComplete } = options
  return (completion ?? isTaskComplete ?? onIterationComplete) !== undefined
}

function afterEnd(run: Run, act: () => void): void {
  run.result.then(act, act)
}
