/** Runs one case, a run for each turn: the model is asked anew, and the tools answer from the recording. */
import { SignalError } from '../../errors.ts'
import type { Message, Prompt } from '../../actors/message.ts'
import type { Usage } from '../../actors/usage.ts'
import type { Outcome } from '../../machines/contract/records.ts'
import { changedAgent, type AgentDefinition, type Handoffs } from '../../runtime/definition/definition.ts'
import type { FinalResult } from '../../runtime/handle/result.ts'
import type { Run } from '../../runtime/handle/run.ts'
import type { RunEvent } from '../../runtime/handle/run-event.ts'
import type { OnError, Problem } from '../../runtime/report.ts'
import { Conversation, type EvaluationTurn, type EvaluationUser } from './conversation.ts'
import { RecordedTools, type UnrecordedCall } from './recorded-tools.ts'
import { toolRecordsOf, type ToolRecord } from './tool-recording.ts'
import type { Tool } from '../../actors/tool.ts'

/** The troupe of one case. */
export interface CaseTroupe {
  start(agent: AgentDefinition, prompt: Prompt, options: object): Promise<Run>
  close(): Promise<void>
}

/** Opens a troupe of these agents. */
export type OpenTroupe = (agents: readonly AgentDefinition[], onError: OnError) => CaseTroupe

export interface CaseSetting {
  readonly agent: AgentDefinition
  /** Agents that functions of the run may give. */
  readonly agents: readonly AgentDefinition[]
  readonly prompt: Prompt
  readonly user: EvaluationUser
  readonly maxTurns: number
  readonly userTimeout: number
  /** The outcome that ends the conversation as the case expects. */
  readonly outcome: Outcome | undefined
  /** Options of the runs. */
  readonly run: object
  readonly records: readonly ToolRecord[]
  readonly mayRun: boolean
  readonly open: OpenTroupe
}

export interface CaseRun {
  /** Of the last turn. */
  readonly result: FinalResult
  readonly turns: readonly EvaluationTurn[]
  readonly messages: readonly Message[]
  readonly userUsage: Usage
  /** Why the conversation was cut. */
  readonly cut?: string
  /** Every call of a tool in the runs, those that were answered from the recording included. */
  readonly calls: readonly ToolRecord[]
  readonly tools: RecordedTools
  readonly missing: readonly UnrecordedCall[]
  /** Calls that wait for a person, and that no recording answers. */
  readonly waiting: readonly UnrecordedCall[]
  /** Errors that no caller received, such as those of hooks. */
  readonly problems: readonly Problem[]
}

export async function runCase({ agent, agents, run: given, ...setting }: CaseSetting): Promise<CaseRun> {
  const missing: UnrecordedCall[] = []
  const waiting: UnrecordedCall[] = []
  const problems: Problem[] = []
  let started = Promise.withResolvers<Run>()
  const stop = async (reason: string): Promise<void> => (await started.promise).cancel(reason)
  const tools = new RecordedTools({
    records: setting.records,
    mayRun: setting.mayRun,
    onMissing: (call) => {
      missing.push(call)
      void stop(`The tool "${call.tool}" was called without a recording.`)
    },
  })
  const replacer = new ToolReplacer((name, tool) => tools.replace(name, tool))
  const copy = replacer.agent(agent)
  const others = agents.map((other) => replacer.agent(other))
  const troupe = setting.open([copy, ...others], (problem) => {
    if (!tools.hasThrown(problem.error)) problems.push(problem)
  })
  const isKept = keepsThread(agent, given)
  const { prompt, user, maxTurns, userTimeout: timeout } = setting
  const conversation = new Conversation({ prompt, user, maxTurns, timeout, isKept })
  let options: object = isKept ? { threadId: 'evaluation', ...given } : given
  try {
    for (;;) {
      const run = await troupe.start(copy, conversation.prompt, options)
      started.resolve(run)
      const watching = answered(run, tools, setting.mayRun)
      const result = await run.result
      const watched = await watching
      conversation.answered(result, toolRecordsOf(watched.events))
      missing.push(...watched.unrecorded)
      waiting.push(...watched.waiting)
      const mayGoOn = missing.length + waiting.length === 0 && goesOn(result.outcome, setting.outcome)
      const next = mayGoOn ? await conversation.next(result) : undefined
      if (next?.type !== 'says')
        return {
          result,
          turns: conversation.turns,
          messages: conversation.messages,
          userUsage: conversation.userUsage,
          ...(next?.type === 'cut' ? { cut: next.reason } : {}),
          calls: conversation.turns.flatMap(({ calls }) => calls),
          tools,
          missing,
          waiting,
          problems,
        }
      started = Promise.withResolvers<Run>()
      options = { ...options, runId: undefined } // the id that a case gives is that of its first run
    }
  } finally {
    await troupe.close()
  }
}

/** Whether the agent, with the options of the run, keeps the conversation in a thread. */
function keepsThread(agent: AgentDefinition, options: object): boolean {
  const given: unknown = Reflect.get(options, 'memory')
  return agent.dynamic.includes('memory') || (given ?? agent.settings.memory) !== undefined
}

/** An outcome after which a user may say more. */
export const good: readonly Outcome[] = ['completed', 'bailed', 'stopped']

function goesOn(outcome: Outcome, expected: Outcome | undefined): boolean {
  return good.includes(outcome) && (outcome === 'completed' || outcome !== expected)
}

type Tools = Readonly<Record<string, Tool>>
type Agents = Readonly<Record<string, AgentDefinition>>

/** `replace` is called with the name that the model sees. The copy of an agent that stands in two places is one agent. */
class ToolReplacer {
  readonly #replace: (name: string, tool: Tool) => Tool
  readonly #copies = new Map<AgentDefinition, AgentDefinition>()

  constructor(replace: (name: string, tool: Tool) => Tool) {
    this.#replace = replace
  }

  agent(agent: AgentDefinition): AgentDefinition {
    const known = this.#copies.get(agent)
    if (known !== undefined) return known
    const { configure, handoffs } = agent
    const copy = changedAgent(agent, {
      tools: this.#tools(agent.tools),
      agents: this.#agents(agent.agents),
      handoffs: handoffs === undefined ? undefined : this.#handoffs(handoffs),
      configure:
        configure === undefined
          ? undefined
          : async (run) => {
              const parts = await configure(run)
              return { ...parts, tools: this.#tools(parts.tools), agents: this.#agents(parts.agents) }
            },
    })
    this.#copies.set(agent, copy)
    return copy
  }

  #tools(tools: Tools): Tools {
    return Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, this.#replace(name, tool)]))
  }

  #agents(agents: Agents): Agents {
    return Object.fromEntries(Object.entries(agents).map(([key, agent]) => [key, this.agent(agent)]))
  }

  /** Two agents may hand to each other: the copies are made when they are first read. */
  #handoffs(handoffs: Handoffs): Handoffs {
    const { ofRun } = handoffs
    const agents = (): Agents => this.#agents(handoffs.agents())
    const copyOf = (agent: AgentDefinition): AgentDefinition => this.agent(agent)
    return {
      profile: handoffs.profile,
      get known() {
        return handoffs.known.map(copyOf)
      },
      agents,
      offered: () => handoffs.offered(),
      ofRun:
        ofRun &&
        (async (run) => {
          const { agents, offered } = await ofRun(run)
          return { agents: this.#agents(agents), offered }
        }),
    }
  }
}

interface Watched {
  readonly events: readonly RunEvent[]
  readonly waiting: readonly UnrecordedCall[]
  readonly unrecorded: readonly UnrecordedCall[]
}

/** Answers the questions of a run as its recording does; a question without a recording ends the run. */
async function answered(run: Run, tools: RecordedTools, mayRun: boolean): Promise<Watched> {
  const events: RunEvent[] = []
  const waiting: UnrecordedCall[] = []
  const unrecorded: UnrecordedCall[] = []
  const args = new Map<string, UnrecordedCall>()
  for await (const event of run.events) {
    events.push(event)
    if (event.type === 'tool-call') {
      const { toolCallId, toolName: tool } = event.payload
      args.set(toolCallId, { tool, args: event.payload.args })
    }
    if (event.type !== 'tool-call-approval' && event.type !== 'tool-call-suspended') continue
    const { toolCallId, toolName } = event.payload
    const call = args.get(toolCallId) ?? { tool: toolName, args: null }
    const record = event.type === 'tool-call-approval' ? tools.recordOf(call) : undefined
    if (record === undefined) {
      ;(mayRun ? waiting : unrecorded).push(call)
      await run.cancel(`The call of "${toolName}" waits for a person.`)
    } else await delivered('denied' in record ? run.deny(toolCallId, record.reason) : run.approve(toolCallId))
  }
  return { events, waiting, unrecorded }
}

/** The run may have ended, or gone on, before the answer comes. */
async function delivered(answer: Promise<void>): Promise<void> {
  try {
    await answer
  } catch (error) {
    if (!(error instanceof SignalError)) throw error
  }
}
